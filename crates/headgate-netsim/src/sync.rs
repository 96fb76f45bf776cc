//! The leader and the workers of a run: who may go, who is done, and what they hand each other.
//!
//! A window of a large network takes some hundred microseconds, so they first wait for one another in a loop
//! that asks again and again. Where that takes long, others have work for the core: then they sleep.

#[cfg(loom)]
pub use loom::sync::Mutex;
#[cfg(loom)]
use loom::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
#[cfg(loom)]
use loom::sync::{Condvar, MutexGuard};
#[cfg(not(loom))]
pub use std::sync::Mutex;
use std::sync::PoisonError;
#[cfg(not(loom))]
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
#[cfg(not(loom))]
use std::sync::{Condvar, MutexGuard};
use std::time::Duration;

/// Questions in a row before sleep: some ten microseconds.
const PATIENCE: u32 = if cfg!(loom) { 1 } else { 1 << 10 };

/// The leader looks around so often while it sleeps.
const NAP: Duration = Duration::from_millis(1);

/// What the workers do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Run(Stretch),
    Quit,
}

/// A part of a window, the last one as a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// So many have been run, this one included.
    pub number: u64,
    pub window: u64,
    /// Its end, picoseconds.
    pub until: u64,
}

#[derive(Debug, Default)]
pub struct Signals {
    /// Orders given so far.
    given: AtomicU64,
    number: AtomicU64,
    window: AtomicU64,
    until: AtomicU64,
    quit: AtomicBool,
    /// Workers that are not done with the last order.
    busy: AtomicUsize,
    /// Everybody is to stop as soon as may be.
    stop: AtomicBool,
    /// A worker has panicked.
    broken: AtomicBool,
    bed: Bed,
}

impl Signals {
    /// The leader tells so many workers what to do.
    pub fn order(&self, order: Order, workers: usize) {
        match order {
            Order::Run(Stretch { number, window, until }) => {
                self.number.store(number, Ordering::Relaxed);
                self.window.store(window, Ordering::Relaxed);
                self.until.store(until, Ordering::Relaxed);
            }
            Order::Quit => self.quit.store(true, Ordering::Relaxed),
        }
        self.stop.store(false, Ordering::Relaxed);
        self.busy.store(workers, Ordering::Relaxed);
        self.given.fetch_add(1, Ordering::Release);
        self.bed.wake();
    }

    /// A worker waits for the order of this number.
    pub fn await_order(&self, number: u64) -> Order {
        self.bed.wait(|| self.given.load(Ordering::Acquire) >= number);
        if self.quit.load(Ordering::Relaxed) {
            return Order::Quit;
        }
        let [number, window, until] =
            [&self.number, &self.window, &self.until].map(|word| word.load(Ordering::Relaxed));
        Order::Run(Stretch { number, window, until })
    }

    /// A worker has done what it was told.
    pub fn done(&self) {
        if self.busy.fetch_sub(1, Ordering::Release) == 1 {
            self.bed.wake();
        }
    }

    /// The leader waits for all, and looks around meanwhile.
    ///
    /// # Panics
    /// If a worker has panicked.
    pub fn await_all(&self, mut look: impl FnMut()) {
        self.bed.wait(|| {
            look();
            self.busy.load(Ordering::Acquire) == 0
        });
        assert!(!self.broken.load(Ordering::Relaxed), "a thread of the run has panicked");
    }

    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// A worker has panicked: the leader must not wait for it.
    pub fn break_off(&self) {
        self.broken.store(true, Ordering::Relaxed);
        self.done();
    }
}

/// Where those sleep who wait long.
#[derive(Debug, Default)]
struct Bed {
    sleepers: AtomicUsize,
    door: Mutex<()>,
    bell: Condvar,
}

impl Bed {
    fn wait(&self, mut is_over: impl FnMut() -> bool) {
        for _ in 0..PATIENCE {
            if is_over() {
                return;
            }
            std::hint::spin_loop();
        }
        let mut guard = lock(&self.door);
        self.sleepers.fetch_add(1, Ordering::Relaxed);
        // either the one who changes something sees the sleeper, or the sleeper sees the change
        fence(Ordering::SeqCst);
        while !is_over() {
            guard = self.bell.wait_timeout(guard, NAP).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.sleepers.fetch_sub(1, Ordering::Relaxed);
    }

    /// Something has changed.
    fn wake(&self) {
        fence(Ordering::SeqCst);
        if self.sleepers.load(Ordering::Relaxed) > 0 {
            drop(lock(&self.door));
            self.bell.notify_all();
        }
    }
}

/// A lock that nobody holds for long. One who panicked with it has left nothing half done.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What each of several parties has for each other, by turns: what is given in a turn is taken in the next.
#[derive(Debug)]
pub struct Exchange<T> {
    parties: usize,
    places: [Vec<Mutex<T>>; 2],
}

impl<T: Default> Exchange<T> {
    pub fn new(parties: usize) -> Self {
        let places = || (0..parties * parties).map(|_| Mutex::new(T::default())).collect();
        Self { parties, places: [places(), places()] }
    }

    fn place(&self, turn: u64, from: usize, to: usize) -> MutexGuard<'_, T> {
        lock(&self.places[(turn % 2) as usize][from * self.parties + to])
    }

    /// Gives something in a turn, and gets what was left there: it was emptied by who took it.
    pub fn give(&self, turn: u64, from: usize, to: usize, gift: &mut T) {
        std::mem::swap(gift, &mut self.place(turn, from, to));
    }

    /// Takes all that was given in the turn before.
    pub fn take(&self, turn: u64, to: usize, mut receive: impl FnMut(&mut T)) {
        (0..self.parties).for_each(|from| receive(&mut self.place(turn - 1, from, to)));
    }
}
