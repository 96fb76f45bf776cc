//! Synchronisation of a run's threads: the leader's commands, a barrier, and mailboxes.
//!
//! A window of a large network takes a few hundred microseconds, so a waiting thread first spins. Then it
//! yields the core but stays ready, because a thread that sleeps is often woken on the core of the thread
//! that wakes it, so that the two then take turns. It sleeps only if the wait is long.

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

/// Iterations of spinning before a thread yields, about ten microseconds.
const SPINS: u32 = if cfg!(loom) { 1 } else { 1 << 10 };

/// How often a thread yields before it sleeps, at least two hundred microseconds.
const YIELDS: u32 = if cfg!(loom) { 0 } else { 400 };

/// A sleeping thread checks its condition at least this often.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A command of the leader to the workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Run a stretch.
    Run(Stretch),
    /// End the thread.
    Quit,
}

/// A part of a window, usually its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Number of stretches that have been run, with this one.
    pub number: u64,
    /// Its window.
    pub window: u64,
    /// Its end, picoseconds.
    pub until: u64,
}

/// Signals between the leader and the workers.
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
    /// All threads should stop soon.
    stop: AtomicBool,
    /// A worker has panicked.
    broken: AtomicBool,
    waiters: WaitQueue,
}

impl Signals {
    /// Sends a command from the leader to this many workers.
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

    /// Waits, as a worker, for the command with this number.
    pub fn await_command(&self, number: u64) -> Command {
        self.waiters.wait(|| self.sent.load(Ordering::Acquire) >= number, || ());
        if self.quit.load(Ordering::Relaxed) {
            return Command::Quit;
        }
        let [number, window, until] =
            [&self.number, &self.window, &self.until].map(|word| word.load(Ordering::Relaxed));
        Command::Run(Stretch { number, window, until })
    }

    /// Reports that a worker has finished its command.
    pub fn done(&self) {
        if self.busy.fetch_sub(1, Ordering::Release) == 1 {
            self.waiters.wake();
        }
    }

    /// Waits, as the leader, for all workers. Calls `poll` from time to time if that takes long.
    ///
    /// # Panics
    /// If a worker has panicked.
    pub fn await_all(&self, poll: impl FnMut()) {
        self.waiters.wait(|| self.busy.load(Ordering::Acquire) == 0, poll);
        assert!(!self.broken.load(Ordering::Relaxed), "a thread of the run has panicked");
    }

    /// Tells all threads to stop soon.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether threads should continue.
    pub fn may_continue(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// Reports that a worker has panicked, so that the leader does not wait for it.
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
        let mut guard = lock(&self.mutex);
        self.asleep.fetch_add(1, Ordering::Relaxed);
        // Either the thread that changes something sees the sleeper, or the sleeper sees the change.
        fence(Ordering::SeqCst);
        while !is_over() {
            poll();
            guard = self.condvar.wait_timeout(guard, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.asleep.fetch_sub(1, Ordering::Relaxed);
    }

    /// Wakes the threads that sleep.
    fn wake(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::Relaxed) > 0 {
            drop(lock(&self.mutex));
            self.condvar.notify_all();
        }
    }
}

/// Locks a mutex. A thread that panicked while it held the lock has left nothing half done.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A mailbox from each of several parties to each other. Messages put in during a turn are taken out during
/// the next.
#[derive(Debug)]
pub struct Mailboxes<T> {
    parties: usize,
    places: [Vec<Mutex<T>>; 2],
}

impl<T: Default> Mailboxes<T> {
    /// Empty mailboxes of this many parties.
    pub fn new(parties: usize) -> Self {
        let places = || (0..parties * parties).map(|_| Mutex::new(T::default())).collect();
        Self { parties, places: [places(), places()] }
    }

    fn place(&self, turn: u64, from: usize, to: usize) -> MutexGuard<'_, T> {
        lock(&self.places[(turn % 2) as usize][from * self.parties + to])
    }

    /// Swaps a message into a mailbox. The message that comes back is empty, because its receiver emptied
    /// it.
    pub fn give(&self, turn: u64, from: usize, to: usize, message: &mut T) {
        std::mem::swap(message, &mut self.place(turn, from, to));
    }

    /// Takes all messages that were given in the previous turn.
    pub fn take(&self, turn: u64, to: usize, mut receive: impl FnMut(&mut T)) {
        (0..self.parties).for_each(|from| receive(&mut self.place(turn - 1, from, to)));
    }
}
