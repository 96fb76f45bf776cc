//! CAKE against a slow program: the functions of Linux's `sch_cake.c`, written again without regard to speed. It has
//! a queue for each flow, counts the flows of hosts and its packets whenever it needs a number, and knows no hash.

use headgate_model::chance::Stream;
use headgate_model::ecn::Ecn;
use headgate_model::queue::{AckFields, Arrival, HostPair, Verdict};

use crate::drive::Xorshift;
use crate::line::{Line, SlowQueue, build};
use crate::ranges::seed;

const PACKETS: u32 = 1000;
const SEQUENCES: u64 = if cfg!(miri) { 1 } else { 1000 };
const RATE_BYTES_S: f64 = 200_000.0;
const MODES: [&str; 8] =
    ["triple-isolate", "dual-srchost", "dual-dsthost", "flows", "hosts", "srchost", "dsthost", "flowblind"];

/// The settings that sequences vary.
#[derive(Clone, Copy)]
struct Settings {
    mode: &'static str,
    bandwidth: f64,
    target_s: f64,
    interval_s: f64,
    overhead: f64,
    mpu: f64,
    framing: f64,
    memory: f64,
    ack_filter: f64,
}

#[derive(Clone, Copy, PartialEq)]
enum Set {
    None,
    Sparse,
    SparseWait,
    Bulk,
    Decaying,
}

struct Flow {
    key: u64,
    hosts: HostPair,
    set: Set,
    deficit: f64,
    count: u32,
    rec_inv_sqrt: f64,
    drop_next: f64,
    blue_timer: f64,
    p_drop: f64,
    dropping: bool,
}

struct Held {
    id: u32,
    flow: usize,
    size: u32,
    ecn: Ecn,
    since_s: f64,
    number: u64,
    ack: Option<AckFields>,
}

struct Slow {
    set: Settings,
    flows: Vec<Flow>,
    /// Packets in order of arrival.
    held: Vec<Held>,
    /// Indices of flows.
    new: Vec<usize>,
    old: Vec<usize>,
    decaying: Vec<usize>,
    time_next_s: f64,
    overflow: Vec<u32>,
    chance: Stream,
}

impl Slow {
    fn target_s(&self) -> f64 {
        (1.5 * self.mtu_s()).max(self.set.target_s)
    }

    fn interval_s(&self) -> f64 {
        let target_s = self.target_s();
        (self.set.interval_s + target_s - self.set.target_s).max(2.0 * target_s)
    }

    fn mtu_s(&self) -> f64 {
        if self.set.bandwidth == 0.0 { 0.0 } else { 1514.0 / self.set.bandwidth }
    }

    fn limit(&self) -> f64 {
        let Settings { memory, bandwidth, interval_s, .. } = self.set;
        if memory > 0.0 {
            memory
        } else if bandwidth > 0.0 {
            (bandwidth * interval_s * 4.0).clamp(4194304.0, 10240.0 * 1514.0)
        } else {
            10240.0 * 1514.0
        }
    }

    fn adjusted(&self, size: u32) -> f64 {
        let mut len = i64::from(size) + self.set.overhead as i64;
        len = len.max(self.set.mpu as i64).max(1);
        let framed = match self.set.framing {
            1.0 => (len + 47) / 48 * 53,
            2.0 => len + (len + 63) / 64,
            _ => len,
        };
        framed as f64
    }

    fn quantum(&self, at: usize) -> f64 {
        let rate = self.set.bandwidth;
        let whole = if rate == 0.0 { 1514.0 } else { (rate / 4096.0).floor().clamp(300.0, 1514.0) };
        let HostPair { source, destination } = self.flows[at].hosts;
        let bulk = |is_of: &dyn Fn(&Flow) -> bool| {
            self.flows.iter().filter(|flow| flow.set == Set::Bulk && is_of(flow)).count().max(1)
        };
        let from = bulk(&|flow| flow.hosts.source == source);
        let to = bulk(&|flow| flow.hosts.destination == destination);
        let load = match self.set.mode {
            "triple-isolate" => from.max(to),
            "dual-srchost" => from,
            "dual-dsthost" => to,
            _ => 1,
        };
        whole / load as f64
    }

    fn control(&mut self, at: usize) {
        let interval_s = self.interval_s();
        let flow = &mut self.flows[at];
        flow.rec_inv_sqrt = if flow.count == 0 { 1.0 } else { 1.0 / f64::from(flow.count).sqrt() };
        flow.drop_next += interval_s * flow.rec_inv_sqrt;
    }

