//! The start of a connection, and the congestion headers that it exchanges with routers.

use headgate_model::control::Controller;
use headgate_model::feedback::{CongestionHeader, Words};
use headgate_model::units::{Span, seconds};

use crate::context::{Context, Event, SenderContext, Syn, SynAck};
use crate::profile::{ENDLESS, Profile, SynRetry};
use crate::receiver::Receiver;
use crate::sender::Sender;
use crate::state::Phase;

/// Returns the time until the next retransmission of a SYN, given the number of earlier ones.
fn syn_timeout(retransmissions: u8, profile: &Profile) -> Span {
    let doublings = if profile.syn_backoff { retransmissions.min(16) } else { 0 };
    profile.syn_rto << doublings
}

impl Receiver {
    /// Returns the answer to a SYN: the one that created the receiver, or the same one sent again.
    #[must_use]
    pub fn answer(&mut self, syn: &Syn, profile: &Profile) -> SynAck {
        SynAck { tries: syn.tries, flags: self.marks.answer(syn, profile) }
    }
}

impl<C: Controller> Sender<C> {
    /// Bits of a count of retransmissions that a SYN carries.
    const TRIES_MASK: u8 = 3;

    /// Sends a SYN with the size of the flow, unless an application may write more.
    ///
    /// NOTE(RFC 9293 section 3.5): the SYN carries the size of the flow, which TCP does not do. The receiver
    /// needs it to detect the end of the flow, because there is no FIN.
    pub(crate) fn send_syn(&mut self, ctx: &mut impl SenderContext) {
        self.send_header_request(if self.writes.is_none() { self.size } else { ENDLESS }, ctx);
        self.set_deadline(ctx.now() + syn_timeout(self.backoff, ctx.profile()), ctx);
    }

    /// Sends a SYN for a flow of `segments` segments; 0 if only its congestion header matters.
    pub(crate) fn send_header_request(&mut self, segments: u32, ctx: &mut impl SenderContext) {
        let (flags, tries) = (self.syn_flags(ctx), self.backoff & Self::TRIES_MASK);
        let header = self.make_header();
        ctx.send_syn(Syn { segments, flags, tries }, header);
    }

    /// Handles a SYN-ACK. Data may be sent afterwards.
    pub fn on_syn_ack(&mut self, answer: SynAck, header: Option<&Words>, ctx: &mut impl SenderContext) {
        if self.phase != Phase::SynSent {
            return self.on_probe_answer(header, ctx);
        }
        self.phase = Phase::Open;
        let elapsed = ctx.now() - self.stats.started;
        self.stats.established = Some(elapsed);
        ctx.observe(Event::Established);
        let marked = self.settle_feedback(answer.flags, ctx);
        self.begin_after(answer.tries, elapsed, ctx);
        if marked {
            self.window.cwnd = 1.0; // draft-ietf-tcpm-generalized-ecn
        }
        self.backoff = 0;
        if self.quic.is_some() {
            self.controller.on_quic();
        }
        self.controller.on_start(seconds(ctx.now()), &self.rtt.path, &mut self.window);
        self.read_header(header, ctx);
        self.restart_timer(ctx);
        self.send_allowed(ctx);
    }

    /// Sets the initial window and the first RTT sample, by the number of SYNs sent and the SYN that was
    /// answered.
    fn begin_after(&mut self, tries: u8, elapsed: Span, ctx: &mut impl SenderContext) {
        let profile = ctx.profile();
        if self.quic.is_some() {
            let tries = self.answered_try(tries);
            self.begin_packets(elapsed - self.syn_left_after(tries, profile), ctx);
        } else if self.backoff == 0 {
            self.rtt.sample(elapsed, (self.una, self.next), ctx.now(), profile);
        } else if profile.syn_retry == SynRetry::Rfc5681 {
            self.window.cwnd = 1.0; // a lost SYN is a sign of congestion (RFC 5681 §3.1)
            self.rtt.fall_back();
        } else {
            let retransmissions = self.answered_try(tries);
            if self.backoff > 1 && retransmissions > 0 {
                self.window.cwnd = 1.0;
            }
            let rtt = elapsed - self.syn_left_after(retransmissions, profile);
            self.rtt.sample(rtt, (self.una, self.next), ctx.now(), profile);
        }
    }

    /// Returns the number of retransmissions before the SYN that was answered, from that number modulo 4: the
    /// latest that fits.
    fn answered_try(&self, tries: u8) -> u8 {
        let behind = self.backoff.wrapping_sub(tries) & Self::TRIES_MASK;
        self.backoff.saturating_sub(behind)
    }

    /// Returns the time from the first SYN to this retransmission of it.
    fn syn_left_after(&self, retransmissions: u8, profile: &Profile) -> Span {
        (0..retransmissions).map(|before| syn_timeout(before, profile)).sum()
    }

    /// Handles the answer to a request for a new pace.
    fn on_probe_answer(&mut self, header: Option<&Words>, ctx: &mut impl SenderContext) {
        if self.phase != Phase::Closed && header.is_some() {
            self.read_header(header, ctx);
            self.send_allowed(ctx);
        }
    }

    /// Returns the congestion header of a packet that leaves now, if the controller's scheme uses one.
    #[inline]
    pub(crate) fn make_header(&mut self) -> Option<CongestionHeader> {
        let scheme = self.scheme?;
        Some(CongestionHeader { scheme, words: self.controller.header(&self.rtt.path, &self.window) })
    }

    /// Passes the routers' answer to the controller.
    #[inline]
    pub(crate) fn read_header(&mut self, header: Option<&Words>, ctx: &impl Context) {
        let Some(words) = header.filter(|_| self.scheme.is_some()) else { return };
        let before = self.window.pace;
        self.controller.on_header(words, seconds(ctx.now()), &self.rtt.path, &mut self.window);
        self.change_pace(before);
    }
}
