//! GCC against a slow program of it in Python: `tests/oracles/gcc_program.py`.
//! `tests/oracles/test_gcc_program.py` makes the same random reports, and compares with the same file.

use headgate_model::ecn::Ecn;

use super::*;

const TARGETS: &str = include_str!("targets.csv");
const SECONDS: u64 = 15;

/// A linear congruential generator of 64 bits.
struct Chance(u64);

impl Chance {
    fn new(seed: u64) -> Self {
        let mut chance = Self(seed);
        for _ in 0..5 {
            chance.draw();
        }
        chance
    }

    fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, bound: u64) -> u64 {
        (bound as f64 * self.draw()) as u64
    }
}

/// A packet; times in microseconds.
#[derive(Clone, Copy)]
struct Packet {
    sequence: u64,
    sent: u64,
    arrived: Option<u64>,
    size: u64,
}

impl Packet {
    fn known_at(&self) -> u64 {
        self.arrived.unwrap_or(self.sent + 100_000)
    }

    fn report(&self) -> PacketReport {
        PacketReport {
            sequence: self.sequence,
            sent_s: self.sent as f64 / 1e6,
            arrived_s: self.arrived.map(|arrived| arrived as f64 / 1e6),
            ecn: Ecn::NotEct,
            size_bytes: self.size as f64,
        }
    }
}

/// Returns the packets of a stream on a link whose rates change.
fn make_packets(sequence: u64) -> Vec<Packet> {
    let mut chance = Chance::new(sequence * 7919 + 1);
    let mut link = 300 + chance.below(3000); // kbit/s
    let queue = 100_000 + chance.below(900_000);
    let loss = if chance.draw() < 0.5 { 0.12 * chance.draw() } else { 0.0 };
    let (mut rate, mut sent, mut free, mut last) = (link, 0, 0u64, 0u64);
    let mut packets = Vec::new();
    while sent < SECONDS * 1_000_000 {
        if chance.draw() < 0.005 {
            rate = link * (50 + chance.below(80)) / 100;
        }
        if chance.draw() < 0.0007 {
            link = 300 + chance.below(3000);
        }
        let size = 200 + chance.below(1000);
        let wait = free.saturating_sub(sent);
        let mut arrived = None;
        if wait <= queue && chance.draw() >= loss {
            free = sent + wait + size * 8000 / link;
            last = last.max(free + 30_000 + chance.below(3000));
            arrived = Some(last);
        }
        packets.push(Packet { sequence: packets.len() as u64, sent, arrived, size });
        if chance.draw() >= 0.3 {
            sent += size * 8000 / rate;
        }
    }
    packets
}

/// Returns the targets at the end of each second, bit/s.
fn compute_targets(sequence: u64) -> Vec<f64> {
    let variant = if sequence % 2 == 1 { Variant::Draft } else { Variant::Webrtc };
    let mut gcc = Gcc::new(Params { variant, probes: false, pacing_factor: 0.0 });
    let stream =
        MediaStream { min_bps: 30e3, max_bps: 20e6, start_bps: 2e6, frame_s: 0.04, packet_bytes: 1200.0 };
    let mut rates = Rates::starting_at(stream.start_bps);
    gcc.on_start(&stream, 0.0, &mut rates);
    let (mut waiting, mut targets) = (make_packets(sequence), Vec::new());
    for now in (50_000..(SECONDS + 1) * 1_000_000).step_by(50_000) {
        let (ready, rest): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|packet| packet.known_at() <= now - 30_000);
        waiting = rest;
        let packets: Vec<PacketReport> = ready.iter().map(Packet::report).collect();
        let sender = SenderQueue { now_s: now as f64 / 1e6, ..SenderQueue::default() };
        let feedback = Feedback { sender, in_flight_before_bytes: 0.0, reported_s: 0.0, packets: &packets };
        gcc.on_feedback(&feedback, &mut rates);
        if now % 1_000_000 == 0 {
            targets.push(rates.target_bps);
        }
    }
    targets
}

#[test]
fn the_slow_program_agrees_over_random_reports() {
    for line in TARGETS.lines() {
        let mut fields = line.split(',');
        let sequence = fields.next().and_then(|field| field.parse().ok()).expect("a number");
        let theirs: Vec<f64> = fields.map(|field| field.parse().expect("a rate")).collect();
        let ours = compute_targets(sequence);
        assert_eq!(ours.len(), theirs.len());
        for (second, (our, their)) in ours.iter().zip(&theirs).enumerate() {
            let differs = (our - their).abs() > 1e-6 * their;
            assert!(!differs, "sequence {sequence}, second {second}: {our} and {their}");
        }
    }
}
