//! FQ-PIE against a slow program: the functions of Linux's `sch_fq_pie.c` and `sch_pie.c`, written again without
//! regard to speed. It counts its packets whenever it needs a sum, and updates every queue at every tick.

use headgate_model::chance::Stream;
use headgate_model::ecn::Ecn;
use headgate_model::queue::{Arrival, HostPair, Verdict};

use crate::drive::Xorshift;
use crate::line::{Line, SlowQueue, build};
use crate::ranges::seed;

const PACKETS: u32 = 1500;
const SEQUENCES: u64 = if cfg!(miri) { 1 } else { 1000 };
const RATE_BYTES_S: f64 = 200_000.0;

/// The settings that sequences vary.
#[derive(Clone, Copy)]
struct Settings {
    target_s: f64,
    alpha: f64,
    ecn: bool,
    ecn_prob: f64,
    limit: usize,
    bytemode: bool,
    quantum: f64,
}

struct Flow {
    number: u64,
    prob: f64,
    accu_prob: f64,
    qdelay_s: f64,
    qdelay_old_s: f64,
    burst_s: f64,
    tstamp_s: Option<f64>,
    deficit: f64,
}

struct Slow {
    set: Settings,
    flows: Vec<Flow>,
    /// Packets in order of arrival: number, flow, size, arrival.
    held: Vec<(u32, u64, u32, f64)>,
    /// Numbers of flows.
    new: Vec<u64>,
    old: Vec<u64>,
    chance: Stream,
}

impl Slow {
    fn backlog(&self, number: u64) -> f64 {
        self.held.iter().filter(|packet| packet.1 == number).map(|packet| f64::from(packet.2)).sum()
    }

    fn flow(&mut self, number: u64) -> &mut Flow {
        self.flows.iter_mut().find(|flow| flow.number == number).expect("a flow")
    }

    fn drop_early(&mut self, number: u64, size: f64) -> bool {
        let (backlog, set) = (self.backlog(number), self.set);
        let draw = self.chance.clone();
        let flow = self.flow(number);
        if flow.burst_s > 0.0 || (flow.qdelay_s < set.target_s / 2.0 && flow.prob < 0.2) || backlog < 3028.0 {
            return false;
        }
        let local = if set.bytemode && size <= 1514.0 { size / 1514.0 * flow.prob } else { flow.prob };
        flow.accu_prob = if local == 0.0 { 0.0 } else { flow.accu_prob + local };
        if flow.accu_prob < 0.85 {
            return false;
        }
        if flow.accu_prob >= 8.5 {
            return true;
        }
        let mut chance = draw;
        let drops = chance.open01() <= local;
        if drops {
            flow.accu_prob = 0.0;
        }
        self.chance = chance;
        drops
    }
}

impl SlowQueue for Slow {
    fn arrive(&mut self, now_s: f64, id: u32, arrival: &Arrival) -> Verdict {
        let Arrival { size_bytes: size, flow: number, ecn, .. } = *arrival;
        let full = self.held.len() >= self.set.limit;
        let mut verdict = Verdict::Keep;
        if full {
            verdict = Verdict::Drop;
        } else if self.drop_early(number, f64::from(size)) {
            let Settings { ecn: marks, ecn_prob, .. } = self.set;
            let may_mark = marks && self.flow(number).prob <= ecn_prob && ecn != Ecn::NotEct;
            verdict = if may_mark { Verdict::Mark } else { Verdict::Drop };
        }
        if verdict == Verdict::Drop {
            self.flow(number).accu_prob = 0.0;
            return verdict;
        }
        if !self.new.contains(&number) && !self.old.contains(&number) {
            self.new.push(number);
            self.flow(number).deficit = self.set.quantum;
        }
        self.held.push((id, number, size, now_s));
        verdict
    }

    fn depart(&mut self, now_s: f64) -> (Option<(u32, bool)>, Vec<u32>) {
        loop {
            let is_new = !self.new.is_empty();
            let Some(&number) = self.new.first().or(self.old.first()) else { return (None, Vec::new()) };
            let quantum = self.set.quantum;
            let flow = self.flow(number);
            if flow.deficit <= 0.0 {
                flow.deficit += quantum;
                if is_new {
                    self.new.remove(0)
                } else {
                    self.old.remove(0)
                };
                self.old.push(number);
                continue;
            }
            let Some(at) = self.held.iter().position(|packet| packet.1 == number) else {
                let back = is_new && !self.old.is_empty();
                if is_new {
                    self.new.remove(0)
                } else {
                    self.old.remove(0)
                };
                if back {
                    self.old.push(number);
                }
                continue;
            };
            let (id, _, size, since_s) = self.held.remove(at);
            let backlog = self.backlog(number);
            let flow = self.flow(number);
            flow.deficit -= f64::from(size);
            flow.qdelay_s = if backlog == 0.0 { 0.0 } else { now_s - since_s };
            if let Some(before_s) = flow.tstamp_s {
                let passed_s = now_s - before_s;
                flow.burst_s = if flow.burst_s > passed_s { flow.burst_s - passed_s } else { 0.0 };
            }
            flow.tstamp_s = Some(now_s);
            return (Some((id, false)), Vec::new());
        }
    }

