//! The whole range of every parameter of disciplines and routers, at a port with arbitrary traffic.

use std::collections::BTreeMap;

use headgate_algos::queue::AnyQueue;
use headgate_algos::scheme::AnyRouter;
use headgate_algos::scheme::{rcp, vcp, xcp};
use headgate_model::chance::Stream;
use headgate_model::ecn::Ecn;
use headgate_model::feedback::{Feedback, PassingPacket, Routers, Words};
use headgate_model::queue::{Arrival, Backlog, Discipline, HostPair, QueuedPacket, Queues, Verdict};
use headgate_model::units::{SECOND, Time, seconds};

use crate::drive::Xorshift;
use crate::ranges::{any_values, seed};

const SETS: u64 = 100;
const EVENTS: u32 = 400;

/// Time in which a device with two timers requests at most two ticks, picoseconds.
const SHORTEST: Time = SECOND / 1_000_000;

/// A line and its waiting packets, by number.
struct Yard {
    now: Time,
    rate_bytes_s: f64,
    busy_until: Time,
    waiting: BTreeMap<u32, QueuedPacket>,
    next_id: u32,
}

impl Yard {
    fn new(random: &mut Xorshift) -> Self {
        let rate_bytes_s = random.log_uniform(0.125, 1.25e13);
        Self { now: 0, rate_bytes_s, busy_until: 0, waiting: BTreeMap::new(), next_id: 0 }
    }

    fn backlog(&self) -> Backlog {
        let held_bytes: f64 = self.waiting.values().map(|packet| f64::from(packet.size_bytes)).sum();
        let rest = seconds(self.busy_until.saturating_sub(self.now));
        let (packets, busy) = (self.waiting.len() as f64, f64::from(u8::from(self.busy_until > self.now)));
        Backlog {
            now_s: seconds(self.now),
            packets,
            present: packets + busy,
            bytes: held_bytes + rest * self.rate_bytes_s,
            held_bytes,
            wait_s: rest + held_bytes / self.rate_bytes_s,
            idle_s: seconds(self.now.saturating_sub(self.busy_until)),
            rate_bytes_s: self.rate_bytes_s,
        }
    }

    /// Lets time pass: none, some packets of this line, or a long silence.
    fn pass(&mut self, random: &mut Xorshift) {
        let packet = 1500.0 / self.rate_bytes_s;
        let span_s = random.one_of(&[0.0, 0.1 * packet, packet, 100.0 * packet, 0.1, 10.0]).min(1e5);
        self.now += (span_s * SECOND as f64) as Time;
    }

    fn queued(&mut self, random: &mut Xorshift) -> QueuedPacket {
        self.next_id += 1;
        QueuedPacket {
            id: self.next_id,
            size_bytes: random.one_of(&[1, 40, 1500, 65_535]),
            flow: random.below(3),
            data: random.chance(0.5),
            ecn: random.one_of(&Ecn::ALL),
            since_s: seconds(self.now),
        }
    }

    /// Removes dropped packets from the waiting ones, among which each of them was.
    fn drop_all(&mut self, drops: &mut Vec<u32>) {
        for id in drops.drain(..) {
            assert!(self.waiting.remove(&id).is_some(), "{id} does not wait");
        }
    }

    fn begins(&mut self, packet: &QueuedPacket) {
        let span_s = f64::from(packet.size_bytes) / self.rate_bytes_s;
        self.busy_until = self.now.saturating_add((span_s * SECOND as f64) as Time);
    }
}

/// Delivers the due ticks, a few at most, each later than the last but one.
fn tick<T>(
    device: &mut T,
    yard: &Yard,
    next: impl Fn(&T) -> Time,
    act: impl Fn(&mut T, &Backlog),
) -> Result<(), String> {
    for _ in 0..10 {
        let due = next(device);
        if due > yard.now {
            return Ok(());
        }
        act(device, &yard.backlog());
        if next(device) <= yard.now {
            act(device, &yard.backlog());
        }
        let span = next(device).saturating_sub(due);
        if span < SHORTEST {
            return Err(format!("two ticks from {due} ps take it {span} ps on"));
        }
    }
    Ok(())
}

/// Gives a discipline an arrival and, if the line is free, a departure.
fn serve(queue: &mut AnyQueue, yard: &mut Yard, chance: &mut Stream, random: &mut Xorshift) {
    let (packet, mut drops) = (yard.queued(random), Vec::new());
    if random.chance(0.1) && queue.make_room(&yard.backlog(), &mut drops) {
        assert!(!drops.is_empty(), "room was made of nothing");
        yard.drop_all(&mut drops);
    }
    let QueuedPacket { size_bytes, flow, ecn, .. } = packet;
    let verdict = queue.admit(
        &Arrival { size_bytes, flow, ecn, hosts: HostPair::default(), ack: None },
        &yard.backlog(),
        chance,
    );
    assert!(verdict != Verdict::Mark || ecn.is_capable(), "a packet was marked that cannot be");
    if verdict != Verdict::Drop {
        yard.waiting.insert(packet.id, packet);
        if queue.has_dequeue() {
            let before = yard.backlog();
            queue.enqueue(packet, &before, &mut drops);
            yard.drop_all(&mut drops);
        }
    }
    while yard.busy_until <= yard.now && !yard.waiting.is_empty() {
        depart(queue, yard, &mut drops, chance);
    }
}

fn depart(queue: &mut AnyQueue, yard: &mut Yard, drops: &mut Vec<u32>, chance: &mut Stream) {
    let first = yard.waiting.keys().next().copied();
    let (id, _) = if queue.has_dequeue() {
        let left = queue.dequeue(&yard.backlog(), drops, chance);
        yard.drop_all(drops);
        let Some(left) = left else {
            assert!(yard.waiting.is_empty(), "{} wait, and none leaves", yard.waiting.len());
            return;
        };
        left
    } else {
        (first.expect("one waits"), false)
    };
    let packet = yard.waiting.remove(&id).expect("what leaves has waited");
    yard.begins(&packet);
}

