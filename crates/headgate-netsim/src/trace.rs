//! Events of chosen flows and ports, as they happen: noted by each shard, handed out in order of time.
//!
//! A packet of a followed flow says so in its head, so that ports and receivers know, whatever shard they are in.

use headgate_model::units::Time;
use headgate_tcp::{Phase, Sender, context};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::packet::Packet;
use crate::record::{Event, Happening, NOBODY};

/// Whom somebody follows: flows and links by their numbers in the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    pub flows: BTreeSet<u32>,
    pub links: BTreeSet<u32>,
}

impl Followed {
    pub fn is_empty(&self) -> bool {
        self.flows.is_empty() && self.links.is_empty()
    }
}

/// What a shard has noted and nobody has taken yet.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Trace {
    /// Chosen anew after each start, so it is not kept with the state.
    #[serde(skip)]
    pub followed: Arc<Followed>,
    events: Vec<Event>,
}

impl Trace {
    /// The same for another shard, with nothing noted.
    pub fn new_empty(&self) -> Self {
        Self { followed: Arc::clone(&self.followed), events: Vec::new() }
    }

    pub fn merge(&mut self, other: Self) {
        self.events.extend(other.events);
    }

    /// Packets that left their senders before somebody stopped following say so still.
    #[inline]
    pub fn is_on(&self) -> bool {
        !self.followed.is_empty()
    }

    pub fn note(&mut self, event: Event) {
        if self.is_on() {
            self.events.push(event);
        }
    }

    /// Takes what happened before `until`.
    pub fn take(&mut self, until: Time) -> impl Iterator<Item = Event> {
        let (past, later) =
            std::mem::take(&mut self.events).into_iter().partition(|event| event.time < until);
        self.events = later;
        Vec::into_iter(past)
    }
}

/// Puts events of all shards into their order, and writes the numbers of followed flows on them.
pub fn settle(events: &mut [Event], numbers: &mut BTreeMap<(u32, u8), u32>) {
    events.sort_by_key(|event| (event.time, event.place));
    for event in events {
        if event.happening == Happening::Opened {
            numbers.insert(event.sender, event.flow);
        } else if event.flow == NOBODY {
            event.flow = numbers.get(&event.sender).copied().unwrap_or(NOBODY);
        }
    }
}

/// What a sender says of itself.
pub fn of_sender<C: headgate_model::control::Controller>(mut event: Event, sender: &Sender<C>) -> Event {
    event.cwnd = sender.window.cwnd;
    event.ssthresh = sender.window.ssthresh;
    event.pace = sender.window.pace;
    event.srtt_s = if sender.rtt.path.srtt_s > 0.0 { sender.rtt.path.srtt_s } else { f64::NAN };
    event.in_flight = f64::from(sender.flight());
    event.phase = sender.phase as u8;
    event
}

/// What TCP observes, as an event; what it only counts is none.
pub fn happening(event: context::Event) -> Option<(Happening, u32)> {
    Some(match event {
        context::Event::Established => (Happening::Established, NOBODY),
        context::Event::Sent { seq, again: false } => (Happening::Sent, seq),
        context::Event::Sent { seq, again: true } => (Happening::Retransmitted, seq),
        context::Event::Lost { seq } => (Happening::Lost, seq),
        context::Event::Timeout => (Happening::Timeout, NOBODY),
        _ => return None,
    })
}

/// What changed at a sender while it handled an event: its window, its state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Before {
    window: headgate_model::control::Window,
    phase: Phase,
}

impl Before {
    pub fn of<C>(sender: &Sender<C>) -> Self {
        Self { window: sender.window, phase: sender.phase }
    }

    /// What is different now.
    pub fn changes<C>(&self, sender: &Sender<C>) -> impl Iterator<Item = Happening> {
        let window = (self.window != sender.window).then_some(Happening::Window);
        let state = (self.phase != sender.phase).then_some(Happening::State);
        window.into_iter().chain(state)
    }
}

/// A port where packets are followed, all or only those of followed flows.
pub struct PortTrace<'a> {
    pub trace: &'a mut Trace,
    pub link: u32,
    /// The first place of ports among those that order events of one instant.
    pub places: u32,
}

impl PortTrace<'_> {
    /// Something happened to a packet while so many waited.
    pub fn note(&mut self, time: Time, happening: Happening, packet: &Packet, queue: usize) {
        if !(packet.is_followed() || self.trace.followed.links.contains(&self.link)) {
            return;
        }
        let event = Event::new(time, happening, packet.connection(), self.places + self.link);
        let seq = packet.seq().unwrap_or(NOBODY);
        self.trace.note(Event { link: self.link, seq, queue: queue as f64, ..event });
    }
}
