//! DualPI2 by the expectations of picoquic's `dualq_aqm_test.c` (private-octopus/picoquic, MIT licence,
//! commit d199d45b): packets of 1000 B at 10 Mbit/s, of five kinds in turn, and a limit of 25 ms.
//!
//! Its check of the order of arrivals at the other end is that of departures here.

use headgate_algos::queue::AnyQueue;
use headgate_model::chance::Stream;
use headgate_model::ecn::Ecn;
use headgate_model::queue::{Arrival, Backlog, Discipline, HostPair, QueuedPacket, Verdict};

use crate::line::build;

const BYTES: u32 = 1000;
const RATE_BYTES_S: f64 = 1_250_000.0;
const PACKET_S: f64 = BYTES as f64 / RATE_BYTES_S;
const DELAY_S: f64 = 0.025;
/// Kinds in turn; the last two belong to the low-latency queue.
const KINDS: [Ecn; 5] = [Ecn::NotEct, Ecn::Ect0, Ecn::NotEct, Ecn::Ect1, Ecn::Ce];
/// Packets in 29,802 B: 50 ms of buffer less 25 ms of delay, at 838,860 ps for a byte.
const LIMIT: usize = 29;

/// A line with DualPI2; a packet that finds it idle leaves at once.
struct Sender {
    queue: AnyQueue,
    chance: Stream,
    free_s: f64,
    sent: Vec<u32>,
    waiting: usize,
    dropped: usize,
}

impl Sender {
    fn new() -> Self {
        let settings = [
            ("tupdate_s", 0.015),
            ("alpha_hz", 0.15),
            ("beta_hz", 3.0),
            ("ramp_s", 0.0042), // every packet is marked from 5 ms on
            ("min_packets", 2.0),
            ("limit_packets", LIMIT as f64),
        ];
        let queue = build("dualpi2", &settings, RATE_BYTES_S);
        let chance = Stream::new(1, "queue", 0);
        Self { queue, chance, free_s: 0.0, sent: Vec::new(), waiting: 0, dropped: 0 }
    }

    fn port(now_s: f64) -> Backlog {
        Backlog { now_s, rate_bytes_s: RATE_BYTES_S, ..Backlog::default() }
    }

    fn submit(&mut self, id: u32, now_s: f64) {
        let ecn = KINDS[id as usize % KINDS.len()];
        let arrival = Arrival { size_bytes: BYTES, flow: 1, ecn, hosts: HostPair::default(), ack: None };
        if self.queue.admit(&arrival, &Self::port(now_s), &mut self.chance) == Verdict::Drop {
            self.dropped += 1;
            return;
        }
        let packet = QueuedPacket { id, size_bytes: BYTES, flow: 1, data: true, ecn, since_s: now_s };
        self.queue.enqueue(packet, &Self::port(now_s), &mut Vec::new());
        self.waiting += 1;
        if self.free_s <= now_s {
            self.depart(now_s);
        }
    }

    fn depart(&mut self, now_s: f64) {
        let mut drops = Vec::new();
        let next = self.queue.dequeue(&Self::port(now_s), &mut drops, &mut self.chance);
        self.dropped += drops.len();
        self.waiting -= drops.len();
        if let Some((id, _)) = next {
            self.sent.push(id);
            self.waiting -= 1;
            self.free_s = now_s + PACKET_S;
        }
    }

    /// Lets packets leave that are due before a time.
    fn pass(&mut self, until_s: f64) {
        while self.waiting > 0 && self.free_s <= until_s {
            self.depart(self.free_s);
        }
    }

    /// The packets that left of the low-latency queue, or of the classic one.
    fn left(&self, low: bool) -> Vec<u32> {
        self.sent.iter().copied().filter(|id| (*id as usize % KINDS.len() >= 3) == low).collect()
    }
}

#[test]
fn ect1_and_ce_join_the_low_latency_queue_and_all_others_the_classic_one_in_order() {
    let mut sender = Sender::new();
    (0..5).for_each(|id| sender.submit(id, 0.0));
    sender.pass(0.1);
    assert_eq!((sender.left(false), sender.left(true)), (vec![0, 1, 2], vec![3, 4]));
    let counts = sender.queue.two_queues().expect("two queues");
    assert_eq!((counts.classic.sent, counts.low.sent, sender.waiting), (3, 2, 0));
    assert!(sender.free_s <= 0.1);
}

#[test]
fn the_first_leaves_at_once_and_what_exceeds_the_limit_is_dropped() {
    let mut sender = Sender::new();
    for id in 0..50 {
        sender.submit(id, 0.0);
        let expected = (id as usize).min(LIMIT);
        assert_eq!((sender.waiting, sender.dropped), (expected, id as usize - expected));
    }
    assert_eq!(sender.sent, [0]);
}

#[test]
fn a_hundred_packets_in_bursts_of_seven_arrive_or_are_dropped_in_125_ms() {
    let (mut sender, mut burst_s, mut now_s) = (Sender::new(), 0.0, 0.0);
    for id in 0..100 {
        now_s = f64::max(now_s, burst_s);
        sender.pass(now_s);
        while sender.waiting >= LIMIT {
            now_s = sender.free_s; // picoquic's test waits for room
            sender.pass(now_s);
        }
        sender.submit(id, now_s);
        if id % 7 == 6 {
            burst_s += 0.004;
        }
    }
    sender.pass(1.0);
    assert_eq!(sender.sent.len() + sender.dropped, 100);
    assert!(sender.left(true).is_sorted() && sender.left(false).is_sorted());
    // 100 packets take 80 ms
    assert!(sender.free_s + DELAY_S <= 0.125, "{}", sender.free_s);
}
