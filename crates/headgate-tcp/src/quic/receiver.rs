//! The receiving end of QUIC: packet numbers, ECN counts, and when ACKs leave (RFC 9000 section 13.2).

use headgate_model::units::{Span, Time};
use serde::{Deserialize, Serialize};

use super::Quic;
use super::ecn::{NO_COUNTS, count_packet};
use super::ranges::{AckRanges, Ranges};
use crate::accecn::ByteCounts;
use crate::context::{AckReport, AckSegment, DataSegment, ReceiverContext};
use crate::receiver::{Receiver, Reply};

/// The ranges that a receiver keeps. It ignores packets below them (RFC 9000 section 13.2.3).
const KEPT_RANGES: usize = 32;

/// The unit of the ACK delay (RFC 9000 section 18.2, with the default exponent of 3).
const DELAY_UNIT: Span = 8_000_000;

/// The packets that a receiver has seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReceivedPackets {
    seen: Ranges,
    /// Packets below this one are ignored.
    floor: u32,
    /// The arrival of the packet with the largest number.
    largest_at: Time,
    /// Packets since the last ACK.
    unacked: u32,
    /// The largest number that an ACK has reported.
    reported: Option<u32>,
    counts: ByteCounts,
}

impl Default for ReceivedPackets {
    fn default() -> Self {
        Self {
            seen: Ranges::default(),
            floor: 0,
            largest_at: 0,
            unacked: 0,
            reported: None,
            counts: NO_COUNTS,
        }
    }
}

impl ReceivedPackets {
    /// Takes a packet. Returns `None` for a duplicate, and otherwise whether an ACK must leave at once.
    fn take(&mut self, packet: &DataSegment, now: Time, settings: &Quic) -> Option<bool> {
        let (number, largest) = (packet.seq, self.largest());
        if number < self.floor || !self.seen.insert(number) {
            return None;
        }
        if largest.is_none_or(|largest| number > largest) {
            self.largest_at = now;
        }
        self.forget_oldest();
        self.unacked = self.unacked.saturating_add(1);
        count_packet(&mut self.counts, packet.flags.ecn());
        let is_due = self.unacked >= settings.ack_every
            || packet.flags.is_marked()
            || self.is_out_of_order(number, largest, settings.ack_reordering);
        Some(is_due)
    }

    fn largest(&self) -> Option<u32> {
        self.seen.last().map(|range| range.1 - 1)
    }

    fn forget_oldest(&mut self) {
        if self.seen.len() > KEPT_RANGES
            && let Some(range) = self.seen.pop_first()
        {
            self.floor = range.1;
        }
    }

    /// Whether a packet out of order requires an ACK: by RFC 9000 section 13.2.1 if the threshold is 1, and
    /// by draft-ietf-quic-ack-frequency if it is larger. `before` is the largest number before the packet.
    fn is_out_of_order(&self, number: u32, before: Option<u32>, threshold: u32) -> bool {
        match threshold {
            0 => false,
            1 => number != before.map_or(0, |before| before + 1),
            _ => self.reveals_loss(threshold),
        }
    }

    /// Whether a packet is missing that an ACK would report as lost for the first time, because one with a
    /// number larger by the threshold has arrived.
    fn reveals_loss(&self, threshold: u32) -> bool {
        let (Some(largest), Some(reported)) = (self.largest(), self.reported) else { return false };
        let first_unreported = (reported + 1).saturating_sub(threshold).max(self.floor);
        let missing = self.seen.first_missing(first_unreported);
        missing < largest && largest - missing >= threshold
    }

    /// Returns an ACK that leaves now: its ranges, its delay and the ECN counts.
    fn acknowledge(&mut self, now: Time) -> (AckRanges, Span) {
        self.unacked = 0;
        self.reported = self.largest();
        let delay = (now - self.largest_at) / DELAY_UNIT * DELAY_UNIT;
        (AckRanges::collect(self.seen.descending()), delay)
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.seen.bytes()
    }
}