    fn update(&mut self, _now_s: f64) {
        let (numbers, target_s) =
            (self.flows.iter().map(|flow| flow.number).collect::<Vec<_>>(), self.set.target_s);
        let alpha = self.set.alpha;
        for number in numbers {
            let backlog = self.backlog(number);
            let flow = self.flow(number);
            let mut delta = alpha * (flow.qdelay_s - target_s) + alpha * (flow.qdelay_s - flow.qdelay_old_s);
            if flow.prob < 0.1 {
                let powers = [(0.01, 8.0), (0.001, 32.0), (1e-4, 128.0), (1e-5, 512.0), (1e-6, 2048.0)];
                let below = powers.iter().take_while(|(power, _)| flow.prob < *power).last();
                delta /= below.map_or(2.0, |(_, by)| *by);
            } else if delta > 0.02 {
                delta = 0.02;
            }
            if flow.qdelay_s > 0.25 {
                delta += 0.02;
            }
            flow.prob = (flow.prob + delta).clamp(0.0, 1.0);
            if flow.qdelay_s == 0.0 && flow.qdelay_old_s == 0.0 && backlog == 0.0 {
                flow.prob -= flow.prob / 64.0;
            }
            let is_low = flow.qdelay_s < target_s / 2.0 && flow.qdelay_old_s < target_s / 2.0;
            if is_low && flow.prob == 0.0 {
                (flow.burst_s, flow.tstamp_s, flow.accu_prob) = (0.15, None, 0.0);
            }
            flow.qdelay_old_s = flow.qdelay_s;
        }
    }
}

fn line(set: u64, random: &mut Xorshift) -> Line<Slow> {
    let settings = Settings {
        target_s: random.one_of(&[0.005, 0.015]),
        alpha: random.one_of(&[0.125, 8.0, 64.0]),
        ecn: random.chance(0.5),
        ecn_prob: random.one_of(&[0.1, 0.5, 1.0]),
        limit: random.one_of(&[60, 10_240]),
        bytemode: random.chance(0.3),
        quantum: random.one_of(&[300.0, 1514.0]),
    };
    let changes = [
        ("target_s", settings.target_s),
        ("alpha", settings.alpha),
        ("beta", settings.alpha),
        ("ecn", f64::from(u8::from(settings.ecn))),
        ("mark_below", settings.ecn_prob),
        ("limit_packets", settings.limit as f64),
        ("bytemode", f64::from(u8::from(settings.bytemode))),
        ("quantum_bytes", settings.quantum),
    ];
    let flow = |number| Flow {
        number,
        prob: 0.0,
        accu_prob: 0.0,
        qdelay_s: 0.0,
        qdelay_old_s: 0.0,
        burst_s: 0.15,
        tstamp_s: None,
        deficit: 0.0,
    };
    let chance = Stream::new(set, "queue", 0);
    let slow = Slow {
        set: settings,
        flows: (0..4).map(flow).collect(),
        held: Vec::new(),
        new: Vec::new(),
        old: Vec::new(),
        chance: chance.clone(),
    };
    Line::new(build("fq-pie", &changes, RATE_BYTES_S), slow, chance, RATE_BYTES_S)
}

#[test]
fn it_sends_marks_and_drops_as_the_slow_program() {
    let mut all = (0, 0);
    for set in 0..SEQUENCES {
        let mut random = Xorshift(seed(950, set));
        let mut line = line(set, &mut random);
        let mut load = 1.0;
        for id in 0..PACKETS {
            if id % 500 == 0 {
                load = random.one_of(&[0.8, 1.3, 1.6]);
            }
            line.pass(load, &mut random);
            let flow = random.one_of(&[0, 0, 0, 1, 1, 2, 3]);
            let ecn = random.one_of(&Ecn::ALL);
            let size_bytes = random.one_of(&[40, 500, 1500, 1514]);
            line.arrive(id, Arrival { size_bytes, flow, ecn, hosts: HostPair::default(), ack: None });
        }
        all = (all.0 + line.seen.0, all.1 + line.seen.1);
    }
    let packets = SEQUENCES as u32 * PACKETS;
    assert!(cfg!(miri) || (all.0 > packets / 200 && all.1 > packets / 50), "{all:?} of {packets}");
}
