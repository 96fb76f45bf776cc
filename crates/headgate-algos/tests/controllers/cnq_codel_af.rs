//! CNQ-CodelAF against a slow program: the functions of `sch_cnq_codel_af.c`, written again without regard to
//! speed. It keeps one list of packets, counts in it for every number, and finds flows and buckets by a
//! search.

use headgate_model::chance::Stream;
use headgate_model::ecn::Ecn;
use headgate_model::queue::{Arrival, HostPair, Verdict};

use crate::drive::Xorshift;
use crate::line::{Line, SlowQueue, build};
use crate::ranges::seed;

const PACKETS: u32 = 1000;
const SEQUENCES: u64 = if cfg!(miri) { 1 } else { 1000 };
const RATE_BYTES_S: f64 = 200_000.0;
const BUCKETS: u64 = 65_536;

#[derive(Clone, Default)]
struct Vars {
    bucket: u64,
    count: u32,
    isqrt: f64,
    next: f64,
    blue_timer: f64,
    p_drop: f64,
    dropping: bool,
}

/// A place in the bulk queue; a dummy represents a packet of the sparse queue.
struct Bulk {
    id: u32,
    bucket: u64,
    ecn: Ecn,
    since_s: f64,
    dummy: bool,
}

struct Slow {
    target: f64,
    interval: f64,
    bulk: Vec<Bulk>,
    sparse: Vec<(u32, u64)>,
    vars: Vec<Vars>,
    decay_index: u64,
    chance: Stream,
}

/// The bucket of a flow: the upper 16 bits of SplitMix64's finaliser.
fn bucket(flow: u64) -> u64 {
    let mut z = flow;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) >> 48
}

impl Slow {
    fn backlog(&self, bucket: u64) -> usize {
        self.bulk.iter().filter(|place| place.bucket == bucket).count()
    }

    fn active_flows(&self) -> usize {
        let mut buckets: Vec<u64> = self.bulk.iter().map(|place| place.bucket).collect();
        buckets.sort_unstable();
        buckets.dedup();
        buckets.len()
    }

    fn dummies(&self) -> usize {
        self.bulk.iter().filter(|place| place.dummy).count()
    }

    fn qlen(&self) -> usize {
        self.sparse.len() + self.bulk.len() - self.dummies()
    }

    fn vars(&mut self, bucket: u64) -> &mut Vars {
        let at = self.vars.iter().position(|vars| vars.bucket == bucket).unwrap_or_else(|| {
            self.vars.push(Vars { bucket, ..Vars::default() });
            self.vars.len() - 1
        });
        &mut self.vars[at]
    }

    fn invsqrt(vars: &mut Vars) {
        vars.isqrt = if vars.count == 0 { 1.0 } else { 1.0 / f64::from(vars.count).sqrt() };
    }

    /// `cobalt_queue_full`.
    fn queue_full(vars: &mut Vars, target: f64, now: f64) {
        if now - vars.blue_timer > target {
            vars.p_drop += 1.0 / 256.0;
            if vars.p_drop > 1.0 {
                vars.p_drop = 1.0;
            }
            vars.blue_timer = now;
        }
        vars.dropping = true;
        vars.next = now;
        if vars.count == 0 {
            vars.count = 1;
        }
    }

    /// `cobalt_queue_empty`.
    fn queue_empty(&mut self, bucket: u64, now: f64) {
        let (target, interval) = (self.target, self.interval);
        let vars = self.vars(bucket);
        if vars.p_drop > 0.0 && now - vars.blue_timer > target {
            vars.p_drop = if vars.p_drop < 1.0 / 4096.0 { 0.0 } else { vars.p_drop - 1.0 / 4096.0 };
            vars.blue_timer = now;
        }
        while vars.count > 0 && now - vars.next >= 0.0 {
            vars.count -= 1;
            Self::invsqrt(vars);
            vars.next += interval * vars.isqrt;
        }
        if vars.dropping {
            vars.next = now + interval * vars.isqrt;
            vars.dropping = false;
        }
    }

    /// `cobalt_should_drop`: whether it drops, and whether it marked.
    fn should_drop(&mut self, head: &Bulk, now: f64, counts: [usize; 3]) -> (bool, bool) {
        let (target, interval) = (self.target, self.interval);
        let [flow_backlog, active_flows, total_backlog] = counts.map(|count| count as f64);
        let weighted_sojourn = (now - head.since_s) * flow_backlog * active_flows;
        let over_target = weighted_sojourn > target * total_backlog;
        let mut chance = self.chance.clone();
        let vars = self.vars(head.bucket);
        let mut schedule = now - vars.next;
        let mut next_due = vars.count > 0 && schedule >= 0.0;
        if over_target {
            if !vars.dropping {
                vars.dropping = true;
                vars.next = now + interval * vars.isqrt;
                next_due = false;
            }
            if vars.count == 0 {
                vars.count = 1;
            }
        } else if vars.dropping {
            vars.next = now + interval * vars.isqrt;
            vars.dropping = false;
        }
        let (mut drop, mut marked) = (false, false);
        if next_due && vars.dropping {
            marked = head.ecn != Ecn::NotEct;
            drop = !marked;
            vars.count += 1;
            Self::invsqrt(vars);
            vars.next += interval * vars.isqrt;
            schedule = now - vars.next;
        } else {
            while next_due {
                vars.count -= 1;
                Self::invsqrt(vars);
                vars.next += interval * vars.isqrt;
                schedule = now - vars.next;
                next_due = vars.count > 0 && schedule >= 0.0;
            }
        }
        if weighted_sojourn > 4.0 * interval * total_backlog {
            Self::queue_full(vars, target, now);
        }
        if vars.p_drop > 0.0 {
            drop |= chance.open01() <= vars.p_drop;
        }
        if vars.count == 0 {
            vars.next = now + interval;
        } else if schedule > 0.0 && !drop {
            vars.next = now;
        }
        self.chance = chance;
        (drop, marked)
    }