impl Receiver {
    /// Handles a packet. Returns true if it carried the last segment missing, of the flow or of a write.
    pub(crate) fn on_packet(&mut self, packet: &DataSegment, ctx: &mut impl ReceiverContext) -> bool {
        ctx.keep_header();
        let (now, Some(settings)) = (ctx.now(), ctx.profile().quic) else { return false };
        let Some(packets) = &mut self.packets else { return false };
        let Some(is_due) = packets.take(packet, now, &settings) else { return false };
        let is_first = packets.unacked == 1;
        let reply = self.take(packet.stamp, packet.flags.has(crate::Flags::PUSH));
        if is_due {
            self.acknowledge_packets(ctx);
        } else if is_first {
            self.note_unacked(settings.max_ack_delay, ctx);
        }
        reply == Reply::Complete
    }

    /// Sends an ACK of all packets seen, with the ECN counts if the connection uses ECN (RFC 9000 section
    /// 13.4.1).
    pub(crate) fn acknowledge_packets(&mut self, ctx: &mut impl ReceiverContext) {
        let Some(packets) = &mut self.packets else { return };
        let (ranges, delay) = packets.acknowledge(ctx.now());
        let counts = self.marks.is_accurate().then_some(packets.counts);
        let (next, stamp, blocks) = ranges.words();
        let ack = AckSegment { next, stamp, blocks, flags: self.marks.field() };
        self.note_acked();
        ctx.send_report(ack, AckReport { delay, counts });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::Flags;

    const MS: Span = 1_000_000_000;

    /// Delivers packets, one each millisecond. Returns those that an ACK answers at once.
    fn answered(numbers: &[u32], settings: Quic) -> Vec<u32> {
        let mut packets = ReceivedPackets::default();
        let mut answered = Vec::new();
        for (&number, now) in numbers.iter().zip(0..) {
            let packet = DataSegment { seq: number, stamp: number, flags: Flags::NONE };
            if packets.take(&packet, now * MS, &settings) == Some(true) {
                packets.acknowledge(now * MS);
                answered.push(number);
            }
        }
        answered
    }

    #[test]
    fn every_second_packet_and_each_one_out_of_order_is_answered() {
        let settings = Quic::default();
        assert_eq!(answered(&[0, 1, 2, 3, 4], settings), [1, 3]);
        assert_eq!(answered(&[0, 1, 3, 4, 5, 2], settings), [1, 3, 5, 2]);
        assert_eq!(answered(&[1, 0], settings), [1, 0]);
        assert_eq!(answered(&[0, 0, 0, 1], settings), [1]); // duplicates are not counted
    }

    #[test]
    fn a_threshold_waits_until_a_loss_would_be_reported() {
        let settings = Quic { ack_every: 10, ack_reordering: 3, ..Quic::default() };
        // ten packets, the ACK; then 11 is missing: 14 is the first that is three above
        let numbers = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15];
        assert_eq!(answered(&numbers, settings), [9, 14]);
        assert_eq!(answered(&numbers, Quic { ack_reordering: 0, ..settings }), [9]);
    }

    #[test]
    fn the_oldest_ranges_are_forgotten_and_their_packets_ignored() {
        let mut packets = ReceivedPackets::default();
        let take = |packets: &mut ReceivedPackets, number| {
            packets.take(&DataSegment { seq: number, stamp: 0, flags: Flags::NONE }, 0, &Quic::default())
        };
        (0..40).for_each(|number| _ = take(&mut packets, 2 * number));
        assert_eq!((packets.seen.len(), packets.floor), (KEPT_RANGES, 15));
        assert_eq!((take(&mut packets, 13), take(&mut packets, 15)), (None, Some(true)));
        let (ranges, _) = packets.acknowledge(0);
        assert_eq!(ranges.iter().collect::<Vec<_>>(), [(78, 79), (76, 77), (74, 75), (72, 73)]);
    }

    #[test]
    fn the_delay_counts_from_the_largest_number_in_units_of_8_us() {
        let mut packets = ReceivedPackets::default();
        let settings = Quic { ack_every: 10, ack_reordering: 0, ..Quic::default() };
        for (number, at) in [(0, 0), (2, MS), (1, 2 * MS)] {
            packets.take(&DataSegment { seq: number, stamp: 0, flags: Flags::NONE }, at, &settings);
        }
        assert_eq!(packets.acknowledge(3 * MS + 9_000_000).1, 2 * MS + 8_000_000);
    }
}
