//! The sending end of a connection: its record, and its ACKs. How it begins is in [`super::handshake`], its
//! timer in [`super::alarm`], what its law hears of ACKs in [`super::growth`], what it sends in [`super::output`],
//! what an application writes in turn in [`super::writes`] and [`super::idle`], what happens under loss in
//! [`super::recovery`].

use headgate_model::control::{Controller, Echo, Window};
use headgate_model::feedback::Words;
use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};

use crate::context::{AckSegment, Event, SenderContext};
use crate::loss_recovery::LossRecovery;
use crate::profile::Profile;
use crate::reduction::Reduction;
use crate::rtt::{Echoed, Estimator, since};
use crate::sent_packets::SentPackets;
use crate::state::{Alarm, Phase};
use crate::stats::Stats;
use crate::usage::Usage;
use crate::write_queue::Writes;

/// One connection's sending end. The fields of the first lines serve every ACK.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C)]
pub struct Sender<C> {
    /// The first segment that is not acknowledged (SND.UNA).
    pub una: u32,
    /// The next segment to be sent for the first time (SND.NXT).
    pub next: u32,
    /// Segments to send in all; [`crate::ENDLESS`] where there is no end.
    pub size: u32,
    /// What the connection is doing.
    pub phase: Phase,
    pub(crate) backoff: u8,
    pub(crate) alarm: Alarm,
    /// The first outstanding segment has timed out before.
    pub(crate) retried: bool,
    /// How marks are echoed; whether the receiver is still to be told of a reduction.
    pub(crate) echo: Echo,
    pub(crate) reduced: bool,
    /// The scheme whose headers its packets carry.
    pub(crate) scheme: Option<u8>,
    /// What the controller has set.
    pub window: Window,
    pub(crate) deadline: Time,
    /// When the timer that was asked for goes off; it may be earlier than the deadline.
    pub(crate) armed: Time,
    pub(crate) dupacks: u32,
    pub(crate) round_end: u32,
    /// Round trips.
    pub rtt: Estimator,
    pub(crate) recovery: Option<Box<LossRecovery>>,
    pub(crate) sent: Option<Box<SentPackets>>,
    pub(crate) pace_next: Time,
    /// When the pacing timer goes off.
    pub(crate) pace_armed: Time,
    /// The host's interface has enough to send until then.
    pub(crate) host_busy_until: Time,
    /// Whether the window limits the flow.
    pub(crate) usage: Usage,
    /// Growth of a whole window that does not make a segment yet.
    pub(crate) grown: f64,
    /// The tail loss probe under way: `next` after it, and whether it repeated a segment.
    pub(crate) probe: Option<(u32, bool)>,
    /// The congestion controller.
    pub controller: C,
    /// Fast recovery may begin again above this (RFC 6582); 0 before the first.
    pub(crate) recover: u32,
    /// Marks echoed up to here belong to a window that was reduced already.
    pub(crate) marked_until: u32,
    /// Without time stamps: the segment being timed, and since when (Karn).
    pub(crate) timed: Option<(u32, Time)>,
    /// When the routers are asked for a new pace, if that is before the next turn.
    pub(crate) ask_at: Time,
    /// How its last reduction may be undone.
    pub(crate) undo: Option<Box<Reduction>>,
    /// When a segment was last sent.
    pub(crate) sent_at: Time,
    /// What its application has written, if it does so in turn.
    pub(crate) writes: Option<Box<Writes>>,
    /// What it has counted.
    pub stats: Stats,
}

impl<C: Controller> Sender<C> {
    /// A closed sender of `size` segments.
    pub fn new(size: u32, controller: C, profile: &Profile) -> Self {
        let window =
            Window { cwnd: profile.initial_window, ssthresh: profile.initial_ssthresh, pace: f64::INFINITY };
        let follows = profile.rack_tlp || controller.wants_rate();
        Self {
            una: 0,
            next: 0,
            size,
            phase: Phase::Closed,
            backoff: 0,
            alarm: Alarm::Timeout,
            retried: false,
            echo: controller.echo().max(if profile.ecn { Echo::Latched } else { Echo::None }),
            reduced: false,
            scheme: controller.scheme(),
            window,
            deadline: NEVER,
            armed: NEVER,
            dupacks: 0,
            round_end: 0,
            rtt: Estimator::new(profile),
            recovery: None,
            sent: follows.then(|| Box::new(SentPackets::new(profile.rack_tlp))),
            controller,
            recover: 0,
            timed: None,
            marked_until: 0,
            probe: None,
            pace_next: 0,
            usage: Usage::default(),
            grown: 0.0,
            pace_armed: NEVER,
            ask_at: 0,
            undo: None,
            host_busy_until: 0,
            sent_at: 0,
            writes: None,
            stats: Stats::default(),
        }
    }

