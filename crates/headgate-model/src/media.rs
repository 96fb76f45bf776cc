//! The interface of a rate controller of real-time media.
//!
//! A sender of media encodes frames at a target rate, cuts them into packets, and keeps these in a queue that
//! it paces. The receiver reports for each packet its arrival and its mark (RFC 8888). A rate controller is a
//! pure state machine: an event arrives as one record, and the controller sets the target rate, the pacing
//! rate and optionally a window. The sender does everything else once for all controllers: frames, queue,
//! pacing, reports, detection of losses. Rates are in bit/s, sizes in bytes with all headers, times in
//! seconds.

use serde::{Deserialize, Serialize};

use crate::ecn::Ecn;
use crate::params::Card;

/// The properties of a stream, which a controller learns once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MediaStream {
    /// Least target rate, bit/s.
    pub min_bps: f64,
    /// Greatest target rate, bit/s.
    pub max_bps: f64,
    /// Target rate of the first frame, bit/s.
    pub start_bps: f64,
    /// Time from one frame to the next, seconds.
    pub frame_s: f64,
    /// Size of a full packet with its headers, bytes.
    pub packet_bytes: f64,
}

/// The output of a rate controller, which the sender obeys.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Rate at which the encoder should produce packets, with their headers, bit/s. The sender limits it to
    /// the range of the stream.
    pub target_bps: f64,
    /// Rate at which the queue is sent, bit/s; infinite = unpaced.
    pub pacing_bps: f64,
    /// Largest number of bytes in flight; infinite = no window.
    pub window_bytes: f64,
    /// Age of the oldest packet in the queue from which on the sender discards its queue, seconds; infinite =
    /// never.
    pub discard_s: f64,
    /// Bytes of padding for a probe, which the sender appends to its queue in full packets. It then sets this
    /// to 0.
    pub padding_bytes: f64,
}

impl Rates {
    /// The rates before a controller has set any: the target of the first frame, unpaced, without a window.
    pub fn starting_at(target_bps: f64) -> Self {
        let never = f64::INFINITY;
        Self { target_bps, pacing_bps: never, window_bytes: never, discard_s: never, padding_bytes: 0.0 }
    }

    /// Whether the rates are valid. Every controller must leave valid rates.
    pub fn is_sound(&self) -> bool {
        let positive = [self.target_bps, self.pacing_bps, self.window_bytes, self.discard_s];
        let finite = [self.target_bps, self.padding_bytes];
        let is_positive = positive.iter().all(|value| *value > 0.0) && self.padding_bytes >= 0.0;
        is_positive && finite.iter().all(|value| *value < f64::INFINITY)
    }
}

/// The state of the sender's queue and of its packets on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SenderQueue {
    /// Current time, seconds since the start of the run.
    pub now_s: f64,
    /// Bytes in the queue.
    pub queue_bytes: f64,
    /// Age of the oldest packet in the queue, seconds; 0 if the queue is empty.
    pub queue_delay_s: f64,
    /// Bytes in flight: sizes of all packets that were sent after the packet with the largest sequence number
    /// among those that arrived, as far as reports show
    /// (draft-johansson-ccwg-rfc8298bis-screamv2 section "Status Update When Sending Data").
    pub in_flight_bytes: f64,
}

/// A frame that the encoder has produced. Its packets are in the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Frame {
    /// The sender, with the frame in its queue.
    pub sender: SenderQueue,
    /// Size of the frame's packets, bytes.
    pub size_bytes: f64,
    /// Whether it is a key frame.
    pub is_key: bool,
}

/// A packet that the sender has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SentPacket {
    /// The sender, with the packet in flight.
    pub sender: SenderQueue,
    /// Sequence number of the packet, from 0.
    pub sequence: u64,
    /// Size of the packet, bytes.
    pub size_bytes: f64,
}

/// The fate of a packet, as the sender knows it. Each packet is reported to the controller once: as arrived,
/// or as lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacketReport {
    /// Sequence number of the packet, from 0.
    pub sequence: u64,
    /// When the packet was sent, seconds, by the sender's clock.
    pub sent_s: f64,
    /// When the packet arrived, seconds, by the receiver's clock; `None` if it is lost.
    pub arrived_s: Option<f64>,
    /// The ECN field with which the packet arrived; [`Ecn::NotEct`] if it is lost.
    pub ecn: Ecn,
    /// Size of the packet, bytes.
    pub size_bytes: f64,
}

