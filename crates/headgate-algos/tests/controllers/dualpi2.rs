//! DualPI2 against the slow program, and its invariants under any traffic.

use std::collections::BTreeMap;

use headgate_algos::queue::AnyQueue;
use headgate_model::chance::Stream;
use headgate_model::ecn::Ecn;
use headgate_model::queue::{Arrival, Backlog, Discipline, HostPair, QueuedPacket, Verdict};
use headgate_model::units::seconds;

use crate::drive::Xorshift;
use crate::dualpi2_slow::{Settings, Slow};
use crate::line::{Line, build};
use crate::ranges::seed;

const PACKETS: u32 = 500;
const SEQUENCES: u64 = if cfg!(miri) { 2 } else { 1000 };

/// Settings of both programs: as names and values, and as the slow program takes them.
fn any_settings(
    linux: bool,
    rate_bytes_s: f64,
    random: &mut Xorshift,
) -> (Vec<(&'static str, f64)>, Settings) {
    let word = |on: bool| f64::from(u8::from(on));
    let shifted = random.chance(0.2).then(|| random.one_of(&[0.0, 0.0005, 0.03]));
    let limit = random.chance(0.3).then(|| random.one_of(&[1, 5, 40]));
    let share = random.one_of(&[0, 100, 2_500, 5_000, 10_000]);
    let pi_wait = random.below(3) as f64;
    let th_len = random.one_of(&[0, 0, 2, 5]);
    let (step, ramp) = (random.one_of(&[0.0, 0.001, 0.004]), random.one_of(&[0.0, 0.0004, 0.02]));
    let (target, k) = (random.one_of(&[0.0, 0.005, 0.015]), random.one_of(&[1.0, 2.0, 2.0, 3.0, 8.0]));
    let gains = random.one_of(&[(0.0, 0.0), (2.0, 20.0)]);
    let on = [random.chance(0.7), random.chance(0.3), random.chance(0.2)];
    let set = Settings {
        linux,
        target_s: target,
        alpha: if gains.0 > 0.0 { gains.0 } else { [0.16, 41.0 / 256.0][usize::from(linux)] },
        beta: if gains.1 > 0.0 { gains.1 } else { [3.2, 819.0 / 256.0][usize::from(linux)] },
        k,
        step_s: step,
        min_th_s: 0.0008,
        range_s: ramp,
        th_len: if th_len == 0 { usize::from(!linux) } else { th_len },
        classic_share: if share == 0 { [625, 1000][usize::from(linux)] } else { share },
        shift_s: shifted.map(|shift_s| if shift_s == 0.0 { 2.0 * target } else { shift_s }),
        limit_packets: limit.or(linux.then_some(10_000)),
        limit_bytes: (rate_bytes_s * 0.25).max(3028.0),
        any_ect: on[2],
        drop_on_overload: on[0],
        early: on[1],
        larger: if pi_wait == 0.0 { linux } else { pi_wait == 2.0 },
    };
    let changes = vec![
        ("variant", word(linux)),
        ("target_s", target),
        ("alpha_hz", gains.0),
        ("beta_hz", gains.1),
        ("coupling", k),
        ("step_s", step),
        ("ramp_s", ramp),
        ("min_packets", th_len as f64),
        ("classifier", word(on[2])),
        ("scheduler", word(shifted.is_some())),
        ("classic_protection", share as f64 / 10_000.0),
        ("time_shift_s", shifted.unwrap_or_default()),
        ("limit_packets", limit.unwrap_or_default() as f64),
        ("drop_on_overload", word(!on[0])),
        ("drop_at", word(on[1])),
        ("pi_wait", pi_wait),
    ];
    (changes, set)
}

fn line(linux: bool, set: u64, random: &mut Xorshift) -> Line<Slow> {
    let rate_bytes_s = random.log_uniform(1e5, 5e6);
    let (changes, settings) = any_settings(linux, rate_bytes_s, random);
    let chance = Stream::new(set, "queue", 0);
    let slow = Slow::new(settings, chance.clone());
    Line::new(build("dualpi2", &changes, rate_bytes_s), slow, chance, rate_bytes_s)
}

/// Runs one sequence through both programs, and returns the marks and drops.
fn compare(linux: bool, set: u64) -> (u32, u32) {
    let mut random = Xorshift(seed(usize::from(linux) + 700, set));
    let mut line = line(linux, set, &mut random);
    let (mut load, mut low) = (1.0, 0.5);
    for id in 0..PACKETS {
        if id % 100 == 0 {
            (load, low) = (random.one_of(&[0.5, 1.0, 1.5, 4.0]), random.one_of(&[0.0, 0.1, 0.5, 1.0]));
        }
        line.pass(load, &mut random);
        let size_bytes = random.one_of(&[40, 500, 1500, 1500, 1514]);
        let of_low = random.chance(low);
        let ecn = random.one_of(if of_low {
            &[Ecn::Ect1, Ecn::Ect1, Ecn::Ce]
        } else {
            &[Ecn::NotEct, Ecn::Ect0, Ecn::NotEct]
        });
        line.arrive(id, Arrival { size_bytes, flow: 1, ecn, hosts: HostPair::default(), ack: None });
    }
    line.drain();
    line.seen
}

/// Compares a variant over all sequences. Marks and drops are frequent in them, so that equality means something.
fn compare_all(linux: bool) {
    let mut all = (0, 0);
    for set in 0..SEQUENCES {
        let seen = compare(linux, set);
        all = (all.0 + seen.0, all.1 + seen.1);
    }
    let packets = SEQUENCES as u32 * PACKETS;
    assert!(cfg!(miri) || (all.0 > packets / 20 && all.1 > packets / 50), "{all:?} of {packets}");
}

#[test]
fn rfc_marks_and_drops_as_the_slow_program() {
    compare_all(false);
}

#[test]
fn linux_marks_and_drops_as_the_slow_program() {
    compare_all(true);
}

/// A queue whose packets of both kinds have random sizes, and the bytes that each kind sends.
struct Filled {
    queue: AnyQueue,
    chance: Stream,
    random: Xorshift,
    ids: u32,
    waiting: BTreeMap<u32, (Ecn, u32)>,
}

impl Filled {
    fn new(changes: &[(&str, f64)], set: u64) -> Self {
        let queue = build("dualpi2", changes, 5e6);
        let (random, chance) = (Xorshift(seed(900, set)), Stream::new(set, "queue", 0));
        Self { queue, chance, random, ids: 0, waiting: BTreeMap::new() }
    }

    fn put(&mut self, ecn: Ecn, now_s: f64) {
        let (id, size_bytes) = (self.ids, self.random.one_of(&[40, 700, 1500]));
        let port = Backlog { now_s, ..Backlog::default() };
        let verdict = self.queue.admit(
            &Arrival { size_bytes, flow: 1, ecn, hosts: HostPair::default(), ack: None },
            &port,
            &mut self.chance,
        );
        assert_ne!(verdict, Verdict::Drop);
        let packet = QueuedPacket { id, size_bytes, flow: 1, data: true, ecn, since_s: now_s };
        self.queue.enqueue(packet, &port, &mut Vec::new());
        self.waiting.insert(id, (ecn, size_bytes));
        self.ids += 1;
    }

    /// Sends a packet, and returns its kind and size and those of the dropped ones.
    fn send(&mut self, now_s: f64) -> (Option<(Ecn, u32)>, Vec<Ecn>) {
        let mut drops = Vec::new();
        let left = self.queue.dequeue(&Backlog { now_s, ..Backlog::default() }, &mut drops, &mut self.chance);
        let dropped = drops.iter().map(|id| self.waiting.remove(id).expect("it waited").0).collect();
        (left.map(|(id, _)| self.waiting.remove(&id).expect("it waited")), dropped)
    }

    fn probability(&self) -> f64 {
        self.queue.gauge().expect("it shows its probability").1
    }
}

#[test]
fn the_classic_queue_sends_its_share_and_no_more() {
    for (set, (variant, protection, due)) in
        [(0.0, 0.0, 1.0 / 16.0), (1.0, 0.0, 0.1), (0.0, 0.5, 0.5), (1.0, 0.25, 0.25)].into_iter().enumerate()
    {
        let changes = [("variant", variant), ("classic_protection", protection), ("step_s", 100.0)];
        let mut filled = Filled::new(&changes, set as u64);
        let (mut classic, mut all) = (0.0, 0.0);
        for _ in 0..50 {
            filled.put(Ecn::Ect1, 0.0);
            filled.put(Ecn::Ect0, 0.0);
        }
        for _ in 0..5000 {
            let (Some((ecn, size)), _) = filled.send(0.0) else { panic!("packets wait") };
            filled.put(ecn, 0.0); // both queues always have packets
            classic += if ecn == Ecn::Ect0 { f64::from(size) } else { 0.0 };
            all += f64::from(size);
            // the credit begins with a frame and exceeds 0 by a packet at most
            assert!((classic - due * all).abs() <= 1514.0 + 1500.0, "{classic} of {all}");
        }
    }
}

#[test]
fn packets_leave_or_are_dropped_once_and_those_of_the_low_queue_only_at_overload() {
    for set in 0..if cfg!(miri) { 2 } else { 200 } {
        let variant = (set % 2) as f64;
        let mut filled = Filled::new(&[("variant", variant), ("limit_packets", 1e12)], set);
        let (mut now_s, mut gone, mut overloaded) = (0.0, 0, 0);
        for _ in 0..400 {
            now_s += 0.002 * filled.random.uniform();
            while filled.queue.next_tick() as f64 / 1e12 <= now_s {
                let at_s = seconds(filled.queue.next_tick());
                filled.queue.on_tick(&Backlog { now_s: at_s, ..Backlog::default() });
            }
            for _ in 0..filled.random.below(4) {
                let ecn = filled.random.one_of(&Ecn::ALL);
                filled.put(ecn, now_s);
            }
            let (left, dropped) = filled.send(now_s);
            let low = dropped.iter().filter(|ecn| matches!(ecn, Ecn::Ect1 | Ecn::Ce)).count();
            assert!(low == 0 || 2.0 * filled.probability() >= 1.0, "{low} at {}", filled.probability());
            gone += dropped.len() + usize::from(left.is_some());
            overloaded += low;
        }
        assert_eq!(gone + filled.waiting.len(), filled.ids as usize);
        let counts = filled.queue.two_queues().expect("it has two queues");
        assert_eq!((counts.low.drops, counts.low.sent + counts.classic.sent + counts.classic.drops), {
            (overloaded as u64, (gone - overloaded) as u64)
        });
    }
}
