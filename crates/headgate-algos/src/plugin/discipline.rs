//! User-defined queue disciplines: a FIFO queue, or one ordered by ranks, with a decision on each packet at
//! its arrival and at its departure.

use std::collections::VecDeque;
use std::sync::Arc;

use headgate_model::chance::Stream;
use headgate_model::queue::{
    Arrival, Backlog, DRAWS, Decision, Discipline, Packet, QueuedPacket, TwoQueues, Verdict,
};
use headgate_model::units::{NEVER, Time, picoseconds};
use serde::{Deserialize, Serialize};

use super::error::plain;
use super::{Bound, CallArgs, Interface, PluginError, Runtime, Trigger};

/// Smallest plausible time between two ticks, seconds.
const LEAST_TICK_S: f64 = 1e-6;

/// The interface of queue disciplines.
#[derive(Debug)]
pub enum Disciplines {}

/// The properties of a discipline.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DisciplineTraits {
    /// Whether it decides at departure too, so that the port stores packets.
    pub on_departure: bool,
    /// Whether it ranks arrivals, which leave in order of rank.
    pub ranks: bool,
    /// Time between two ticks, seconds; 0 = none.
    pub tick_s: f64,
}

impl DisciplineTraits {
    /// Validates the tick period, and that it agrees with the presence of `on_tick`.
    pub fn checked(self, has_on_tick: bool) -> Result<Self, PluginError> {
        let tick_s = self.tick_s;
        if tick_s != 0.0 && !(LEAST_TICK_S..=1e6).contains(&tick_s) {
            return Err(
                format!("tick_s is {tick_s}; it must be 0, or from {LEAST_TICK_S:e} to 1e6 seconds").into()
            );
        }
        match (has_on_tick, tick_s > 0.0) {
            (true, false) => {
                Err("it has on_tick but tick_s is 0; set tick_s to the time between ticks".into())
            }
            (false, true) => Err("it has tick_s but no on_tick; leave out tick_s or write on_tick".into()),
            _ => Ok(self),
        }
    }

    /// The values from which [`PluginQueue::unbound`] creates a port's discipline.
    pub fn values(&self) -> Vec<f64> {
        let number = |holds: bool| if holds { 1.0 } else { 0.0 };
        vec![number(self.on_departure || self.ranks), self.tick_s]
    }
}

/// One call of a discipline.
#[derive(Clone, Copy, Debug)]
pub enum DisciplineEvent<'a> {
    /// A packet arrives, and there is space for it. The port's state excludes it.
    Arrival(&'a Packet),
    /// A packet is the next to leave. The port's state excludes it.
    Departure(&'a Packet),
    /// A tick, at this time in seconds.
    Tick(f64),
}

impl Interface for Disciplines {
    const NOUN: &'static str = "discipline";
    type Traits = DisciplineTraits;
    type Event<'a> = DisciplineEvent<'a>;
    type Surroundings = Backlog;
    type Outputs = Decision;

    fn callback(event: &DisciplineEvent<'_>) -> &'static str {
        match event {
            DisciplineEvent::Arrival(_) => "on_arrival",
            DisciplineEvent::Departure(_) => "on_departure",
            DisciplineEvent::Tick(_) => "on_tick",
        }
    }

    fn place(event: &DisciplineEvent<'_>, port: &Backlog) -> String {
        format!("{} at {:.6} s", Self::callback(event), port.now_s)
    }

    fn args(event: &DisciplineEvent<'_>, port: &Backlog, decision: &Decision) -> CallArgs {
        let happened = match *event {
            DisciplineEvent::Arrival(packet) | DisciplineEvent::Departure(packet) => Trigger::Packet(*packet),
            DisciplineEvent::Tick(now_s) => Trigger::Number(now_s),
        };
        CallArgs::Discipline(happened, *port, *decision)
    }

    #[inline]
    fn check(
        event: &DisciplineEvent<'_>,
        traits: &DisciplineTraits,
        _: &Decision,
        after: &Decision,
    ) -> Result<(), PluginError> {
        let (packet, arrives) = match *event {
            DisciplineEvent::Arrival(packet) => (packet, true),
            DisciplineEvent::Departure(packet) => (packet, false),
            DisciplineEvent::Tick(_) => return untouched(after),
        };
        let marks = after.verdict != 1 || packet.capable;
        let ranks = after.rank == 0.0 || (arrives && traits.ranks && after.rank.is_finite());
        let sound = after.verdict <= 2 && marks && ranks && after.drawn as usize <= DRAWS;
        if sound { Ok(()) } else { Err(unsound(after, marks, arrives, traits.ranks).into()) }
    }
}

fn untouched(after: &Decision) -> Result<(), PluginError> {
    if after.verdict == 0 && after.drawn == 0 && after.rank == 0.0 {
        return Ok(());
    }
    Err("on_tick must decide on no packet and draw no random number".into())
}

#[cold]
fn unsound(after: &Decision, marks: bool, arrives: bool, ranks: bool) -> String {
    let Decision { verdict, drawn, .. } = after;
    let rank = plain(after.rank);
    if *verdict > 2 {
        return format!("verdict became {verdict}; it must be KEEP (0), MARK (1) or DROP (2)");
    }
    if !marks {
        return "it marks a packet that is not capable of ECN; look at packet.capable".to_owned();
    }
    if *drawn as usize > DRAWS {
        return format!("it drew {drawn} random numbers; a decision may draw at most {DRAWS}");
    }
    if !arrives {
        return format!("rank became {rank}; a packet must be ranked when it arrives");
    }
    if ranks {
        return format!("rank became {rank}; it must be a finite number");
    }
    format!("rank became {rank}; only a discipline with ranks = True may set it")
}

/// A waiting packet and its rank.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Ranked {
    packet: QueuedPacket,
    rank: f64,
}

/// One port's discipline.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PluginQueue {
    bound: Bound<Disciplines>,
    decision: Decision,
    /// The port's random stream, from its first arrival on. Random numbers are drawn in advance, before it is
    /// known which decision uses them.
    chance: Option<Stream>,
    line: VecDeque<Ranked>,
    holds: bool,
    period: Time,
    next: Time,
}

