//! A line that gives a discipline and a slow program of it the same arrivals, departures and ticks, and requires
//! the same decisions.

use std::collections::BTreeMap;

use headgate_algos::queue::AnyQueue;
use headgate_model::chance::Stream;
use headgate_model::ecn::Ecn;
use headgate_model::queue::{Arrival, Backlog, Discipline, QueuedPacket, Queues, Verdict};
use headgate_model::units::seconds;

use crate::drive::{Xorshift, values};

/// Time is counted in 2^-20 s, so that differences of seconds are exact.
const UNITS_PER_S: f64 = (1 << 20) as f64;

/// A discipline written without regard to speed.
pub trait SlowQueue {
    /// Decides on an arrival.
    fn arrive(&mut self, now_s: f64, id: u32, arrival: &Arrival) -> Verdict;
    /// Returns the packets that the arrival which was kept last displaces.
    fn overflow(&mut self) -> Vec<u32> {
        Vec::new()
    }
    /// Time before which no packet leaves, seconds.
    fn not_before_s(&self) -> f64 {
        0.0
    }
    /// Returns the packet that leaves and whether it is marked, and those that are dropped.
    fn depart(&mut self, now_s: f64) -> (Option<(u32, bool)>, Vec<u32>);
    /// Updates what ticks update.
    fn update(&mut self, now_s: f64);
    /// The value that the discipline shows as its gauge, if the program knows it.
    fn gauge(&self) -> Option<f64> {
        None
    }
}

/// Builds a discipline by its name.
pub fn build(name: &str, changes: &[(&str, f64)], rate_bytes_s: f64) -> AnyQueue {
    let index = AnyQueue::cards().iter().position(|card| card.name == name).expect("it is registered");
    AnyQueue::build(index, &values(AnyQueue::cards()[index].params, changes), rate_bytes_s)
}

/// Both programs behind one line.
pub struct Line<S> {
    pub fast: AnyQueue,
    pub slow: S,
    chance: Stream,
    rate_bytes_s: f64,
    now: u64,
    free: u64,
    sizes: BTreeMap<u32, u32>,
    /// Marks and drops so far.
    pub seen: (u32, u32),
}

fn at_s(units: u64) -> f64 {
    units as f64 / UNITS_PER_S
}

impl<S: SlowQueue> Line<S> {
    /// Creates an idle line. `chance` is the stream that `slow` uses too.
    pub fn new(fast: AnyQueue, slow: S, chance: Stream, rate_bytes_s: f64) -> Self {
        Self { fast, slow, chance, rate_bytes_s, now: 0, free: 0, sizes: BTreeMap::new(), seen: (0, 0) }
    }

    fn port(&self, now_s: f64) -> Backlog {
        Backlog { now_s, rate_bytes_s: self.rate_bytes_s, ..Backlog::default() }
    }

    /// Lets a random time pass, whose mean is that of 1,000 B over the load.
    pub fn pass(&mut self, load: f64, random: &mut Xorshift) {
        let gap_s = -random.uniform().max(1e-9).ln() * 1000.0 / self.rate_bytes_s / load;
        self.now += (gap_s * UNITS_PER_S) as u64;
        self.catch_up(self.now);
    }

    /// Lets all packets leave.
    pub fn drain(&mut self) {
        while !self.sizes.is_empty() {
            self.catch_up(self.free);
        }
    }

    /// Lets ticks and departures pass that are due before `until`.
    fn catch_up(&mut self, until: u64) {
        loop {
            let tick_s = seconds(self.fast.next_tick());
            let busy = !self.sizes.is_empty();
            if tick_s <= at_s(until) && (!busy || tick_s <= at_s(self.free)) {
                self.fast.on_tick(&self.port(tick_s));
                self.slow.update(tick_s);
                if let Some(due) = self.slow.gauge() {
                    assert_eq!(self.fast.gauge().map(|(_, value)| value), Some(due), "at {tick_s} s");
                }
            } else if busy && self.free <= until {
                self.depart();
            } else {
                return;
            }
        }
    }

    fn depart(&mut self) {
        let (now_s, mut drops) = (at_s(self.free), Vec::new());
        let left = self.fast.dequeue(&self.port(now_s), &mut drops, &mut self.chance);
        assert_eq!((left, drops.clone()), self.slow.depart(now_s), "a departure at {now_s} s");
        self.seen.1 += drops.len() as u32;
        drops.iter().for_each(|id| assert!(self.sizes.remove(id).is_some(), "{id} was not there"));
        if let Some((id, marked)) = left {
            let size = self.sizes.remove(&id).expect("it was there");
            self.seen.0 += u32::from(marked);
            self.free += (f64::from(size) / self.rate_bytes_s * UNITS_PER_S).ceil() as u64;
            let held_s = seconds(self.fast.not_before());
            assert!((held_s - self.slow.not_before_s()).abs() < 1e-9, "{held_s} s after {now_s} s");
            self.free = self.free.max((held_s * UNITS_PER_S).ceil() as u64);
        }
        if self.sizes.is_empty() {
            // a port asks again while its line is idle
            let again = self.fast.dequeue(&self.port(now_s), &mut Vec::new(), &mut self.chance);
            assert_eq!((again, Vec::new()), self.slow.depart(now_s));
        }
    }

    /// Lets a packet arrive.
    pub fn arrive(&mut self, id: u32, arrival: Arrival) {
        let now_s = at_s(self.now);
        let verdict = self.fast.admit(&arrival, &self.port(now_s), &mut self.chance);
        assert_eq!(verdict, self.slow.arrive(now_s, id, &arrival), "an arrival at {now_s} s");
        self.seen.0 += u32::from(verdict == Verdict::Mark);
        if verdict == Verdict::Drop {
            self.seen.1 += 1;
            return;
        }
        let Arrival { size_bytes, flow, ecn, .. } = arrival;
        let ecn = if verdict == Verdict::Mark { Ecn::Ce } else { ecn };
        let packet = QueuedPacket { id, size_bytes, flow, data: true, ecn, since_s: now_s };
        let mut drops = Vec::new();
        self.sizes.insert(id, size_bytes);
        self.fast.enqueue(packet, &self.port(now_s), &mut drops);
        assert_eq!(drops, self.slow.overflow(), "an overflow at {now_s} s");
        drops.iter().for_each(|id| assert!(self.sizes.remove(id).is_some(), "{id} was not there"));
        self.seen.1 += drops.len() as u32;
        self.free = self.free.max(self.now);
    }
}
