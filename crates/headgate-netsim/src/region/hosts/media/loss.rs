//! The packets in flight of a sender of media, as its receiver's reports show: arrivals and losses.

use headgate_model::ecn::Ecn;
use headgate_model::media::PacketReport;
use headgate_model::units::{Span, Time, seconds};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use crate::packets::media::MediaReport;

/// A packet that was sent.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Sent {
    at: Time,
    size: u16,
    /// The controller knows its fate.
    is_settled: bool,
}

/// The packets that were sent and not settled.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outstanding {
    /// Sequence number of the first packet in the list.
    first: u64,
    packets: VecDeque<Sent>,
    /// Sequence number after the largest one among those that arrived.
    arrived_below: u64,
    /// When that packet was sent, picoseconds.
    newest: Time,
    /// Bytes of the packets from `arrived_below` on.
    in_flight: u64,
}

impl Outstanding {
    /// Returns the sequence number of the next packet.
    pub fn next(&self) -> u64 {
        self.first + self.packets.len() as u64
    }

    /// Returns the bytes in flight: those of all packets after the last one that arrived.
    pub fn in_flight_bytes(&self) -> u64 {
        self.in_flight
    }

    /// Notes a packet that leaves. Returns its sequence number.
    pub fn send(&mut self, at: Time, size: u16) -> u64 {
        let sequence = self.next();
        self.packets.push_back(Sent { at, size, is_settled: false });
        self.in_flight += u64::from(size);
        sequence
    }

    /// Reads a report. Appends what is new to `news`, by sequence number: arrivals, and losses. A packet is
    /// lost if a packet that was sent `reorder` later has arrived.
    pub fn settle(&mut self, report: &MediaReport, reorder: Span, news: &mut Vec<PacketReport>) {
        for (sequence, reception) in (u64::from(report.begin)..).zip(&report.packets) {
            let Some(reception) = reception else { continue };
            self.note_arrival(sequence);
            let Some(packet) = self.unsettled(sequence) else { continue };
            let Sent { at, size, .. } = *packet;
            news.push(PacketReport {
                sequence,
                sent_s: seconds(at),
                arrived_s: Some(seconds(reception.at)),
                ecn: reception.ecn,
                size_bytes: f64::from(size),
            });
        }
        self.find_lost(reorder, news);
        news.sort_unstable_by_key(|packet| packet.sequence);
        while self.packets.front().is_some_and(|packet| packet.is_settled) {
            self.packets.pop_front();
            self.first += 1;
        }
    }

    /// Settles all packets without a report, so that no byte is in flight. Returns their number.
    pub fn forget(&mut self) -> u64 {
        let unsettled = self.packets.iter().filter(|packet| !packet.is_settled).count();
        self.first = self.next();
        self.packets.clear();
        self.arrived_below = self.first;
        self.in_flight = 0;
        unsettled as u64
    }

    /// Returns when the oldest packet in flight was sent, picoseconds.
    pub fn oldest(&self) -> Option<Time> {
        let index = self.arrived_below.saturating_sub(self.first) as usize;
        self.packets.get(index).map(|packet| packet.at)
    }

    /// Returns the memory of the list, bytes.
    pub fn bytes(&self) -> usize {
        self.packets.capacity() * size_of::<Sent>()
    }

    /// Settles a packet and returns it, unless it was settled before.
    fn unsettled(&mut self, sequence: u64) -> Option<&Sent> {
        let index = sequence.checked_sub(self.first)?;
        let packet = self.packets.get_mut(index as usize)?;
        (!std::mem::replace(&mut packet.is_settled, true)).then_some(packet)
    }

    /// Reduces the bytes in flight if no later packet has arrived.
    fn note_arrival(&mut self, sequence: u64) {
        if sequence < self.arrived_below || sequence >= self.next() {
            return;
        }
        let from = self.arrived_below.saturating_sub(self.first) as usize;
        let to = (sequence - self.first) as usize;
        self.in_flight -= self.packets.range(from..=to).map(|packet| u64::from(packet.size)).sum::<u64>();
        self.newest = self.packets[to].at;
        self.arrived_below = sequence + 1;
    }