    /// Every packet sent lets one bucket decay.
    fn sent(&mut self, now: f64) {
        let index = self.decay_index;
        if self.backlog(index) == 0 && self.vars.iter().any(|vars| vars.bucket == index) {
            self.queue_empty(index, now);
        }
        self.decay_index = (index + 1) % BUCKETS;
    }
}

impl SlowQueue for Slow {
    fn arrive(&mut self, now_s: f64, id: u32, arrival: &Arrival) -> Verdict {
        let (bucket, ecn) = (bucket(arrival.flow), arrival.ecn);
        let dummy = self.backlog(bucket) == 0;
        if dummy {
            self.sparse.push((id, bucket));
        }
        self.bulk.push(Bulk { id, bucket, ecn, since_s: now_s, dummy });
        Verdict::Keep
    }

    fn depart(&mut self, now_s: f64) -> (Option<(u32, bool)>, Vec<u32>) {
        let mut drops = Vec::new();
        while self.qlen() > 0 {
            if !self.sparse.is_empty() {
                let (id, bucket) = self.sparse.remove(0);
                self.queue_empty(bucket, now_s);
                self.sent(now_s);
                return (Some((id, false)), drops);
            }
            while self.bulk[0].dummy {
                self.bulk.remove(0);
            }
            let head = self.bulk.remove(0);
            let backlog = self.backlog(head.bucket);
            let counts = [backlog + 1, self.active_flows() - self.dummies(), self.qlen() + 1];
            let (drop, marked) = self.should_drop(&head, now_s, counts);
            if drop && backlog > 0 {
                drops.push(head.id);
                continue;
            }
            self.sent(now_s);
            return (Some((head.id, marked)), drops);
        }
        (None, drops)
    }

    fn update(&mut self, _now_s: f64) {}

    fn gauge(&self) -> Option<f64> {
        Some(self.active_flows() as f64)
    }
}

fn line(set: u64, random: &mut Xorshift) -> Line<Slow> {
    let (target, interval) = (random.one_of(&[0.005, 0.02]), random.one_of(&[0.01, 0.02, 0.1]));
    let chance = Stream::new(set, "queue", 0);
    let slow = Slow {
        target,
        interval,
        bulk: Vec::new(),
        sparse: Vec::new(),
        vars: Vec::new(),
        decay_index: 0,
        chance: chance.clone(),
    };
    let fast = build("cnq-codel-af", &[("target_s", target), ("interval_s", interval)], RATE_BYTES_S);
    Line::new(fast, slow, chance, RATE_BYTES_S)
}

/// Flows whose buckets the decay reaches within a sequence, two of which share a bucket.
fn flows() -> Vec<u64> {
    let early: Vec<u64> = (0..200_000).filter(|flow| bucket(*flow) < 600).collect();
    let shares =
        |flow: &&u64| early[1..].iter().any(|other| other != *flow && bucket(*other) == bucket(**flow));
    let first = *early[1..].iter().find(shares).expect("two of a bucket");
    let other =
        *early.iter().find(|flow| **flow != first && bucket(**flow) == bucket(first)).expect("the other");
    [first, other].into_iter().chain(early.into_iter().take(4)).collect()
}

#[test]
fn it_sends_marks_and_drops_as_the_slow_program() {
    let (mut all, flows) = ((0, 0), flows());
    for set in 0..SEQUENCES {
        let mut random = Xorshift(seed(970, set));
        let mut line = line(set, &mut random);
        let mut load = 1.0;
        for id in 0..PACKETS {
            if id % 200 == 0 {
                load = random.one_of(&[0.3, 0.8, 1.3, 4.0]);
            }
            line.pass(load, &mut random);
            let flow = flows[random.one_of(&[0, 0, 0, 0, 1, 1, 2, 3, 4, 5])];
            let ecn = random.one_of(&Ecn::ALL);
            let size_bytes = random.one_of(&[40, 500, 1500, 1514]);
            line.arrive(id, Arrival { size_bytes, flow, ecn, hosts: HostPair::default(), ack: None });
        }
        line.drain();
        all = (all.0 + line.seen.0, all.1 + line.seen.1);
    }
    let packets = SEQUENCES as u32 * PACKETS;
    assert!(cfg!(miri) || (all.0 > packets / 200 && all.1 > packets / 50), "{all:?} of {packets}");
}