/// A report of the receiver, as the sender understands it.
#[derive(Clone, Copy, Debug)]
pub struct Feedback<'a> {
    /// The sender, after the report.
    pub sender: SenderQueue,
    /// Bytes in flight before the report.
    pub in_flight_before_bytes: f64,
    /// When the receiver sent the report, seconds, by the receiver's clock.
    pub reported_s: f64,
    /// Packets that were not reported before, by sequence number. It may be empty.
    pub packets: &'a [PacketReport],
}

impl Feedback<'_> {
    /// Returns the packets that arrived.
    pub fn arrived(&self) -> impl Iterator<Item = &PacketReport> {
        self.packets.iter().filter(|packet| packet.arrived_s.is_some())
    }

    /// Returns the round trip of the packet with the largest sequence number among those that arrived,
    /// seconds: without the time between its arrival and the report. `None` if no packet arrived.
    pub fn rtt_s(&self) -> Option<f64> {
        let last = self.arrived().last()?;
        Some(self.sender.now_s - last.sent_s - (self.reported_s - last.arrived_s?))
    }
}

/// A rate controller. Each is one file and one line of the registry.
pub trait RateController: Clone + Send {
    /// The stream begins. `rates` holds the values of [`Rates::starting_at`].
    fn on_start(&mut self, stream: &MediaStream, now_s: f64, rates: &mut Rates);

    /// The encoder has produced a frame.
    fn on_frame(&mut self, _frame: &Frame, _rates: &mut Rates) {}

    /// The sender has sent a packet.
    fn on_send(&mut self, _packet: &SentPacket, _rates: &mut Rates) {}

    /// A report of the receiver arrived.
    fn on_feedback(&mut self, feedback: &Feedback, rates: &mut Rates);

    /// Packets are in flight, and no report arrived for half a second. The sender counts no byte as in flight
    /// any more, and the packets so far are never reported as lost.
    fn on_silence(&mut self, _sender: &SenderQueue, _rates: &mut Rates) {}

    /// The ECN field of the stream's packets.
    fn codepoint(&self) -> Ecn {
        Ecn::NotEct
    }

    /// A further quantity of the controller for time series, as (name, value).
    fn gauge(&self) -> Option<(&'static str, f64)> {
        None
    }
}

/// A registry of rate controllers. The engine is generic over it.
pub trait RateControllers:
    RateController + std::fmt::Debug + Serialize + for<'de> Deserialize<'de> + 'static
{
    /// Cards of all rate controllers, sorted by name.
    fn cards() -> &'static [&'static Card];

    /// Creates a rate controller by its index in [`Self::cards`]; `values` are in the order of the card's
    /// parameters.
    fn build(index: usize, values: &[f64]) -> Self;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_round_trip_excludes_the_wait_for_the_report() {
        let report = |sequence, arrived_s| PacketReport {
            sequence,
            sent_s: 1.0,
            arrived_s,
            ecn: Ecn::NotEct,
            size_bytes: 1200.0,
        };
        let packets = [report(4, Some(1.02)), report(5, Some(1.03)), report(6, None)];
        let sender = SenderQueue { now_s: 1.06, ..SenderQueue::default() };
        let feedback = Feedback { sender, in_flight_before_bytes: 0.0, reported_s: 1.04, packets: &packets };
        assert!((feedback.rtt_s().expect("an arrival") - 0.05).abs() < 1e-12); // 60 ms less 10 ms
        assert_eq!(feedback.arrived().count(), 2);
        assert_eq!(Feedback { packets: &packets[2..], ..feedback }.rtt_s(), None);
    }

    #[test]
    fn rates_without_a_target_are_not_sound() {
        let rates = Rates::starting_at(1e6);
        assert!(rates.is_sound());
        assert!(!Rates { target_bps: f64::INFINITY, ..rates }.is_sound());
        assert!(!Rates { window_bytes: 0.0, ..rates }.is_sound());
        assert!(!Rates { pacing_bps: f64::NAN, ..rates }.is_sound());
    }
}
