//! Synchronisation of a run's threads: the leader's commands, a barrier, and mailboxes.
//!
//! A window of a large network takes some hundred microseconds, so a thread that waits spins first; then it lets others
//! have the core but stays ready, since one that sleeps is often woken on the core of who wakes it, where the two then
//! take turns; and it sleeps only where that takes long.

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

/// Iterations of spinning before a thread yields: some ten microseconds.
const SPINS: u32 = if cfg!(loom) { 1 } else { 1 << 10 };

/// How often it yields before it sleeps: at least two hundred microseconds.
const YIELDS: u32 = if cfg!(loom) { 0 } else { 400 };

/// A thread that sleeps checks its condition at least so often.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// What the workers do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
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
    /// Commands sent so far.
    sent: AtomicU64,
    number: AtomicU64,
    window: AtomicU64,
    until: AtomicU64,
    quit: AtomicBool,
    /// Workers that are not done with the last command.
    busy: AtomicUsize,
    /// Everybody is to stop as soon as may be.
    stop: AtomicBool,
    /// A worker has panicked.
    broken: AtomicBool,
    waiters: WaitQueue,
}

impl Signals {
    /// The leader tells so many workers what to do.
    pub fn send(&self, command: Command, workers: usize) {
        match command {
            Command::Run(Stretch { number, window, until }) => {
                self.number.store(number, Ordering::Relaxed);
                self.window.store(window, Ordering::Relaxed);
                self.until.store(until, Ordering::Relaxed);
            }
            Command::Quit => self.quit.store(true, Ordering::Relaxed),
        }
        self.stop.store(false, Ordering::Relaxed);
        self.busy.store(workers, Ordering::Relaxed);
        self.sent.fetch_add(1, Ordering::Release);
        self.waiters.wake();
    }

    /// A worker waits for the command of this number.
    pub fn await_command(&self, number: u64) -> Command {
        self.waiters.wait(|| self.sent.load(Ordering::Acquire) >= number, || ());
        if self.quit.load(Ordering::Relaxed) {
            return Command::Quit;
        }
        let [number, window, until] =
            [&self.number, &self.window, &self.until].map(|word| word.load(Ordering::Relaxed));
        Command::Run(Stretch { number, window, until })
    }

    /// A worker has done what it was told.
    pub fn done(&self) {
        if self.busy.fetch_sub(1, Ordering::Release) == 1 {
            self.waiters.wake();
        }
    }

    /// The leader waits for all workers, and calls `poll` now and then if that takes long.
    ///
    /// # Panics
    /// If a worker has panicked.
    pub fn await_all(&self, poll: impl FnMut()) {
        self.waiters.wait(|| self.busy.load(Ordering::Acquire) == 0, poll);
        assert!(!self.broken.load(Ordering::Relaxed), "a thread of the run has panicked");
    }

    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// A worker has panicked: the leader must not wait for it.
    pub fn report_panic(&self) {
        self.broken.store(true, Ordering::Relaxed);
        self.done();
    }
}

/// Threads that wait: first spinning, then yielding, then asleep.
#[derive(Debug, Default)]
struct WaitQueue {
    asleep: AtomicUsize,
    mutex: Mutex<()>,
    condvar: Condvar,
}

impl WaitQueue {
    fn wait(&self, is_over: impl Fn() -> bool, mut poll: impl FnMut()) {
        for turn in 0..SPINS + YIELDS {
            if is_over() {
                return;
            }
            if turn < SPINS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
                poll();
            }
        }
        let mut aqm = lock(&self.mutex);
        self.asleep.fetch_add(1, Ordering::Relaxed);
        // either the one who changes something sees the sleeper, or the sleeper sees the change
        fence(Ordering::SeqCst);
        while !is_over() {
            poll();
            aqm = self.condvar.wait_timeout(aqm, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.asleep.fetch_sub(1, Ordering::Relaxed);
    }

    /// Something has changed.
    fn wake(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::Relaxed) > 0 {
            drop(lock(&self.mutex));
            self.condvar.notify_all();
        }
    }
}

/// A lock that nobody holds for long. One who panicked with it has left nothing half done.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A mailbox from each of several parties to each other, in alternation: what is put in during a turn is taken out
/// during the next.
#[derive(Debug)]
pub struct Mailboxes<T> {
    parties: usize,
    places: [Vec<Mutex<T>>; 2],
}

impl<T: Default> Mailboxes<T> {
    pub fn new(parties: usize) -> Self {
        let places = || (0..parties * parties).map(|_| Mutex::new(T::default())).collect();
        Self { parties, places: [places(), places()] }
    }

    fn place(&self, turn: u64, from: usize, to: usize) -> MutexGuard<'_, T> {
        lock(&self.places[(turn % 2) as usize][from * self.parties + to])
    }

    /// Gives something in a turn, and gets what was left there: it was emptied by who took it.
    pub fn give(&self, turn: u64, from: usize, to: usize, message: &mut T) {
        std::mem::swap(message, &mut self.place(turn, from, to));
    }

    /// Takes all that was given in the turn before.
    pub fn take(&self, turn: u64, to: usize, mut receive: impl FnMut(&mut T)) {
        (0..self.parties).for_each(|from| receive(&mut self.place(turn - 1, from, to)));
    }
}
