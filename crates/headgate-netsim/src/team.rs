//! Who runs the shards of a network: one thread, or several with a leader among them.

use headgate_model::control::ControllerRegistry;
use headgate_model::units::Time;

use crate::mail::Mail;
use crate::shard::Shard;
use crate::sync::{Command, Mailboxes, Mutex, Signals, Stretch, lock};

/// How a stretch of a window went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Everything up to its end has happened.
    pub whole: bool,
    /// When a timer goes off next, if nothing else is to come.
    pub silent_until: Option<Time>,
    /// Packets that were handled.
    events: u64,
}

impl Outcome {
    fn of<L: ControllerRegistry>(shard: &Shard<L>, whole: bool) -> Self {
        Self { whole, silent_until: shard.silent_until(), events: shard.events() }
    }

    fn and(self, other: Self) -> Self {
        let earlier = |(one, other): (Time, Time)| one.min(other);
        Self {
            whole: self.whole && other.whole,
            silent_until: self.silent_until.zip(other.silent_until).map(earlier),
            events: self.events + other.events,
        }
    }
}

pub trait Team<L: ControllerRegistry> {
    /// Runs all shards up to an instant of a window, until `go_on` says no.
    fn run(&mut self, window: u64, until: Time, go_on: &mut dyn FnMut() -> bool) -> Outcome;

    /// Shows all shards, whose mail has arrived.
    fn show(&mut self, look: &mut dyn FnMut(&mut [&mut Shard<L>]));
}

/// One thread.
pub struct SingleThread<'a, L: ControllerRegistry>(pub &'a mut Shard<L>);

impl<L: ControllerRegistry> Team<L> for SingleThread<'_, L> {
    fn run(&mut self, window: u64, until: Time, go_on: &mut dyn FnMut() -> bool) -> Outcome {
        let whole = self.0.run(window, until, go_on);
        self.0.receive_own(0);
        Outcome::of(self.0, whole)
    }

    fn show(&mut self, look: &mut dyn FnMut(&mut [&mut Shard<L>])) {
        look(&mut [&mut *self.0]);
    }
}

/// What leader and workers share. Between two commands the leader has access to all shards.
struct Threads<'a, L: ControllerRegistry> {
    signals: Signals,
    shards: Vec<Mutex<(&'a mut Shard<L>, Option<Outcome>)>>,
    mail: Mailboxes<Mail>,
}

impl<'a, L: ControllerRegistry> Threads<'a, L> {
    fn new(shards: &'a mut [Shard<L>]) -> Self {
        let mail = Mailboxes::new(shards.len());
        let shards = shards.iter_mut().map(|shard| Mutex::new((shard, None))).collect();
        Self { signals: Signals::default(), shards, mail }
    }

    /// Runs a shard.
    fn run(&self, to: usize, stretch: Stretch, go_on: &mut dyn FnMut() -> bool) {
        let Stretch { number, window, until } = stretch;
        let (shard, outcome) = &mut *lock(&self.shards[to]);
        self.mail.take(number, to, |mail| shard.receive(mail));
        let whole = shard.run(window, until, go_on);
        *outcome = Some(Outcome::of(shard, whole));
        for (other, mail) in shard.space.post.out.iter_mut().enumerate() {
            self.mail.give(number, to, other, mail);
        }
    }

    fn work(&self, to: usize) {
        let aqm = PanicGuard(&self.signals);
        for number in 1.. {
            match self.signals.await_command(number) {
                Command::Run(stretch) => self.run(to, stretch, &mut || self.signals.goes_on()),
                Command::Quit => break,
            }
            self.signals.done();
        }
        std::mem::forget(aqm);
    }
}

/// Lets the leader know that its thread has panicked.
struct PanicGuard<'a>(&'a Signals);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        self.0.report_panic();
    }
}

/// The leader of several threads, which runs the first shard.
struct Leader<'a, 'f, L: ControllerRegistry> {
    threads: &'f Threads<'a, L>,
    stretches: u64,
    /// Packets of the last stretch, and from how many on the next one is run in parallel.
    events: u64,
    parallel_from: u64,
}

/// Packets of a stretch from which on the threads run it in parallel: a barrier costs some ten microseconds, as much as
/// so many packets.
pub const PARALLEL_FROM: u64 = 256;

impl<L: ControllerRegistry> Leader<'_, '_, L> {
    /// Every thread runs its shard.
    fn run_together(&self, stretch: Stretch, go_on: &mut dyn FnMut() -> bool) {
        let Threads { signals, shards, .. } = self.threads;
        signals.send(Command::Run(stretch), shards.len() - 1);
        let mut go_on = || {
            let goes_on = signals.goes_on() && go_on();
            if !goes_on {
                signals.stop();
            }
            goes_on
        };
        self.threads.run(0, stretch, &mut go_on);
        signals.await_all(|| {
            go_on();
        });
    }
}

impl<L: ControllerRegistry> Team<L> for Leader<'_, '_, L> {
    fn run(&mut self, window: u64, until: Time, go_on: &mut dyn FnMut() -> bool) -> Outcome {
        self.stretches += 1;
        let stretch = Stretch { number: self.stretches, window, until };
        if self.events >= self.parallel_from {
            self.run_together(stretch, go_on);
        } else {
            (0..self.threads.shards.len()).for_each(|to| self.threads.run(to, stretch, go_on));
        }
        let outcomes = self.threads.shards.iter().filter_map(|shard| lock(shard).1);
        let outcome = outcomes.reduce(Outcome::and).expect("a shard");
        self.events = outcome.events;
        outcome
    }

    fn show(&mut self, look: &mut dyn FnMut(&mut [&mut Shard<L>])) {
        let mut guards: Vec<_> = self.threads.shards.iter().map(lock).collect();
        for (to, aqm) in guards.iter_mut().enumerate() {
            self.threads.mail.take(self.stretches + 1, to, |mail| aqm.0.receive(mail));
        }
        look(&mut guards.iter_mut().map(|aqm| &mut *aqm.0).collect::<Vec<_>>());
    }
}

impl<L: ControllerRegistry> Drop for Leader<'_, '_, L> {
    /// No worker waits for a command that never comes, also where the leader panics.
    fn drop(&mut self) {
        self.threads.signals.send(Command::Quit, 0);
    }
}

/// Lets `lead` have a team of as many threads as there are shards, which work together where that many packets
/// are to be expected.
pub fn with_team<L: ControllerRegistry, T>(
    shards: &mut [Shard<L>],
    parallel_from: u64,
    lead: impl FnOnce(&mut dyn Team<L>) -> T,
) -> T {
    if let [shard] = shards {
        return lead(&mut SingleThread(shard));
    }
    let threads = Threads::new(shards);
    std::thread::scope(|scope| {
        let mut leader = Leader { threads: &threads, stretches: 0, events: 0, parallel_from };
        for to in 1..threads.shards.len() {
            let threads = &threads;
            scope.spawn(move || threads.work(to));
        }
        let result = lead(&mut leader);
        leader.show(&mut |_| ()); // all mail has arrived
        result
    })
}