    /// `cobalt_should_drop`: whether to drop, and whether it was marked.
    fn should_drop(&mut self, at: usize, now_s: f64, since_s: f64, ecn: Ecn) -> (bool, bool) {
        let (target_s, interval_s, mtu_s) = (self.target_s(), self.interval_s(), self.mtu_s());
        let sojourn_s = now_s - since_s;
        let over = sojourn_s > target_s && sojourn_s > 4.0 * mtu_s;
        let flow = &mut self.flows[at];
        let mut schedule = now_s - flow.drop_next;
        let mut next_due = flow.count > 0 && schedule >= 0.0;
        if over {
            if !flow.dropping {
                flow.dropping = true;
                flow.drop_next = now_s + interval_s * flow.rec_inv_sqrt;
            }
            if flow.count == 0 {
                flow.count = 1;
            }
        } else {
            flow.dropping = false;
        }
        let (mut drop, mut marked) = (false, false);
        if next_due && self.flows[at].dropping {
            marked = ecn != Ecn::NotEct;
            drop = !marked;
            self.flows[at].count += 1;
            self.control(at);
            schedule = now_s - self.flows[at].drop_next;
        } else {
            while next_due {
                self.flows[at].count -= 1;
                self.control(at);
                schedule = now_s - self.flows[at].drop_next;
                next_due = self.flows[at].count > 0 && schedule >= 0.0;
            }
        }
        let flow = &mut self.flows[at];
        if flow.p_drop > 0.0 && self.chance.open01() <= flow.p_drop {
            drop = true;
        }
        if flow.count == 0 {
            flow.drop_next = now_s + interval_s;
        } else if schedule > 0.0 && !drop {
            flow.drop_next = now_s;
        }
        (drop, marked)
    }

    /// `cake_drop`: from the longest queue.
    fn drop_one(&mut self, now_s: f64) {
        let bytes = |at: usize| -> u64 {
            self.held.iter().filter(|held| held.flow == at).map(|held| u64::from(held.size)).sum()
        };
        let most = (0..self.flows.len()).map(bytes).max().unwrap_or(0);
        let first = self.held.iter().position(|held| bytes(held.flow) == most).expect("a packet");
        let Held { id, flow: at, .. } = self.held.remove(first);
        let target_s = self.target_s();
        let flow = &mut self.flows[at];
        if now_s - flow.blue_timer > target_s {
            flow.p_drop = (flow.p_drop + 1.0 / 256.0).min(1.0);
            flow.blue_timer = now_s;
        }
        flow.dropping = true;
        flow.drop_next = now_s;
        flow.count = flow.count.max(1);
        self.overflow.push(id);
    }

    /// `cake_tcph_sack_compare`: -1 if B lacks a block of A.
    fn compare(a: &AckFields, b: &AckFields) -> i32 {
        let of = |ack: &AckFields| -> Vec<(u32, u32)> {
            ack.sacks.iter().copied().filter(|block| block.0 != block.1).collect()
        };
        let (of_a, of_b) = (of(a), of(b));
        match (of_a.is_empty(), of_b.is_empty()) {
            (false, true) => return -1,
            (true, false) => return 1,
            (true, true) => return 0,
            _ => {}
        }
        for (start, end) in &of_a {
            let found = of_b.iter().any(|(from, to)| from <= start && to >= end);
            if *start < a.number || !found {
                return -1;
            }
        }
        let bytes = |blocks: &[(u32, u32)]| blocks.iter().map(|(from, to)| to - from).sum::<u32>();
        i32::from(bytes(&of_b) > bytes(&of_a))
    }

    /// `cake_ack_filter`, after the last packet joined its queue: the place of the ACK to drop.
    fn filtered(&self) -> Option<usize> {
        let last = self.held.last()?;
        let new = last.ack?;
        let queue: Vec<usize> =
            (0..self.held.len()).filter(|&place| self.held[place].flow == last.flow).collect();
        let (mut eligible, mut flags, mut num_found) = (None, false, 0);
        for &place in &queue[..queue.len() - 1] {
            let check = &self.held[place];
            let Some(ack) = check.ack.filter(|_| check.number == last.number) else { continue };
            if eligible.is_some() && ack.echo != flags {
                eligible = None;
                num_found -= 1;
            }
            let compared = Self::compare(&ack, &new);
            if ack.number > new.number || compared < 0 || (ack.number == new.number && compared == 0) {
                continue;
            }
            if eligible.is_none() {
                (eligible, flags) = (Some(place), ack.echo);
            }
            num_found += 1;
            if num_found > 1 {
                return eligible;
            }
        }
        let before = queue.len().checked_sub(2).map(|at| queue[at]);
        eligible.filter(|place| self.set.ack_filter == 2.0 && Some(*place) == before && flags == new.echo)
    }

