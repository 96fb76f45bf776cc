//! The threads that run the shards of a network: one, or several with a leader among them.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::Time;

use crate::region::mail::Inbound;
use crate::run::shard::Shard;
use crate::run::sync::{Command, Mailboxes, Mutex, Signals, Stretch, lock};

/// The outcome of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StretchOutcome {
    /// All events up to its end have happened.
    pub is_complete: bool,
    /// When the next timer expires, if nothing else is pending.
    pub quiet_until: Option<Time>,
    /// Packets processed.
    events: u64,
}

impl StretchOutcome {
    fn of<L: ControllerRegistry>(shard: &Shard<L>, is_complete: bool) -> Self {
        Self { is_complete, quiet_until: shard.quiet_until(), events: shard.events() }
    }

    fn and(self, other: Self) -> Self {
        let earlier = |(one, other): (Time, Time)| one.min(other);
        Self {
            is_complete: self.is_complete && other.is_complete,
            quiet_until: self.quiet_until.zip(other.quiet_until).map(earlier),
            events: self.events + other.events,
        }
    }
}

/// Threads that run the shards of a network.
pub trait ThreadPool<L: ControllerRegistry> {
    /// Runs all shards up to an instant of a window, or until `go_on` returns false.
    fn run(&mut self, window: u64, until: Time, go_on: &mut dyn FnMut() -> bool) -> StretchOutcome;

    /// Calls `look` with all shards, after all messages have been received.
    fn with_all_shards(&mut self, look: &mut dyn FnMut(&mut [&mut Shard<L>]));
}

/// One thread and its shard.
pub struct SingleThread<'a, L: ControllerRegistry>(pub &'a mut Shard<L>);

impl<L: ControllerRegistry> ThreadPool<L> for SingleThread<'_, L> {
    fn run(&mut self, window: u64, until: Time, go_on: &mut dyn FnMut() -> bool) -> StretchOutcome {
        let is_complete = self.0.run(window, until, go_on);
        self.0.receive_own(0);
        StretchOutcome::of(self.0, is_complete)
    }

    fn with_all_shards(&mut self, look: &mut dyn FnMut(&mut [&mut Shard<L>])) {
        look(&mut [&mut *self.0]);
    }
}

/// The state that leader and workers share. Between two commands the leader can access all shards.
struct PoolState<'a, L: ControllerRegistry> {
    signals: Signals,
    shards: Vec<Mutex<(&'a mut Shard<L>, Option<StretchOutcome>)>>,
    mailboxes: Mailboxes<Inbound>,
}

impl<'a, L: ControllerRegistry> PoolState<'a, L> {
    fn new(shards: &'a mut [Shard<L>]) -> Self {
        let mailboxes = Mailboxes::new(shards.len());
        let shards = shards.iter_mut().map(|shard| Mutex::new((shard, None))).collect();
        Self { signals: Signals::default(), shards, mailboxes }
    }

    /// Runs one shard, after it has received its messages.
    fn run(&self, to: usize, stretch: Stretch, go_on: &mut dyn FnMut() -> bool) {
        let Stretch { number, window, until } = stretch;
        let (shard, outcome) = &mut *lock(&self.shards[to]);
        self.mailboxes.take(number, to, |inbound| shard.receive(inbound));
        let is_complete = shard.run(window, until, go_on);
        *outcome = Some(StretchOutcome::of(shard, is_complete));
        for (other, mailboxes) in shard.workspace.outbound.out.iter_mut().enumerate() {
            self.mailboxes.give(number, to, other, mailboxes);
        }
    }

    fn work(&self, to: usize) {
        let guard = PanicGuard(&self.signals);
        for number in 1.. {
            match self.signals.await_command(number) {
                Command::Run(stretch) => self.run(to, stretch, &mut || self.signals.may_continue()),
                Command::Quit => break,
            }
            self.signals.done();
        }
        std::mem::forget(guard);
    }
}

/// Reports to the leader that its thread has panicked.
struct PanicGuard<'a>(&'a Signals);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        self.0.report_panic();
    }
}

/// The leader of several threads. It also runs the first shard.
struct Leader<'a, 'f, L: ControllerRegistry> {
    threads: &'f PoolState<'a, L>,
    stretches: u64,
    /// Packets of the last stretch, and from how many on the next one is run in parallel.
    events: u64,
    parallel_from: u64,
}

/// Packets of a stretch from which on the next stretch runs in parallel. A barrier costs some ten
/// microseconds, as much as this many packets.
pub const PARALLEL_FROM: u64 = 256;

impl<L: ControllerRegistry> Leader<'_, '_, L> {
    /// Runs each shard on its thread.
    fn run_together(&self, stretch: Stretch, go_on: &mut dyn FnMut() -> bool) {
        let PoolState { signals, shards, .. } = self.threads;
        signals.send(Command::Run(stretch), shards.len() - 1);
        let mut go_on = || {
            let may_continue = signals.may_continue() && go_on();
            if !may_continue {
                signals.stop();
            }
            may_continue
        };
        self.threads.run(0, stretch, &mut go_on);
        signals.await_all(|| {
            go_on();
        });
    }
}

impl<L: ControllerRegistry> ThreadPool<L> for Leader<'_, '_, L> {
    fn run(&mut self, window: u64, until: Time, go_on: &mut dyn FnMut() -> bool) -> StretchOutcome {
        self.stretches += 1;
        let stretch = Stretch { number: self.stretches, window, until };
        if self.events >= self.parallel_from {
            self.run_together(stretch, go_on);
        } else {
            (0..self.threads.shards.len()).for_each(|to| self.threads.run(to, stretch, go_on));
        }
        let outcomes = self.threads.shards.iter().filter_map(|shard| lock(shard).1);
        let outcome = outcomes.reduce(StretchOutcome::and).expect("a shard");
        self.events = outcome.events;
        outcome
    }

    fn with_all_shards(&mut self, look: &mut dyn FnMut(&mut [&mut Shard<L>])) {
        let mut guards: Vec<_> = self.threads.shards.iter().map(lock).collect();
        for (to, guard) in guards.iter_mut().enumerate() {
            self.threads.mailboxes.take(self.stretches + 1, to, |inbound| guard.0.receive(inbound));
        }
        look(&mut guards.iter_mut().map(|guard| &mut *guard.0).collect::<Vec<_>>());
    }
}

impl<L: ControllerRegistry> Drop for Leader<'_, '_, L> {
    /// Ends the workers, also if the leader panics.
    fn drop(&mut self) {
        self.threads.signals.send(Command::Quit, 0);
    }
}

/// Calls `lead` with a pool of one thread per shard. The threads run a stretch in parallel if at least
/// `parallel_from` packets are expected.
pub fn with_thread_pool<L: ControllerRegistry, T>(
    shards: &mut [Shard<L>],
    parallel_from: u64,
    lead: impl FnOnce(&mut dyn ThreadPool<L>) -> T,
) -> T {
    if let [shard] = shards {
        return lead(&mut SingleThread(shard));
    }
    let threads = PoolState::new(shards);
    std::thread::scope(|scope| {
        let mut leader = Leader { threads: &threads, stretches: 0, events: 0, parallel_from };
        for to in 1..threads.shards.len() {
            let threads = &threads;
            scope.spawn(move || threads.work(to));
        }
        let result = lead(&mut leader);
        leader.with_all_shards(&mut |_| ()); // receives all messages
        result
    })
}
