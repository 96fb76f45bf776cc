//! How a connection begins, and what it and the routers say to each other by headers.

use headgate_model::control::Controller;
use headgate_model::feedback::{CongestionHeader, Words};
use headgate_model::units::seconds;

use crate::context::{Context, Event, SenderContext, Syn};
use crate::sender::Sender;
use crate::state::Phase;

impl<C: Controller> Sender<C> {
    pub(crate) fn send_syn(&mut self, ctx: &mut impl SenderContext) {
        self.ask(self.size, ctx);
        let profile = ctx.profile();
        let doublings = if profile.syn_backoff { self.backoff.min(16) } else { 0 };
        self.set_deadline(ctx.now() + (profile.syn_rto << doublings), ctx);
    }

    /// A SYN for a flow of so many segments; of none, where only its header matters.
    pub(crate) fn ask(&mut self, segments: u32, ctx: &mut impl SenderContext) {
        let flags = self.syn_flags();
        let header = self.make_header();
        ctx.send_syn(Syn { segments, flags }, header);
    }

    /// The SYN was answered: data may flow.
    pub fn on_syn_ack(&mut self, header: Option<&Words>, ctx: &mut impl SenderContext) {
        if self.phase != Phase::SynSent {
            return self.on_probe_answer(header, ctx);
        }
        self.phase = Phase::Open;
        let elapsed = ctx.now() - self.stats.started;
        self.stats.established = Some(elapsed);
        ctx.observe(Event::Established);
        if self.backoff == 0 {
            self.rtt.sample(elapsed, ctx.profile());
        } else {
            self.window.cwnd = 1.0; // a lost SYN is a sign of congestion (RFC 5681 §3.1)
            self.rtt.fall_back();
        }
        self.backoff = 0;
        self.controller.on_start(seconds(ctx.now()), &self.rtt.path, &mut self.window);
        self.read_header(header, ctx);
        self.restart_timer(ctx);
        self.pump(ctx);
    }

    /// A question for a new pace came back.
    fn on_probe_answer(&mut self, header: Option<&Words>, ctx: &mut impl SenderContext) {
        if self.phase != Phase::Closed && header.is_some() {
            self.read_header(header, ctx);
            self.pump(ctx);
        }
    }

    /// What a packet that leaves now says to the routers, if the controller's scheme has it so.
    #[inline]
    pub(crate) fn make_header(&mut self) -> Option<CongestionHeader> {
        let scheme = self.scheme?;
        Some(CongestionHeader { scheme, words: self.controller.header(&self.rtt.path, &self.window) })
    }

    /// What the routers have answered.
    #[inline]
    pub(crate) fn read_header(&mut self, header: Option<&Words>, ctx: &impl Context) {
        let Some(words) = header.filter(|_| self.scheme.is_some()) else { return };
        let before = self.window.pace;
        self.controller.on_header(words, seconds(ctx.now()), &self.rtt.path, &mut self.window);
        self.change_pace(before);
    }
}
