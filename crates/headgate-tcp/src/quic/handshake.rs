//! The start of a connection.
//!
//! NOTE(RFC 9000 section 8.1): the opening end sends the data, after one round trip. Its first packet validates
//! no address, and the answer is as large as it. The limit of three times the received bytes therefore never
//! applies.

use headgate_model::control::Controller;
use headgate_model::units::Span;

use crate::context::{Context, Event, SenderContext};
use crate::sender::Sender;

impl<C: Controller> Sender<C> {
    /// Takes the first RTT sample, which is that of the packet that was answered, because its number is known
    /// (RFC 9002 section 5.1). A lost first packet reduces no window (section 6.2).
    pub(crate) fn begin_packets(&mut self, rtt: Span, ctx: &impl Context) {
        let profile = ctx.profile();
        let Some(quic) = &mut self.quic else { return };
        quic.rtt.sample(rtt, 0, &mut self.rtt.path);
        quic.pacer.fill(profile.initial_window, ctx.now());
    }

    /// Takes an RTT sample (RFC 9002 section 5.3). Returns it in seconds, without the delay of the ACK.
    pub(super) fn sample_packet(&mut self, rtt: Span, ctx: &mut impl SenderContext) -> f64 {
        let most = ctx.profile().quic.map_or(0, |quic| quic.max_ack_delay);
        let delay = ctx.ack_delay().min(most);
        let Some(quic) = &mut self.quic else { return 0.0 };
        let rtt_s = quic.rtt.sample(rtt, delay, &mut self.rtt.path);
        self.stats.rtt_sum_s += rtt_s;
        self.stats.rtt_count += 1;
        ctx.observe(Event::RttSample { rtt_s });
        rtt_s
    }
}