fn shows(gauge: Option<(&'static str, f64)>) -> Result<(), String> {
    gauge
        .filter(|(_, value)| !value.is_finite())
        .map_or(Ok(()), |(name, value)| Err(format!("{name} {value}")))
}

fn fault_of_queue(index: usize, set: u64) -> Option<String> {
    let mut random = Xorshift(seed(index + 100, set));
    let values = any_values(AnyQueue::cards()[index].params, &mut random);
    let mut yard = Yard::new(&mut random);
    let mut queue = AnyQueue::build(index, &values, yard.rate_bytes_s);
    let mut chance = Stream::new(set, "queue", 0);
    for event in 0..EVENTS {
        yard.pass(&mut random);
        let ticked = tick(&mut queue, &yard, AnyQueue::next_tick, AnyQueue::on_tick);
        serve(&mut queue, &mut yard, &mut chance, &mut random);
        if let Err(message) = ticked.and_then(|()| shows(queue.gauge())) {
            return Some(format!("set {set} {values:?}, event {event}: {message} {queue:?}"));
        }
    }
    None
}

#[test]
fn no_discipline_leaves_its_bounds_within_the_ranges_of_its_parameters() {
    let first = |index| (0..SETS).find_map(|set| fault_of_queue(index, set));
    let all: Vec<_> = (0..AnyQueue::cards().len()).filter_map(first).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Writes a header that a router could have written, for the senders.
pub fn write_any(scheme: u8, words: &mut Words, random: &mut Xorshift) {
    let index = (0..AnyRouter::cards().len()).find(|&index| build(index, random).0.scheme() == scheme);
    let (mut router, yard) = build(index.expect("a scheme has a router"), random);
    let data = PassingPacket { size_bytes: 1500, data: true, ecn: Ecn::NotEct };
    router.on_arrival(&data, Some(words), &yard.backlog());
    router.on_tick(&yard.backlog());
    router.on_departure(&data, Some(words), &yard.backlog());
}

fn build(index: usize, random: &mut Xorshift) -> (AnyRouter, Yard) {
    let values = any_values(AnyRouter::cards()[index].params, random);
    let yard = Yard::new(random);
    (AnyRouter::build(index, &values, yard.rate_bytes_s, Stream::new(random.next(), "feedback", 0)), yard)
}

/// A header that its scheme's sender could write.
fn header(name: &str, random: &mut Xorshift) -> Words {
    let rtt_s = if random.chance(0.1) { 0.0 } else { random.log_uniform(1e-7, 1e3) };
    let mut words = Words::default();
    match name {
        "rcp" => (words[rcp::word::RATE], words[rcp::word::RTT]) = (f64::INFINITY, rtt_s),
        "vcp" => words[vcp::word::FORMAT] = random.below(3) as f64,
        _ => {
            words[xcp::word::SPACING] = random.log_uniform(1e-3, 1e3) * rtt_s / random.log_uniform(1.0, 1e9);
            (words[xcp::word::RTT], words[xcp::word::CHANGE]) = (rtt_s, f64::INFINITY);
        }
    }
    words
}

/// Whether a router's header satisfies the scheme's guarantees.
fn is_told(name: &str, words: &Words, line: f64) -> bool {
    match name {
        "rcp" => words[rcp::word::RATE] > 0.0 && words[rcp::word::RATE] <= line,
        "vcp" => words[vcp::word::LOAD] > 0.0 && words[vcp::word::LOAD].is_finite(),
        _ => words[xcp::word::CHANGE].is_finite(),
    }
}

/// Passes a packet through a router, and returns its header if it carried a request.
fn pass(router: &mut AnyRouter, yard: &mut Yard, name: &str, random: &mut Xorshift) -> Option<Words> {
    let (queued, mut words) = (yard.queued(random), header(name, random));
    let packet = PassingPacket { size_bytes: queued.size_bytes, data: true, ecn: Ecn::NotEct };
    let with_header = random.chance(0.9);
    router.on_arrival(&packet, with_header.then_some(&words), &yard.backlog());
    yard.waiting.insert(queued.id, queued);
    while yard.busy_until <= yard.now
        && let Some((_, queued)) = yard.waiting.pop_first()
    {
        yard.begins(&queued);
    }
    router.on_departure(&packet, with_header.then_some(&mut words), &yard.backlog());
    with_header.then_some(words)
}

fn fault_of_router(index: usize, set: u64) -> Option<String> {
    let mut random = Xorshift(seed(index + 200, set));
    let (mut router, mut yard) = build(index, &mut random);
    let name = AnyRouter::cards()[index].name;
    for event in 0..EVENTS {
        yard.pass(&mut random);
        let ticked = tick(&mut router, &yard, AnyRouter::next_tick, AnyRouter::on_tick);
        let told = pass(&mut router, &mut yard, name, &mut random);
        let fine = told.is_none_or(|words| is_told(name, &words, yard.rate_bytes_s));
        let shown = ticked.and_then(|()| shows(router.gauge()));
        if !fine || shown.is_err() {
            return Some(format!("{name}, set {set}, event {event}: {shown:?} {told:?} {router:?}"));
        }
    }
    None
}

#[test]
fn no_router_leaves_its_bounds_within_the_ranges_of_its_parameters() {
    let first = |index| (0..SETS).find_map(|set| fault_of_router(index, set));
    let all: Vec<_> = (0..AnyRouter::cards().len()).filter_map(first).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}
