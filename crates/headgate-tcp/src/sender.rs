//! The sending end of a connection: its state, and the handling of ACKs.
//!
//! Other modules implement its parts: the handshake in [`super::handshake`], the timer in [`super::alarm`],
//! the controller's view of ACKs in [`super::growth`], output in [`super::output`], an application's writes
//! in [`super::writes`] and [`super::idle`], and loss recovery in [`super::recovery`].

use headgate_model::control::{Controller, Window};
use headgate_model::ecn::Ecn;
use headgate_model::feedback::Words;
use headgate_model::units::{NEVER, Span, Time};
use serde::{Deserialize, Serialize};

use crate::accecn::MarkDecoder;
use crate::context::{AckSegment, Event, SenderContext};
use crate::feedback::Feedback;
use crate::loss_recovery::LossRecovery;
use crate::profile::Profile;
use crate::quic::QuicState;
use crate::reduction::Reduction;
use crate::rtt::{EchoedStamp, Estimator, since};
use crate::sent_packets::SentPackets;
use crate::state::{Alarm, Phase};
use crate::stats::Stats;
use crate::usage::Usage;
use crate::write_queue::Writes;

/// One connection's sending end. The first fields fit one cache line, because every ACK uses them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C)]
pub struct Sender<C> {
    /// The first segment that is not acknowledged (SND.UNA).
    pub una: u32,
    /// The next segment to be sent for the first time (SND.NXT).
    pub next: u32,
    /// Number of segments to send; [`crate::ENDLESS`] if the flow never ends.
    pub size: u32,
    /// The phase of the connection.
    pub phase: Phase,
    pub(crate) backoff: u8,
    pub(crate) alarm: Alarm,
    /// Whether the first outstanding segment has timed out before.
    pub(crate) has_timed_out: bool,
    /// The feedback of marks that SYNs ask for, and later the feedback that the receiver has granted.
    pub(crate) feedback: Feedback,
    /// Whether the receiver is still to be notified of a reduction.
    pub(crate) reduced: bool,
    /// The codepoint of data, if the connection uses ECN.
    pub(crate) codepoint: Ecn,
    /// The scheme whose headers the packets carry.
    pub(crate) scheme: Option<u8>,
    /// The controller's window.
    pub window: Window,
    pub(crate) deadline: Time,
    /// The time for which the timer was set; it may be earlier than the deadline.
    pub(crate) armed: Time,
    pub(crate) dupacks: u32,
    pub(crate) round_end: u32,
    /// RTT estimates.
    pub rtt: Estimator,
    pub(crate) recovery: Option<Box<LossRecovery>>,
    pub(crate) sent: Option<Box<SentPackets>>,
    /// The state of QUIC, which replaces TCP's loss recovery.
    pub(crate) quic: Option<Box<QuicState>>,
    pub(crate) pace_next: Time,
    /// The time for which the pacing timer was set.
    pub(crate) pace_armed: Time,
    /// The time until which the queue of the host's interface is full.
    pub(crate) host_busy_until: Time,
    /// Whether the window limits the flow.
    pub(crate) usage: Usage,
    /// Growth of a whole window that does not yet make a segment.
    pub(crate) grown: f64,
    /// The current tail loss probe: `next` after it, and whether it repeated a segment.
    pub(crate) probe: Option<(u32, bool)>,
    /// The counters of accurate feedback.
    pub(crate) decoder: Option<Box<MarkDecoder>>,
    /// The congestion controller.
    pub controller: C,
    /// Fast recovery may begin again above this segment (RFC 6582); 0 before the first.
    pub(crate) recover: u32,
    /// Marks echoed up to this segment belong to a window that was already reduced.
    pub(crate) marked_until: u32,
    /// Without time stamps: the segment that is timed, and the time at which it was sent (Karn).
    pub(crate) timed: Option<(u32, Time)>,
    /// Time of the next request for a pace, if that is before the next turn.
    pub(crate) request_at: Time,
    /// State that undoes the last reduction.
    pub(crate) undo: Option<Box<Reduction>>,
    /// Time of the last transmission.
    pub(crate) sent_at: Time,
    /// The application's writes, if it writes in turn.
    pub(crate) writes: Option<Box<Writes>>,
    /// Counters.
    pub stats: Stats,
}

