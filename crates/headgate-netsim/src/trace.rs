//! Events of chosen flows and ports, as they happen: noted by each shard, handed out in order of time.
//!
//! A packet of a followed flow says so in its head, so that ports and receivers know, whatever shard they are in.

use headgate_model::control::{Controller, Window};
use headgate_model::units::Time;
use headgate_tcp::{Phase, Sender, context};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::packet::Packet;
use crate::record::{Event, EventKind, NO_NUMBER};

/// Whom somebody follows: flows and links by their numbers in the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    pub flows: BTreeSet<u32>,
    pub links: BTreeSet<u32>,
}

/// What a shard has noted and nobody has taken yet.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Trace {
    /// Chosen anew after each start, so it is not kept with the state.
    #[serde(skip)]
    pub followed: Arc<Followed>,
    /// Whether somebody follows anything: each hop asks.
    #[serde(skip)]
    on: bool,
    events: Vec<Event>,
}

impl Trace {
    /// The same for another shard, with nothing noted.
    pub fn new_empty(&self) -> Self {
        Self { followed: Arc::clone(&self.followed), on: self.on, events: Vec::new() }
    }

    /// Whom somebody follows from now on.
    pub fn follow(&mut self, followed: &Arc<Followed>) {
        self.on = !(followed.flows.is_empty() && followed.links.is_empty());
        self.followed = Arc::clone(followed);
    }

    pub fn merge(&mut self, other: Self) {
        self.events.extend(other.events);
    }

    /// Packets that left their senders before somebody stopped following say so still.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.on
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
pub fn put_in_order(events: &mut [Event], numbers: &mut BTreeMap<(u32, u8), u32>) {
    events.sort_by_key(|event| (event.time, event.place));
    for event in events {
        if event.kind == EventKind::Opened {
            numbers.insert(event.sender, event.flow);
        } else if event.flow == NO_NUMBER {
            event.flow = numbers.get(&event.sender).copied().unwrap_or(NO_NUMBER);
        }
    }
}

/// Adds what a sender's state is to an event of it.
pub fn add_sender_state<C: Controller>(mut event: Event, sender: &Sender<C>) -> Event {
    event.cwnd = sender.window.cwnd;
    event.ssthresh = sender.window.ssthresh;
    event.pace = sender.window.pace;
    event.srtt_s = if sender.rtt.path.srtt_s > 0.0 { sender.rtt.path.srtt_s } else { f64::NAN };
    event.in_flight = f64::from(sender.flight());
    event.phase = sender.phase as u8;
    event
}

/// What TCP observes, as an event; what it only counts is none.
pub fn translate(event: context::Event) -> Option<(EventKind, u32)> {
    Some(match event {
        context::Event::Established => (EventKind::Established, NO_NUMBER),
        context::Event::Sent { seq, again: false } => (EventKind::Sent, seq),
        context::Event::Sent { seq, again: true } => (EventKind::Retransmitted, seq),
        context::Event::Lost { seq } => (EventKind::Lost, seq),
        context::Event::Timeout => (EventKind::Timeout, NO_NUMBER),
        _ => return None,
    })
}

/// What may change at a sender while it handles an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderState {
    window: Window,
    phase: Phase,
}

impl SenderState {
    pub fn of<C>(sender: &Sender<C>) -> Self {
        Self { window: sender.window, phase: sender.phase }
    }

    /// What is different now.
    pub fn changes<C>(&self, sender: &Sender<C>) -> impl Iterator<Item = EventKind> {
        let window = (self.window != sender.window).then_some(EventKind::Window);
        let state = (self.phase != sender.phase).then_some(EventKind::State);
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
    pub fn note(&mut self, time: Time, kind: EventKind, packet: &Packet, queue: usize) {
        if !(packet.is_followed() || self.trace.followed.links.contains(&self.link)) {
            return;
        }
        let event = Event::new(time, kind, packet.connection(), self.places + self.link);
        let seq = packet.seq().unwrap_or(NO_NUMBER);
        self.trace.note(Event { link: self.link, seq, queue: queue as f64, ..event });
    }
}
