//! Who runs the shards of a network: one thread, or several with a leader among them.

use headgate_model::control::Registry;
use headgate_model::units::Time;

use crate::mail::Mail;
use crate::shard::Shard;
use crate::sync::{Exchange, Mutex, Order, Signals, Stretch, lock};

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
    fn of<L: Registry>(shard: &Shard<L>, whole: bool) -> Self {
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

pub trait Team<L: Registry> {
    /// Runs all shards up to an instant of a window, until `go_on` says no.
    fn run(&mut self, window: u64, until: Time, go_on: &mut dyn FnMut() -> bool) -> Outcome;

    /// Shows all shards, whose mail has arrived.
    fn show(&mut self, look: &mut dyn FnMut(&mut [&mut Shard<L>]));
}

/// One thread.
pub struct Alone<'a, L: Registry>(pub &'a mut Shard<L>);

impl<L: Registry> Team<L> for Alone<'_, L> {
    fn run(&mut self, window: u64, until: Time, go_on: &mut dyn FnMut() -> bool) -> Outcome {
        let whole = self.0.run(window, until, go_on);
        self.0.receive_own(0);
        Outcome::of(self.0, whole)
    }

    fn show(&mut self, look: &mut dyn FnMut(&mut [&mut Shard<L>])) {
        look(&mut [&mut *self.0]);
    }
}

/// What leader and workers share. While no order is carried out, the leader may look at everything.
struct Floor<'a, L: Registry> {
    signals: Signals,
    shards: Vec<Mutex<(&'a mut Shard<L>, Option<Outcome>)>>,
    mail: Exchange<Mail>,
}

impl<'a, L: Registry> Floor<'a, L> {
    fn new(shards: &'a mut [Shard<L>]) -> Self {
        let mail = Exchange::new(shards.len());
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
        let guard = BreakOff(&self.signals);
        for number in 1.. {
            match self.signals.await_order(number) {
                Order::Run(stretch) => self.run(to, stretch, &mut || self.signals.goes_on()),
                Order::Quit => break,
            }
            self.signals.done();
        }
        std::mem::forget(guard);
    }
}

/// Lets the leader know that its thread has panicked.
struct BreakOff<'a>(&'a Signals);

impl Drop for BreakOff<'_> {
    fn drop(&mut self) {
        self.0.break_off();
    }
}

/// The leader of several threads, which runs the first shard.
struct Leader<'a, 'f, L: Registry> {
    floor: &'f Floor<'a, L>,
    stretches: u64,
    /// Packets of the last stretch, and for how many it pays to wake the others.
    events: u64,
    enough: u64,
}

/// To let others run costs some ten microseconds, as much as so many packets.
pub const ENOUGH: u64 = 256;

impl<L: Registry> Leader<'_, '_, L> {
    /// Every thread runs its shard.
    fn run_together(&self, stretch: Stretch, go_on: &mut dyn FnMut() -> bool) {
        let Floor { signals, shards, .. } = self.floor;
        signals.order(Order::Run(stretch), shards.len() - 1);
        let mut go_on = || {
            let goes_on = signals.goes_on() && go_on();
            if !goes_on {
                signals.stop();
            }
            goes_on
        };
        self.floor.run(0, stretch, &mut go_on);
        signals.await_all(|| {
            go_on();
        });
    }
}

impl<L: Registry> Team<L> for Leader<'_, '_, L> {
    fn run(&mut self, window: u64, until: Time, go_on: &mut dyn FnMut() -> bool) -> Outcome {
        self.stretches += 1;
        let stretch = Stretch { number: self.stretches, window, until };
        if self.events >= self.enough {
            self.run_together(stretch, go_on);
        } else {
            (0..self.floor.shards.len()).for_each(|to| self.floor.run(to, stretch, go_on));
        }
        let outcomes = self.floor.shards.iter().filter_map(|shard| lock(shard).1);
        let outcome = outcomes.reduce(Outcome::and).expect("a shard");
        self.events = outcome.events;
        outcome
    }

    fn show(&mut self, look: &mut dyn FnMut(&mut [&mut Shard<L>])) {
        let mut guards: Vec<_> = self.floor.shards.iter().map(lock).collect();
        for (to, guard) in guards.iter_mut().enumerate() {
            self.floor.mail.take(self.stretches + 1, to, |mail| guard.0.receive(mail));
        }
        look(&mut guards.iter_mut().map(|guard| &mut *guard.0).collect::<Vec<_>>());
    }
}

impl<L: Registry> Drop for Leader<'_, '_, L> {
    /// No worker waits for an order that never comes, also where the leader panics.
    fn drop(&mut self) {
        self.floor.signals.order(Order::Quit, 0);
    }
}

/// Lets `lead` have a team of as many threads as there are shards, which work together where that many packets
/// are to be expected.
pub fn with_team<L: Registry, T>(
    shards: &mut [Shard<L>],
    enough: u64,
    lead: impl FnOnce(&mut dyn Team<L>) -> T,
) -> T {
    if let [shard] = shards {
        return lead(&mut Alone(shard));
    }
    let floor = Floor::new(shards);
    std::thread::scope(|scope| {
        let mut leader = Leader { floor: &floor, stretches: 0, events: 0, enough };
        for to in 1..floor.shards.len() {
            let floor = &floor;
            scope.spawn(move || floor.work(to));
        }
        let result = lead(&mut leader);
        leader.show(&mut |_| ()); // all mail has arrived
        result
    })
}