impl<C: Controller> Sender<C> {
    /// Creates a closed sender of `size` segments.
    pub fn new(size: u32, controller: C, profile: &Profile) -> Self {
        let window =
            Window { cwnd: profile.initial_window, ssthresh: profile.initial_ssthresh, pace: f64::INFINITY };
        let quic = profile.quic.is_some();
        let follows = (profile.rack_tlp && !quic) || controller.wants_rate();
        let feedback = if quic { Some(Feedback::Accurate) } else { profile.ecn_feedback };
        Self {
            una: 0,
            next: 0,
            size,
            phase: Phase::Closed,
            backoff: 0,
            alarm: Alarm::Timeout,
            has_timed_out: false,
            feedback: Feedback::wanted(controller.echo(), profile.ecn, feedback),
            reduced: false,
            codepoint: profile.ecn_codepoint.unwrap_or_else(|| controller.codepoint()),
            scheme: controller.scheme(),
            window,
            deadline: NEVER,
            armed: NEVER,
            dupacks: 0,
            round_end: 0,
            rtt: Estimator::new(profile),
            recovery: None,
            sent: follows.then(|| Box::new(SentPackets::new(profile.rack_tlp && !quic))),
            quic: quic.then(Box::default),
            decoder: None,
            controller,
            recover: 0,
            timed: None,
            marked_until: 0,
            probe: None,
            pace_next: 0,
            usage: Usage::default(),
            grown: 0.0,
            pace_armed: NEVER,
            request_at: 0,
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

    /// Handles an ACK. Returns true if it was the last one of the flow or of a write.
    #[inline]
    pub fn on_ack(&mut self, ack: &AckSegment, header: Option<&Words>, ctx: &mut impl SenderContext) -> bool {
        if matches!(self.phase, Phase::SynSent | Phase::Closed) {
            return false;
        }
        if self.quic.is_some() {
            return self.on_packets_acked(ack, header, ctx);
        }
        debug_assert!(ack.next <= self.next, "an ACK of a packet that was never sent");
        self.read_header(header, ctx);
        let plain = self.recovery.is_none() && ack.blocks.is_none();
        if plain && ack.next > self.una {
            self.on_progress(ack, ctx);
        } else {
            self.on_irregular_ack(ack, ctx);
        }
        if self.una >= self.size {
            return true;
        }
        self.send_allowed(ctx);
        self.writes.is_some() && self.has_finished_write()
    }

    /// Handles the common case: nothing is missing, and new data is acknowledged.
    #[inline(always)]
    pub(crate) fn on_progress(&mut self, ack: &AckSegment, ctx: &mut impl SenderContext) {
        let cum = ack.next;
        let flight = self.next - self.una;
        let newly = cum - self.una;
        if let Some(sent) = &mut self.sent {
            sent.acknowledge(cum, ctx.now(), EchoedStamp::of(ack, ctx));
        }
        self.una = cum;
        self.dupacks = 0;
        self.has_timed_out = false;
        let rtt_s = self.sample_rtt(cum, ack.stamp, ctx);
        if self.probe.is_some() {
            self.resolve_tail_loss_probe(newly, ctx);
        }
        let marked = self.marked_share(ack, newly, 0, ctx);
        self.on_new_ack(newly, flight, rtt_s, marked, ctx);
        if marked.is_some() {
            self.on_mark(newly, ctx);
        }
        self.restart_timer(ctx);
    }

    #[inline(always)]
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
        self.backoff = 0; // Karn's algorithm; RFC 6298 §5
        self.stats.rtt_sum_s += rtt_s;
        self.stats.rtt_count += 1;
        ctx.observe(Event::RttSample { rtt_s });
        rtt_s
    }

    /// Returns the RTT of the newest segment that an ACK covers, which controllers see as in Linux. With RACK
    /// the send time of each segment is known, so the sample excludes the wait of the first segment at the
    /// receiver. The echoed time stamp serves only retransmissions.
    fn newest_rtt(&mut self, echoed_s: f64) -> f64 {
        let newest = self.sent.as_ref().and_then(|sent| sent.rtt());
        newest.map_or(echoed_s, |rtt| self.rtt.note_min_rtt(rtt))
    }

    /// Ends the flow after the segments sent so far. Returns true if all of them are acknowledged.
    pub fn stop(&mut self) -> bool {
        self.size = self.size.min(self.next);
        if let Some(writes) = &mut self.writes {
            writes.stop(self.size);
        }
        self.una >= self.size
    }

    /// Closes the connection even if segments are outstanding.
    pub fn close(&mut self) {
        self.phase = Phase::Closed;
        self.recovery = None;
        self.sent = None;
        self.quic = None;
        self.undo = None;
    }

    /// Number of segments in the network, as far as the sender knows.
    pub fn flight(&self) -> u32 {
        match (&self.recovery, &self.quic) {
            (None, None) => self.next - self.una,
            (Some(recovery), _) => recovery.scoreboard.pipe(),
            (None, Some(quic)) => quic.in_flight(),
        }
    }

    /// The controller's gauge; NaN if it provides none.
    pub fn gauge(&self) -> f64 {
        self.controller.gauge().map_or(f64::NAN, |gauge| gauge.1)
    }

    /// Heap memory of the sender, bytes.
    pub fn extra_bytes(&self) -> usize {
        self.recovery.as_ref().map_or(0, |e| e.bytes())
            + self.sent.as_ref().map_or(0, |j| j.bytes())
            + self.quic.as_ref().map_or(0, |quic| quic.bytes())
            + self.undo.as_ref().map_or(0, |_| size_of::<Reduction>())
            + self.decoder.as_ref().map_or(0, |_| size_of::<MarkDecoder>())
            + self.bytes_of_writes()
    }
}