    fn leave_lists(&mut self, at: usize) {
        for list in [&mut self.new, &mut self.old, &mut self.decaying] {
            list.retain(|one| *one != at);
        }
    }

    /// The queue was empty.
    fn empty(&mut self, at: usize, now_s: f64) {
        let target_s = self.target_s();
        let flow = &mut self.flows[at];
        if flow.p_drop > 0.0 && now_s - flow.blue_timer > target_s {
            flow.p_drop = if flow.p_drop < 1.0 / 4096.0 { 0.0 } else { flow.p_drop - 1.0 / 4096.0 };
            flow.blue_timer = now_s;
        }
        flow.dropping = false;
        if flow.count > 0 && now_s - flow.drop_next >= 0.0 {
            flow.count -= 1;
            self.control(at);
        }
        self.leave_lists(at);
        let flow = &mut self.flows[at];
        if flow.p_drop > 0.0 || flow.count > 0 || now_s < flow.drop_next {
            flow.set = Set::Decaying;
            self.decaying.push(at);
        } else {
            flow.set = Set::None;
        }
    }
}

impl SlowQueue for Slow {
    fn arrive(&mut self, now_s: f64, id: u32, arrival: &Arrival) -> Verdict {
        let Arrival { size_bytes: size, flow, ecn, hosts, ack } = *arrival;
        let number = flow;
        let HostPair { source, destination } = hosts;
        let key = match self.set.mode {
            "srchost" => source,
            "dsthost" => destination,
            "hosts" => source * 1000 + destination,
            "flowblind" => 0,
            _ => flow,
        };
        let at = self.flows.iter().position(|flow| flow.key == key).unwrap_or_else(|| {
            self.flows.push(Flow {
                key,
                hosts,
                set: Set::None,
                deficit: 0.0,
                count: 0,
                rec_inv_sqrt: 0.0,
                drop_next: 0.0,
                blue_timer: 0.0,
                p_drop: 0.0,
                dropping: false,
            });
            self.flows.len() - 1
        });
        if self.held.is_empty() && self.set.bandwidth > 0.0 {
            self.time_next_s = self.time_next_s.max(now_s);
        }
        self.held.push(Held { id, flow: at, size, ecn, since_s: now_s, number, ack });
        if self.set.ack_filter > 0.0
            && let Some(place) = self.filtered()
        {
            self.overflow.push(self.held.remove(place).id);
        }
        match self.flows[at].set {
            Set::None | Set::Decaying => {
                self.leave_lists(at);
                self.new.push(at);
                self.flows[at].set = Set::Sparse;
                self.flows[at].deficit = self.quantum(at);
            }
            Set::SparseWait => self.flows[at].set = Set::Bulk,
            Set::Sparse | Set::Bulk => {}
        }
        let limit = self.limit();
        while self.held.iter().map(|held| f64::from(held.size)).sum::<f64>() > limit {
            self.drop_one(now_s);
        }
        Verdict::Keep
    }

    fn overflow(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.overflow)
    }

    fn not_before_s(&self) -> f64 {
        self.time_next_s
    }

    fn depart(&mut self, now_s: f64) -> (Option<(u32, bool)>, Vec<u32>) {
        let (mut first_flow, mut drops) = (true, Vec::new());
        while !self.held.is_empty() {
            let lists = [&self.decaying, &self.new, &self.old, &self.decaying];
            let from = usize::from(!first_flow);
            let at = *lists[from..].iter().find_map(|list| list.first()).expect("packets wait");
            first_flow = false;
            let waits = self.held.iter().any(|held| held.flow == at);
            if self.flows[at].deficit <= 0.0 {
                if self.flows[at].set == Set::Sparse {
                    self.flows[at].set = if waits { Set::Bulk } else { Set::SparseWait };
                }
                self.flows[at].deficit += self.quantum(at);
                self.leave_lists(at);
                self.old.push(at);
                continue;
            }
            while let Some(place) = self.held.iter().position(|held| held.flow == at) {
                let Held { id, size, ecn, since_s, .. } = self.held.remove(place);
                let (drop, marked) = self.should_drop(at, now_s, since_s, ecn);
                if drop && self.held.iter().any(|held| held.flow == at) {
                    drops.push(id);
                    continue;
                }
                let len = self.adjusted(size);
                self.flows[at].deficit -= len;
                if self.set.bandwidth > 0.0 {
                    self.time_next_s += len / self.set.bandwidth;
                }
                return (Some((id, marked)), drops);
            }
            self.empty(at, now_s);
        }
        (None, drops)
    }

    fn update(&mut self, _now_s: f64) {}
}

