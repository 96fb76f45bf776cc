//! How a connection begins, and what it and the routers say to each other by labels.

use headgate_model::control::Law;
use headgate_model::feedback::{Label, Words};
use headgate_model::units::seconds;

use crate::context::{Context, Event, SenderContext, Syn};
use crate::sender::Sender;
use crate::state::Phase;

impl<C: Law> Sender<C> {
    pub(crate) fn send_syn(&mut self, ctx: &mut impl SenderContext) {
        self.ask(self.size, ctx);
        let profile = ctx.profile();
        let doublings = if profile.syn_backoff { self.backoff.min(16) } else { 0 };
        self.set_deadline(ctx.now() + (profile.syn_rto << doublings), ctx);
    }

    /// A SYN for a flow of so many segments; of none, where only its label matters.
    pub(crate) fn ask(&mut self, segments: u32, ctx: &mut impl SenderContext) {
        let flags = self.syn_flags();
        let label = self.make_label();
        ctx.send_syn(Syn { segments, flags }, label);
    }

    /// The SYN was answered: data may flow.
    pub fn on_syn_ack(&mut self, label: Option<&Words>, ctx: &mut impl SenderContext) {
        if self.phase != Phase::SynSent {
            return self.on_probe_answer(label, ctx);
        }
        self.phase = Phase::Open;
        let elapsed = ctx.now() - self.stats.started;
        self.stats.established = Some(elapsed);
        ctx.observe(Event::Established);
        if self.backoff == 0 {
            self.rtt.sample(elapsed, ctx.profile());
        } else {
            self.window.cwnd = 1.0; // a lost SYN is a sign of congestion (RFC 5681 §3.1)
        }
        self.backoff = 0;
        self.controller.on_start(seconds(ctx.now()), &self.rtt.path, &mut self.window);
        self.read_label(label, ctx);
        self.restart_timer(ctx);
        self.pump(ctx);
    }

    /// A question for a new pace came back.
    fn on_probe_answer(&mut self, label: Option<&Words>, ctx: &mut impl SenderContext) {
        if self.phase != Phase::Closed && label.is_some() {
            self.read_label(label, ctx);
            self.pump(ctx);
        }
    }

    /// What a packet that leaves now says to the routers, if the controller's scheme has it so.
    #[inline]
    pub(crate) fn make_label(&mut self) -> Option<Label> {
        let scheme = self.scheme?;
        Some(Label { scheme, words: self.controller.label(&self.rtt.path, &self.window) })
    }

    /// What the routers have answered.
    #[inline]
    pub(crate) fn read_label(&mut self, label: Option<&Words>, ctx: &impl Context) {
        let Some(words) = label.filter(|_| self.scheme.is_some()) else { return };
        let before = self.window.pace;
        self.controller.on_label(words, seconds(ctx.now()), &self.rtt.path, &mut self.window);
        self.change_pace(before);
    }
}