    fn find_lost(&mut self, reorder: Span, news: &mut Vec<PacketReport>) {
        let before = self.arrived_below.saturating_sub(self.first) as usize;
        let Some(until) = self.newest.checked_sub(reorder) else { return };
        for (sequence, packet) in (self.first..).zip(self.packets.iter_mut().take(before)) {
            if packet.at > until {
                break;
            }
            if !std::mem::replace(&mut packet.is_settled, true) {
                news.push(PacketReport {
                    sequence,
                    sent_s: seconds(packet.at),
                    arrived_s: None,
                    ecn: Ecn::NotEct,
                    size_bytes: f64::from(packet.size),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::media::Reception;
    use headgate_model::chance::Stream;
    use std::collections::BTreeSet;

    const MS: Span = 1_000_000_000;

    fn report(begin: u32, arrived: &[bool]) -> MediaReport {
        let reception = |&is_there: &bool| is_there.then_some(Reception { at: 0, ecn: Ecn::Ect1 });
        MediaReport { begin, packets: arrived.iter().map(reception).collect(), sent: 0 }
    }

    fn settle(outstanding: &mut Outstanding, report: &MediaReport) -> Vec<(u64, bool)> {
        let mut news = Vec::new();
        outstanding.settle(report, 10 * MS, &mut news);
        news.iter().map(|packet| (packet.sequence, packet.arrived_s.is_some())).collect()
    }

    #[test]
    fn a_packet_is_lost_once_a_packet_sent_the_window_later_has_arrived() {
        let mut outstanding = Outstanding::default();
        for ms in [0, 5, 9, 10] {
            outstanding.send(ms * MS, 1000);
        }
        assert_eq!(settle(&mut outstanding, &report(0, &[false, true, true])), [(1, true), (2, true)]);
        assert_eq!(outstanding.in_flight_bytes(), 1000); // only the fourth: later ones than 0 arrived
        assert_eq!(settle(&mut outstanding, &report(3, &[true])), [(0, false), (3, true)]);
        assert_eq!(outstanding.in_flight_bytes(), 0);
        assert_eq!(settle(&mut outstanding, &report(0, &[true, true])), []); // too late, and repeated
    }

    #[test]
    fn after_a_silence_nothing_is_in_flight_and_nothing_is_reported() {
        let mut outstanding = Outstanding::default();
        for ms in [0, 5] {
            outstanding.send(ms * MS, 1000);
        }
        assert_eq!(outstanding.oldest(), Some(0));
        outstanding.forget();
        assert_eq!((outstanding.in_flight_bytes(), outstanding.oldest()), (0, None));
        assert_eq!(settle(&mut outstanding, &report(0, &[true, true])), []);
        assert_eq!(outstanding.send(600 * MS, 500), 2);
        assert_eq!((outstanding.in_flight_bytes(), outstanding.oldest()), (500, Some(600 * MS)));
    }

    #[test]
    fn each_packet_is_reported_once_and_bytes_in_flight_are_those_after_the_last_arrival() {
        let mut chance = Stream::new(7, "outstanding", 0);
        for _ in 0..200 {
            let mut outstanding = Outstanding::default();
            let (mut sizes, mut seen, mut highest) = (Vec::new(), BTreeSet::new(), None);
            for step in 0..200u64 {
                let size = 40 + chance.below(1460) as u16;
                outstanding.send(step * MS, size);
                sizes.push(u64::from(size));
                let begin = chance.below(step + 1);
                let flags: Vec<bool> = (begin..=step).map(|_| chance.chance(0.4)).collect();
                if chance.chance(0.3) {
                    let mut news = Vec::new();
                    outstanding.settle(&report(begin as u32, &flags), 5 * MS, &mut news);
                    for packet in news {
                        assert!(seen.insert(packet.sequence), "{} twice", packet.sequence);
                    }
                    let last = flags.iter().rposition(|&is_there| is_there).map(|n| begin + n as u64);
                    highest = highest.max(last);
                }
                let after = highest.map_or(0, |last| last as usize + 1);
                assert_eq!(outstanding.in_flight_bytes(), sizes[after..].iter().sum::<u64>());
            }
        }
    }
}