fn line(set: u64, random: &mut Xorshift) -> Line<Slow> {
    let any_mode = random.one_of(&MODES);
    let settings = Settings {
        mode: random.one_of(&["triple-isolate", any_mode, any_mode]),
        bandwidth: random.one_of(&[0.0, 0.0, 150_000.0, 190_000.0, 1_000_000.0]),
        target_s: random.one_of(&[0.005, 0.02]),
        interval_s: random.one_of(&[0.02, 0.1]),
        overhead: random.one_of(&[0.0, 0.0, 38.0, -20.0]),
        mpu: random.one_of(&[0.0, 84.0]),
        framing: random.one_of(&[0.0, 0.0, 1.0, 2.0]),
        memory: random.one_of(&[0.0, 6_000.0, 20_000.0]),
        ack_filter: random.one_of(&[0.0, 1.0, 2.0]),
    };
    let mode = MODES.iter().position(|mode| *mode == settings.mode).expect("a mode");
    let changes = [
        ("isolation", mode as f64),
        ("bandwidth_bytes_s", settings.bandwidth),
        ("target_s", settings.target_s),
        ("interval_s", settings.interval_s),
        ("overhead_bytes", settings.overhead),
        ("mpu_bytes", settings.mpu),
        ("framing", settings.framing),
        ("memory_bytes", settings.memory),
        ("ack_filter", settings.ack_filter),
    ];
    let chance = Stream::new(set, "queue", 0);
    let slow = Slow {
        set: settings,
        flows: Vec::new(),
        held: Vec::new(),
        new: Vec::new(),
        old: Vec::new(),
        decaying: Vec::new(),
        time_next_s: 0.0,
        overflow: Vec::new(),
        chance: chance.clone(),
    };
    Line::new(build("cake", &changes, RATE_BYTES_S), slow, chance, RATE_BYTES_S)
}

/// Flows of two sources and two destinations, one of which has most of them.
fn hosts(flow: u64) -> HostPair {
    HostPair { source: 100 + flow % 2, destination: 200 + flow / 5 }
}

/// An ACK whose number rises seldom enough for others with the same.
fn any_ack(number: &mut u32, random: &mut Xorshift) -> AckFields {
    *number += random.one_of(&[0, 1, 2]);
    let mut sacks = [(0, 0); 3];
    if random.chance(0.3) {
        let from = (*number + random.one_of(&[1, 2, 4])).saturating_sub(random.one_of(&[0, 0, 0, 5]));
        sacks[0] = (from, from + random.one_of(&[1, 3, 8]));
        sacks[1] = random.one_of(&[(0, 0), (from + 10, from + 12)]);
    }
    AckFields { number: *number, sacks, echo: random.chance(0.1) }
}

#[test]
fn it_sends_marks_and_drops_as_the_slow_program() {
    let mut all = (0, 0);
    for set in 0..SEQUENCES {
        let mut random = Xorshift(seed(960, set));
        let mut line = line(set, &mut random);
        let (mut load, mut numbers) = (1.0, [0; 6]);
        for id in 0..PACKETS {
            if id % 200 == 0 {
                load = random.one_of(&[0.3, 0.8, 1.3, 2.5]);
            }
            line.pass(load, &mut random);
            let flow = random.one_of(&[0, 0, 0, 1, 1, 2, 3, 4, 5]);
            let is_ack = flow % 2 == 1 && random.chance(0.9);
            let ack = is_ack.then(|| any_ack(&mut numbers[flow as usize], &mut random));
            let size_bytes = if is_ack { 52 } else { random.one_of(&[40, 500, 1500, 1514]) };
            let ecn = random.one_of(&Ecn::ALL);
            line.arrive(id, Arrival { size_bytes, flow, ecn, hosts: hosts(flow), ack });
        }
        line.drain();
        all = (all.0 + line.seen.0, all.1 + line.seen.1);
    }
    let packets = SEQUENCES as u32 * PACKETS;
    assert!(cfg!(miri) || (all.0 > packets / 200 && all.1 > packets / 50), "{all:?} of {packets}");
}
