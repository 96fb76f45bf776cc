//! Packets of real-time media and the receivers' reports.
//!
//! Like a foreign packet, a packet of media is a data packet with a header of a separate scheme, so it costs
//! other packets nothing. A report is an ACK whose header carries the number of its record in the side table.

use headgate_model::ecn::Ecn;
use headgate_model::feedback::CongestionHeader;
use headgate_model::units::Time;
use headgate_tcp::Flags;
use headgate_tcp::context::DataSegment;
use serde::{Deserialize, Serialize};

use super::address::AddressSplit;
use super::foreign::SLOTS;
use super::index::{Address, RouterIndex};
use super::packet::{CommonFields, Packet};

/// The scheme of the header of media. No router reads it.
pub const MEDIA_SCHEME: u8 = u8::MAX - 1;

/// The scheme of the header of a report. No router reads it.
pub const REPORT_SCHEME: u8 = u8::MAX - 2;

/// Most streams of media that begin or end at one router.
pub const MOST_STREAMS: u32 = 4096;

/// Bytes of a report without its entries: IPv4 (20), UDP (8), and RTCP as in RFC 8888 section 3.1: header and
/// sender (8), source and range (8), time stamp (4).
const REPORT_BYTES: usize = 48;

/// Most entries of a report (RFC 8888 section 3.1).
pub const MOST_ENTRIES: usize = 16_384;

/// An end of a stream of media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaEnd {
    /// The sender.
    Sender,
    /// The receiver.
    Receiver,
}

/// Returns the address of the end of a stream with this index among those of its router. The slots lie below
/// those of live hosts, far above those of TCP.
pub fn media_address(split: AddressSplit, router: RouterIndex, end: MediaEnd, index: u32) -> Address {
    split.join(router, last_slot(split) - 2 * index as usize - usize::from(end == MediaEnd::Receiver))
}

/// Returns the index of the end of a stream at this address among those of its router.
pub fn media_index(split: AddressSplit, address: Address) -> usize {
    (last_slot(split) - split.slot(address)) / 2
}

fn last_slot(split: AddressSplit) -> usize {
    split.slots() - 1 - SLOTS as usize
}

/// The part of a packet of media that is no field of [`Packet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaFields {
    /// Number of the frame, from 0.
    pub frame: u64,
    /// Number of packets of the frame; 0 for padding.
    pub frame_packets: u32,
    /// When the frame was captured, picoseconds.
    pub captured: Time,
    /// When the packet was sent, picoseconds.
    pub sent: Time,
}

impl MediaFields {
    /// Returns the header that carries the fields. Times above 2^53 ps (2.5 h) are rounded to 2 ps or more.
    pub fn header(&self) -> CongestionHeader {
        let words =
            [self.frame as f64, f64::from(self.frame_packets), self.captured as f64, self.sent as f64];
        CongestionHeader { scheme: MEDIA_SCHEME, words }
    }

    /// Returns the fields in this header, if the packet is one of media.
    pub fn of(header: &CongestionHeader) -> Option<Self> {
        let [frame, packets, captured, sent] = header.words;
        let fields = Self {
            frame: frame as u64,
            frame_packets: packets as u32,
            captured: captured as Time,
            sent: sent as Time,
        };
        (header.scheme == MEDIA_SCHEME).then_some(fields)
    }
}

/// Creates a packet of media, without its header.
pub fn media_packet(common: CommonFields, sequence: u32, ecn: Ecn, sender: Address) -> Packet {
    Packet::data(common, DataSegment { seq: sequence, stamp: 0, flags: ecn.into() }, sender)
}

/// Creates the packet of a report, without its header. It names its receiver for the order of packets.
pub fn report_packet(common: CommonFields, receiver: Address) -> Packet {
    Packet::ack(common, Flags::NONE, 0, receiver.0, None)
}

/// Returns the header of a report with this number in the side table.
pub fn report_header(number: u32) -> CongestionHeader {
    CongestionHeader { scheme: REPORT_SCHEME, words: [f64::from(number), 0.0, 0.0, 0.0] }
}

/// Returns the number of the report that this header carries.
pub fn report_number(header: &CongestionHeader) -> Option<u32> {
    (header.scheme == REPORT_SCHEME).then_some(header.words[0] as u32)
}

/// The arrival of a packet of media.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reception {
    /// When it arrived, picoseconds.
    pub at: Time,
    /// The ECN field with which it arrived.
    pub ecn: Ecn,
}

/// A report of the receiver (RFC 8888 section 3.1): for each packet of a range its arrival, if it arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaReport {
    /// Sequence number of the first packet.
    pub begin: u32,
    /// For each packet its arrival.
    pub packets: Vec<Option<Reception>>,
    /// When the report was sent, picoseconds.
    pub sent: Time,
}

impl MediaReport {
    /// Returns its size on the wire, bytes: two for each packet, in words of four.
    pub fn size_bytes(&self) -> u16 {
        (REPORT_BYTES + 4 * self.packets.len().div_ceil(2)) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_streams_have_different_addresses_that_name_their_index() {
        for routers in [2, 2000] {
            let split = AddressSplit::for_routers(routers);
            let mut all = Vec::new();
            for (index, end) in (0..3).flat_map(|n| [(n, MediaEnd::Sender), (n, MediaEnd::Receiver)]) {
                let address = media_address(split, RouterIndex(1), end, index);
                assert_eq!(split.router(address), RouterIndex(1));
                assert_eq!(media_index(split, address), index as usize);
                all.push(address);
            }
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), 6);
        }
    }

    #[test]
    fn a_header_carries_the_fields_of_media() {
        let fields = MediaFields { frame: 7, frame_packets: 3, captured: 1 << 52, sent: (1 << 52) + 1 };
        assert_eq!(MediaFields::of(&fields.header()), Some(fields));
        assert_eq!(MediaFields::of(&report_header(1)), None);
        assert_eq!(report_number(&report_header(9)), Some(9));
    }

    #[test]
    fn a_report_of_three_packets_takes_two_words() {
        let report = MediaReport { begin: 0, packets: vec![None; 3], sent: 0 };
        assert_eq!(report.size_bytes(), 48 + 8);
    }
}