impl PluginQueue {
    /// Creates a discipline by its index among the run's user-defined ones, before it is bound to its code.
    /// The values contain the properties that a port needs at once: whether it stores packets, and the time
    /// between ticks.
    pub fn unbound(index: usize, values: &[f64]) -> Self {
        let (holds, tick_s) = (values.first() == Some(&1.0), values.get(1).copied().unwrap_or_default());
        let period = if tick_s > 0.0 { picoseconds(tick_s).max(1) } else { NEVER };
        Self {
            bound: Bound::unbound(index),
            decision: Decision::default(),
            chance: None,
            line: VecDeque::new(),
            holds,
            period,
            next: period,
        }
    }

    /// Binds a new or deserialised discipline to its code.
    pub fn bind(&mut self, runtimes: &[Arc<Runtime<Disciplines>>]) -> Result<(), PluginError> {
        self.bound.bind(runtimes)?;
        if !self.bound.has_begun() {
            self.bound.begin("its first state");
        }
        Ok(())
    }

    #[inline]
    fn decide(&mut self, event: &DisciplineEvent<'_>, port: &Backlog) -> Verdict {
        let decision = &mut self.decision;
        (decision.verdict, decision.drawn, decision.rank) = (0, 0, 0.0);
        self.bound.call(event, port, decision);
        if decision.drawn > 0 {
            self.draw_ahead();
        }
        self.decision.verdict().unwrap_or(Verdict::Keep)
    }

    /// Replaces the random numbers that were used.
    fn draw_ahead(&mut self) {
        let Decision { draws, drawn, .. } = &mut self.decision;
        let taken = (*drawn as usize).min(DRAWS);
        draws.rotate_left(taken);
        if let Some(chance) = &mut self.chance {
            draws[DRAWS - taken..].fill_with(|| chance.open01());
        }
    }

    #[cold]
    fn begin_stream(&mut self, chance: &Stream) {
        let mut own = chance.clone();
        self.decision.draws.fill_with(|| own.open01());
        self.chance = Some(own);
    }

    /// Returns the position of an arrival: behind all packets of its rank.
    fn place(&self, rank: f64) -> usize {
        match self.line.back() {
            Some(last) if last.rank > rank => self.line.partition_point(|one| one.rank <= rank),
            _ => self.line.len(),
        }
    }
}

/// Returns the port's state without one of the waiting packets.
fn without(port: &Backlog, packet: &QueuedPacket) -> Backlog {
    let bytes = f64::from(packet.size_bytes);
    Backlog {
        packets: port.packets - 1.0,
        present: port.present - 1.0,
        bytes: port.bytes - bytes,
        held_bytes: port.held_bytes - bytes,
        wait_s: port.wait_s - bytes / port.rate_bytes_s,
        ..*port
    }
}

#[deny(clippy::missing_trait_methods)]
impl Discipline for PluginQueue {
    fn admit(&mut self, arrival: &Arrival, port: &Backlog, chance: &mut Stream) -> Verdict {
        if self.chance.is_none() {
            self.begin_stream(chance);
        }
        let packet = Packet::arriving(arrival.flow, arrival.size_bytes, arrival.ecn);
        self.decide(&DisciplineEvent::Arrival(&packet), port)
    }

    fn next_tick(&self) -> Time {
        self.next
    }

    fn on_tick(&mut self, port: &Backlog) {
        self.next = self.next.saturating_add(self.period);
        self.decide(&DisciplineEvent::Tick(port.now_s), port);
    }

    /// The effect of a tick is unknown, so that none is skipped.
    fn pass_idle_ticks(&mut self, _until: Time, _idle: &Backlog) {}

    fn has_dequeue(&self) -> bool {
        self.holds
    }

    fn enqueue(&mut self, packet: QueuedPacket, _port: &Backlog, _drops: &mut Vec<u32>) {
        let rank = self.decision.rank;
        self.line.insert(self.place(rank), Ranked { packet, rank });
    }

    fn make_room(&mut self, _port: &Backlog, _drops: &mut Vec<u32>) -> bool {
        false
    }

    fn reads_headers(&self) -> bool {
        false
    }

    fn not_before(&self) -> Time {
        0
    }

    fn dequeue(&mut self, port: &Backlog, drops: &mut Vec<u32>, _chance: &mut Stream) -> Option<(u32, bool)> {
        let mut left = *port;
        while let Some(Ranked { packet, rank }) = self.line.pop_front() {
            left = without(&left, &packet);
            let QueuedPacket { id, size_bytes, flow, ecn, since_s, .. } = packet;
            let waited = port.now_s - since_s;
            let head = Packet { wait_s: waited, rank, ..Packet::arriving(flow, size_bytes, ecn) };
            match self.decide(&DisciplineEvent::Departure(&head), &left) {
                Verdict::Drop => drops.push(id),
                verdict => return Some((id, verdict == Verdict::Mark)),
            }
        }
        None
    }

    // The interface of user-defined disciplines does not include a gauge yet.
    fn gauge(&self) -> Option<(&'static str, f64)> {
        None
    }

    fn two_queues(&self) -> Option<TwoQueues> {
        None
    }
}

#[cfg(test)]
mod tests;
