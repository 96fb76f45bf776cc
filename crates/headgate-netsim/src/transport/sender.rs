//! The sending end of a connection: its record, and its ACKs. How it begins is in [`super::handshake`], its
//! timer in [`super::alarm`], what its law hears of ACKs in [`super::growth`], what it sends in [`super::output`], what happens under loss in
//! [`super::recovery`].

use headgate_model::control::{Echo, Registry, Window};
use headgate_model::units::{NEVER, SECOND, Span, Time};
use serde::{Deserialize, Serialize};

use super::episode::Episode;
use super::journal::Journal;
use super::profile::Profile;
use super::rtt::{Estimator, since};
use super::state::{Alarm, Phase};
use crate::packet::{Head, NO_SACK, Packet};
use crate::record::{FlowTally, Status};
use crate::shared::Shared;
use crate::timers::{Purpose, Timer};
use crate::traffic::Opening;

/// One connection's sending end. The fields of the first lines serve every ACK.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Sender<L> {
    pub una: u32,
    pub next: u32,
    pub size: u32,
    pub phase: Phase,
    pub generation: u8,
    pub profile: u8,
    pub(super) backoff: u8,
    pub(super) alarm: Alarm,
    /// The first outstanding segment has timed out before.
    pub(super) retried: bool,
    /// How marks are echoed; whether the receiver is still to be told of a reduction.
    pub(super) echo: Echo,
    pub(super) reduced: bool,
    /// The scheme whose labels its packets carry.
    pub(super) scheme: Option<u8>,
    pub window: Window,
    pub(super) deadline: Time,
    /// When the timer in the heap goes off; it may be earlier than the deadline.
    pub(super) armed: Time,
    pub(super) dupacks: u32,
    pub(super) round_end: u32,
    pub rtt: Estimator,
    pub receiver: u32,
    pub receiver_host: u32,
    pub host: u32,
    pub address: u32,
    pub(super) episode: Option<Box<Episode>>,
    pub(super) journal: Option<Box<Journal>>,
    pub(super) pace_next: Time,
    /// When the pacing timer goes off.
    pub(super) pace_armed: Time,
    /// Its host has enough to send until then.
    pub(super) host_busy_until: Time,
    /// Growth of a whole window that does not make a segment yet.
    pub(super) grown: f64,
    /// The tail loss probe under way: `next` after it, and whether it repeated a segment.
    pub(super) probe: Option<(u32, bool)>,
    pub law: L,
    /// Fast recovery may begin again above this (RFC 6582); 0 before the first.
    pub(super) recover: u32,
    /// Marks echoed up to here belong to a window that was reduced already.
    pub(super) marked_until: u32,
    /// Without time stamps: the segment being timed, and since when (Karn).
    pub(super) timed: Option<(u32, Time)>,
    /// When the routers are asked for a new pace, if that is before the next turn.
    pub(super) ask_at: Time,
    pub number: u32,
    pub law_index: u32,
    pub owner: u32,
    pub destination: u32,
    pub tally: FlowTally,
    /// What it is counted by (see [`crate::record::FlowKeys`]).
    pub key: u32,
}

impl<L: Registry> Sender<L> {
    /// A connection that sends its SYN.
    pub fn open(o: &Opening, address: u32, generation: u8, shared: &mut Shared<L>) -> Self {
        let index = shared.setup.spec(o.number).profile;
        let profile = &shared.profiles[index as usize];
        let window =
            Window { cwnd: profile.initial_window, ssthresh: profile.initial_ssthresh, pace: f64::INFINITY };
        let law = shared.laws[o.law as usize].clone();
        let journal =
            (profile.rack_tlp || law.wants_rate()).then(|| Box::new(Journal::new(profile.rack_tlp)));
        let mut sender = Self {
            una: 0,
            next: 0,
            size: o.size,
            phase: Phase::Connecting,
            generation,
            profile: index,
            backoff: 0,
            alarm: Alarm::Timeout,
            retried: false,
            echo: law.echo().max(if profile.ecn { Echo::Latched } else { Echo::None }),
            reduced: false,
            scheme: law.scheme(),
            window,
            deadline: NEVER,
            armed: NEVER,
            dupacks: 0,
            round_end: 0,
            rtt: Estimator::new(profile),
            receiver: 0,
            receiver_host: o.receiver_host,
            host: o.host,
            address,
            episode: None,
            journal,
            law,
            recover: 0,
            timed: None,
            marked_until: 0,
            probe: None,
            pace_next: 0,
            grown: 0.0,
            pace_armed: NEVER,
            ask_at: 0,
            host_busy_until: 0,
            number: o.number,
            law_index: o.law,
            owner: o.owner,
            destination: o.destination,
            key: shared.setup.key_of(o, address),
            tally: FlowTally { started: shared.now, ..FlowTally::default() },
        };
        shared.counters.flows_started += 1;
        shared.flow_stats.all[sender.key as usize].started += 1;
        shared.counters.connecting += 1;
        shared.counters.active += 1;
        sender.send_syn(shared);
        sender
    }