    /// Sends the SYN.
    pub fn open(&mut self, ctx: &mut impl SenderContext) {
        self.phase = Phase::SynSent;
        self.stats.started = ctx.now();
        self.send_syn(ctx);
    }

    /// An ACK arrived; true when it was the last one, or of a write.
    #[inline]
    pub fn on_ack(&mut self, ack: &AckSegment, header: Option<&Words>, ctx: &mut impl SenderContext) -> bool {
        if matches!(self.phase, Phase::SynSent | Phase::Closed) {
            return false;
        }
        debug_assert!(ack.next <= self.next, "an ACK of what was never sent");
        self.read_header(header, ctx);
        let plain = self.recovery.is_none() && ack.blocks.is_none();
        if plain && ack.next > self.una {
            self.on_progress(ack, ctx);
        } else {
            self.on_other_ack(ack, ctx);
        }
        if self.una >= self.size {
            return true;
        }
        self.pump(ctx);
        self.writes.is_some() && self.has_finished_write()
    }

    /// The common case: nothing missing, new data acknowledged.
    #[inline]
    pub(crate) fn on_progress(&mut self, ack: &AckSegment, ctx: &mut impl SenderContext) {
        let (cum, marked) = (ack.next, ack.echoes_mark());
        let flight = self.next - self.una;
        let newly = cum - self.una;
        if self.sent.is_some() {
            self.note_arrivals(cum, Echoed::of(ack, ctx), ctx.now());
        }
        self.una = cum;
        self.dupacks = 0;
        self.retried = false;
        let rtt_s = self.sample_rtt(cum, ack.stamp, ctx);
        if self.probe.is_some() {
            self.settle_probe(newly, ctx);
        }
        self.grow(newly, flight, rtt_s, marked, ctx);
        if marked {
            self.on_mark(newly, ctx);
        }
        self.restart_timer(ctx);
    }

    #[inline]
    fn note_arrivals(&mut self, cum: u32, echoed: Option<Echoed>, now: Time) {
        if let Some(sent) = &mut self.sent {
            (self.una..cum).for_each(|seq| sent.deliver(seq, now, echoed));
            sent.advance(cum);
        }
    }

    #[inline]
    pub(crate) fn sample_rtt(&mut self, cum: u32, echo: u32, ctx: &mut impl SenderContext) -> f64 {
        let profile = ctx.profile();
        let rtt = if profile.timestamps {
            since(echo, ctx.now())
        } else {
            match self.timed {
                Some((seq, at)) if cum > seq => {
                    self.timed = None;
                    ctx.now() - at
                }
                _ => return 0.0,
            }
        };
        let rtt_s = self.take_sample(rtt, ctx);
        if ctx.profile().rack_tlp { self.newest_rtt(rtt_s) } else { rtt_s }
    }

    #[inline]
    pub(crate) fn take_sample(&mut self, rtt: Span, ctx: &mut impl SenderContext) -> f64 {
        let rtt_s = self.rtt.sample(rtt, (self.una, self.next), ctx.now(), ctx.profile());
        self.backoff = 0; // until now: Karn; RFC 6298 §5
        self.stats.rtt_sum_s += rtt_s;
        self.stats.rtt_count += 1;
        ctx.observe(Event::RttSample { rtt_s });
        rtt_s
    }

    /// With RACK it is known when each segment left. So laws see the RTT of the last one that an ACK covers
    /// (as Linux), without the first one's wait for it at the receiver; the echo only tells of what was
    /// sent again.
    fn newest_rtt(&mut self, echoed_s: f64) -> f64 {
        let newest = self.sent.as_ref().and_then(|sent| sent.rtt());
        newest.map_or(echoed_s, |rtt| self.rtt.see(rtt))
    }

    /// There is nothing more to send; true if all that was sent has been acknowledged.
    pub fn stop(&mut self) -> bool {
        self.size = self.size.min(self.next);
        self.una >= self.size
    }

    /// The connection is over, whatever is outstanding.
    pub fn close(&mut self) {
        self.phase = Phase::Closed;
        self.recovery = None;
        self.sent = None;
        self.undo = None;
    }

    /// Segments in the network, as far as the sender knows.
    pub fn flight(&self) -> u32 {
        self.recovery.as_ref().map_or(self.next - self.una, |e| e.board.pipe())
    }

    /// What the controller shows of itself; NaN if nothing.
    pub fn gauge(&self) -> f64 {
        self.controller.gauge().map_or(f64::NAN, |gauge| gauge.1)
    }

    /// Memory besides the record itself.
    pub fn extra_bytes(&self) -> usize {
        self.recovery.as_ref().map_or(0, |e| e.bytes())
            + self.sent.as_ref().map_or(0, |j| j.bytes())
            + self.undo.as_ref().map_or(0, |_| size_of::<Reduction>())
            + self.bytes_of_writes()
    }
}