    /// An ACK arrived; true when it was the last one.
    #[inline]
    pub fn on_ack(&mut self, packet: &Packet, shared: &mut Shared<L>) -> bool {
        if matches!(self.phase, Phase::Connecting | Phase::Idle) {
            shared.papers.forget(packet);
            return false;
        }
        debug_assert!(packet.a <= self.next, "an ACK of what was never sent");
        self.read_label(shared);
        let plain = self.episode.is_none() && packet.c == NO_SACK;
        if plain && packet.a > self.una {
            self.on_progress(packet.a, packet.b, packet.head.has(Head::ECHO), shared);
        } else {
            self.on_troubled_ack(packet, shared);
        }
        if self.una >= self.size {
            return true;
        }
        self.pump(shared);
        false
    }

    /// The common case: nothing missing, new data acknowledged.
    #[inline]
    fn on_progress(&mut self, cum: u32, echo: u32, marked: bool, shared: &mut Shared<L>) {
        let flight = self.next - self.una;
        let newly = cum - self.una;
        if self.journal.is_some() {
            self.note_arrivals(cum, shared.now);
        }
        self.una = cum;
        self.dupacks = 0;
        self.retried = false;
        let rtt_s = self.sample_rtt(cum, echo, shared);
        if self.probe.is_some() {
            self.settle_probe(newly, shared);
        }
        self.grow(newly, flight, rtt_s, marked, shared);
        if marked {
            self.on_mark(shared);
        }
        self.restart_timer(shared);
    }

    #[inline]
    fn note_arrivals(&mut self, cum: u32, now: Time) {
        if let Some(journal) = &mut self.journal {
            (self.una..cum).for_each(|seq| journal.deliver(seq, now));
            journal.advance(cum);
        }
    }

    #[inline]
    pub(super) fn sample_rtt(&mut self, cum: u32, echo: u32, shared: &mut Shared<L>) -> f64 {
        let profile = &shared.profiles[self.profile as usize];
        let rtt = if profile.timestamps {
            since(echo, shared.now)
        } else {
            match self.timed {
                Some((seq, at)) if cum > seq => {
                    self.timed = None;
                    shared.now - at
                }
                _ => return 0.0,
            }
        };
        let rtt_s = self.take_sample(rtt, shared);
        let profile = &shared.profiles[self.profile as usize];
        if profile.rack_tlp { self.newest_rtt(rtt_s, profile) } else { rtt_s }
    }

    #[inline]
    pub(super) fn take_sample(&mut self, rtt: Span, shared: &mut Shared<L>) -> f64 {
        let rtt_s = self.rtt.sample(rtt, &shared.profiles[self.profile as usize]);
        self.backoff = 0; // until now: Karn; RFC 6298 §5
        self.tally.rtt_sum_s += rtt_s;
        self.tally.rtt_count += 1;
        shared.counters.rtt_sum_s += rtt_s;
        shared.counters.rtt_count += 1;
        rtt_s
    }

    /// With RACK it is known when each segment left. So laws see the RTT of the last one that an ACK covers
    /// (as Linux), without the first one's wait for it at the receiver; the echo only tells of what was
    /// sent again.
    fn newest_rtt(&mut self, echoed_s: f64, profile: &Profile) -> f64 {
        let newest = self.journal.as_ref().and_then(|journal| journal.rtt());
        newest.map_or(echoed_s, |rtt| self.rtt.see(rtt, profile))
    }

    #[inline]
    pub(super) fn profile<'a>(&self, shared: &'a Shared<L>) -> &'a Profile {
        &shared.profiles[self.profile as usize]
    }

    /// There is nothing more to send; true if all that was sent has been acknowledged.
    pub fn stop(&mut self) -> bool {
        self.size = self.size.min(self.next);
        self.una >= self.size
    }

    /// The connection is over: counts it out and lets the receiver go.
    pub fn close(&mut self, shared: &mut Shared<L>) {
        shared.counters.active -= 1;
        if self.phase == Phase::Connecting {
            shared.counters.connecting -= 1;
        }
        self.phase = Phase::Idle;
        self.episode = None;
        self.journal = None;
        shared.timers.push(Timer {
            time: shared.now + LINGER,
            site: self.destination,
            purpose: Purpose::Release,
            id: self.address,
            generation: self.generation,
        });
    }

    pub fn status(&self) -> Status {
        match self.phase {
            Phase::Connecting => Status::Connecting,
            _ if self.una >= self.size => Status::Finished,
            _ => Status::Running,
        }
    }

    /// Segments in the network, as far as the sender knows.
    pub fn flight(&self) -> u32 {
        self.episode.as_ref().map_or(self.next - self.una, |e| e.board.pipe())
    }

    /// What the law shows of itself; NaN if nothing.
    pub fn gauge(&self) -> f64 {
        self.law.gauge().map_or(f64::NAN, |gauge| gauge.1)
    }

    /// Memory beside the record itself.
    pub fn extra_bytes(&self) -> usize {
        self.episode.as_ref().map_or(0, |e| e.bytes()) + self.journal.as_ref().map_or(0, |j| j.bytes())
    }
}

/// A receiver outlives its sender by this (TIME-WAIT), longer than any window of the engine.
pub const LINGER: Span = SECOND;
