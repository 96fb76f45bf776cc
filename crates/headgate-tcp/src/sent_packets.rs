//! What was known when each outstanding segment was sent: the memory behind RACK (RFC 8985) and
//! delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation). Kept only for those who ask.

use headgate_model::control::Rate;
use headgate_model::units::{NEVER, SECOND, Span, Time, seconds};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use crate::rtt::Echoed;
use crate::send_order::{Order, Overtaken, tighten};

/// One transmission: half a cache line, as there is one for each segment in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(align(32))]
struct Sent {
    at: Time,
    /// Segments delivered until then.
    delivered: u32,
    /// How long ago the last of them was acknowledged.
    delivered_ago: Ago,
    /// How long ago the first segment of the sampled interval was sent.
    first_ago: Ago,
    /// Segments found lost until then, and in flight with this one.
    lost: u32,
    in_flight: u32,
    again: bool,
    /// There was nothing to send.
    app_limited: bool,
}

/// A span of up to 17 s, to 4 ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Ago(u32);

impl Ago {
    const SHIFT: u32 = 12;

    fn new(span: Span) -> Self {
        Self(u32::try_from(span >> Self::SHIFT).unwrap_or(u32::MAX))
    }

    fn span(self) -> Span {
        Span::from(self.0) << Self::SHIFT
    }
}

/// The fields of the first lines serve every segment.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct SentPackets {
    base: u32,
    delivered: u32,
    /// Segments found lost, and before this ACK.
    lost: u32,
    lost_before: u32,
    /// Delivered before this ACK.
    before: u32,
    /// Samples are limited by the application until so many are delivered.
    app_limited_until: u32,
    delivered_at: Time,
    first_at: Time,
    sent: VecDeque<Sent>,
    /// Shortest round trip among this ACK's segments that were sent once, and of all: exact, whatever the clock
    /// of the profile. `NEVER` if there is none.
    rtt: Span,
    least_rtt: Span,
    /// Of this ACK: the segment whose sending saw the most delivered.
    latest: Option<Sent>,
    /// For RACK.
    order: Option<Order>,
}

impl SentPackets {
    /// `in_order`: it will be asked what was overtaken.
    pub fn new(in_order: bool) -> Self {
        Self {
            base: 0,
            delivered: 0,
            lost: 0,
            lost_before: 0,
            before: 0,
            app_limited_until: 0,
            delivered_at: 0,
            first_at: 0,
            sent: VecDeque::new(),
            rtt: NEVER,
            least_rtt: NEVER,
            latest: None,
            order: in_order.then(Order::default),
        }
    }

    /// Notes a transmission that makes `in_flight` segments outstanding; `alone`: nothing was, not
    /// even lost segments, and an interval begins.
    pub fn note_sent(&mut self, seq: u32, now: Time, in_flight: u32, alone: bool) {
        if alone {
            (self.first_at, self.delivered_at) = (now, now);
        }
        let mut sent = Sent {
            at: now,
            delivered: self.delivered,
            again: false,
            delivered_ago: Ago::new(now - self.delivered_at),
            first_ago: Ago::new(now - self.first_at),
            lost: self.lost,
            in_flight,
            app_limited: self.delivered < self.app_limited_until,
        };
        match self.sent.get_mut((seq - self.base) as usize) {
            Some(before) => {
                sent.again = true;
                *before = sent;
            }
            None => self.sent.push_back(sent),
        }
        if let Some(order) = &mut self.order {
            order.sent.push_back((now, seq));
        }
    }

    /// One segment is known to have arrived. An echo faster than any round trip was of its first
    /// transmission and says nothing about the second (RFC 8985 §6.2 step 2); so was one with a time stamp from
    /// before the second.
    #[inline]
    pub fn deliver(&mut self, seq: u32, now: Time, echoed: Option<Echoed>) {
        let Some(&sent) = self.sent.get((seq - self.base) as usize) else { return };
        self.delivered += 1;
        self.delivered_at = now;
        if self.latest.is_none_or(|latest| sent.at >= latest.at) {
            self.latest = Some(sent);
            self.first_at = sent.at;
        }
        let rtt = now - sent.at;
        if !sent.again {
            self.rtt = self.rtt.min(rtt);
            self.least_rtt = self.least_rtt.min(rtt);
        }
        let spurious = sent.again
            && ((self.least_rtt != NEVER && rtt < self.least_rtt)
                || echoed.is_some_and(|echoed| echoed.is_before(sent.at)));
        let Some(order) = &mut self.order else { return };
        order.note_arrival(seq, sent.again);
        if !spurious {
            order.note_delivered(sent.at, seq, rtt);
        }
    }

    /// Everything below `una` is acknowledged.
    #[inline]
    pub fn advance(&mut self, una: u32) {
        let gone = ((una - self.base) as usize).min(self.sent.len());
        if gone == 1 {
            self.sent.pop_front();
        } else {
            self.sent.drain(..gone);
        }
        tighten(&mut self.sent);
        self.base = una;
        if let Some(order) = &mut self.order {
            order.advance(una);
            if order.window.reported
                && let Some(latest) = &self.latest
            {
                order.window.update(latest.delivered, self.delivered);
            }
        }
    }

    /// Segments delivered so far.
    pub fn delivered(&self) -> u32 {
        self.delivered
    }

    /// Whether segments were seen to overtake others.
    pub fn is_reordered(&self) -> bool {
        self.order.as_ref().is_some_and(|order| order.reordered)
    }

    /// The largest distance at which a segment was overtaken, segments; 0 if none was.
    pub fn reordering_degree(&self) -> u32 {
        self.order.as_ref().map_or(0, |order| order.degree)
    }

    /// The reordering window, in quarters of the least RTT.
    pub fn reordering_quarters(&self) -> u8 {
        self.order.as_ref().map_or(1, |order| order.window.quarters)
    }

    /// A time stamp shows that a segment was late, `distance` segments behind.
    pub fn note_late(&mut self, distance: u32) {
        if let Some(order) = &mut self.order {
            order.note_reordering(distance);
        }
    }

    /// The receiver reports so many duplicates, each a delivery. The reordering window `widens` unless a probe
    /// was the duplicate.
    pub fn note_duplicates(&mut self, count: u32, widens: bool) {
        self.delivered += count;
        if let Some(order) = &mut self.order {
            order.window.reported |= widens && order.reordered;
        }
    }

    /// A recovery ended; its reduction was `undone`, since all that it sent again had arrived, or stays.
    pub fn end_recovery(&mut self, undone: bool) {
        if let Some(order) = &mut self.order {
            order.window.end_recovery(undone);
        }
    }

    /// What was judged lost may arrive still: everything outstanding is in order of time again.
    pub fn reexamine(&mut self, mut settled: impl FnMut(u32) -> bool) {
        let Some(order) = &mut self.order else { return };
        let outstanding = self.sent.iter().zip(self.base..).filter(|&(_, seq)| !settled(seq));
        let mut sent: Vec<(Time, u32)> = outstanding.map(|(sent, seq)| (sent.at, seq)).collect();
        sent.sort_unstable();
        order.sent = sent.into();
    }

    /// Whether an outstanding segment was sent less than the newest round trip ago (`tcp_rack_skb_timeout`).
    pub fn is_recent(&self, seq: u32, now: Time) -> bool {
        let rtt = self.order.as_ref().map_or(0, |order| order.newest_rtt);
        self.sent.get((seq - self.base) as usize).is_some_and(|sent| sent.at + rtt > now)
    }

    /// Shortest round trip among this ACK's segments that were sent once.
    pub fn rtt(&self) -> Option<Span> {
        known(self.rtt)
    }

    /// When an outstanding segment was last sent.
    pub fn sent_at(&self, seq: u32) -> Time {
        self.sent[(seq - self.base) as usize].at
    }

    /// The sample of this ACK, after which `in_flight` segments are outstanding. There is no rate if the
    /// interval is shorter than any round trip.
    #[inline]
    pub fn rate(&mut self, in_flight: u32) -> Rate {
        let newly = self.delivered - std::mem::replace(&mut self.before, self.delivered);
        let newly_lost = self.lost - std::mem::replace(&mut self.lost_before, self.lost);
        let counts = Rate {
            delivered: f64::from(self.delivered),
            newly: f64::from(newly),
            lost: f64::from(self.lost),
            newly_lost: f64::from(newly_lost),
            in_flight: f64::from(in_flight),
            rtt_s: known(std::mem::replace(&mut self.rtt, NEVER)).map_or(0.0, seconds),
            ..Rate::default()
        };
        let Some(sent) = self.latest.take() else { return counts };
        let interval = sent.first_ago.span().max(self.delivered_at - sent.at + sent.delivered_ago.span());
        let valid = interval > 0 && (self.least_rtt == NEVER || interval >= self.least_rtt);
        let delivered = f64::from(self.delivered - sent.delivered);
        Rate {
            per_s: if valid { delivered * SECOND as f64 / interval as f64 } else { 0.0 },
            interval_s: seconds(interval),
            ..self.since(&sent, counts)
        }
    }

    #[inline]
    fn since(&self, sent: &Sent, counts: Rate) -> Rate {
        Rate {
            prior: f64::from(sent.delivered),
            then_in_flight: f64::from(sent.in_flight),
            lost_since: f64::from(self.lost - sent.lost),
            app_limited: sent.app_limited,
            ..counts
        }
    }

    /// A segment is lost: what was known when it was sent.
    pub fn lose(&mut self, seq: u32) -> Option<Rate> {
        let sent = *self.sent.get(seq.checked_sub(self.base)? as usize)?;
        self.lost += 1;
        let (delivered, lost) = (f64::from(self.delivered), f64::from(self.lost));
        Some(self.since(&sent, Rate { delivered, lost, ..Rate::default() }))
    }

    /// There is nothing to send while `in_flight` segments are outstanding.
    pub fn note_app_limited(&mut self, in_flight: u32) {
        self.app_limited_until = (self.delivered + in_flight).max(1) + 1;
    }

    /// The oldest transmission that something sent later has overtaken by more than `patience`: lost.
    /// Otherwise when the next one would be, if any can. `stale` tells what arrived.
    pub fn overtaken(&mut self, now: Time, patience: Span, mut stale: impl FnMut(u32) -> bool) -> Overtaken {
        let Some(order) = &mut self.order else { return Overtaken::None };
        while let Some(&(at, seq)) = order.sent.front() {
            let current = seq >= self.base && self.sent[(seq - self.base) as usize].at == at;
            if current && !stale(seq) {
                if (at, seq) >= order.newest {
                    break;
                }
                let due = at + order.newest_rtt + patience;
                if due > now {
                    return Overtaken::Maybe(due);
                }
                order.sent.pop_front();
                return Overtaken::Lost(seq);
            }
            order.sent.pop_front();
        }
        Overtaken::None
    }

    pub fn bytes(&self) -> usize {
        let order = self.order.as_ref().map_or(0, |order| order.sent.capacity());
        size_of::<Self>() + self.sent.capacity() * size_of::<Sent>() + order * 16
    }
}

/// A span, if it is one.
#[inline]
fn known(span: Span) -> Option<Span> {
    (span != NEVER).then_some(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Span = SECOND / 1000;

    /// Ten segments, one each millisecond.
    fn sent() -> SentPackets {
        let mut sent = SentPackets::new(true);
        (0..10).for_each(|seq| sent.note_sent(seq, u64::from(seq) * MS, seq + 1, seq == 0));
        sent
    }

    #[test]
    fn a_segment_is_lost_when_a_later_one_arrived_and_time_is_up() {
        let mut j = sent();
        j.deliver(2, 102 * MS, None);
        assert_eq!(j.overtaken(102 * MS, 25 * MS, |s| s == 2), Overtaken::Maybe(125 * MS));
        assert_eq!(j.overtaken(125 * MS, 25 * MS, |s| s == 2), Overtaken::Lost(0));
        assert_eq!(j.overtaken(125 * MS, 25 * MS, |s| s == 2), Overtaken::Maybe(126 * MS));
        assert_eq!(j.overtaken(126 * MS, 25 * MS, |s| s == 2), Overtaken::Lost(1));
        assert_eq!(j.overtaken(126 * MS, 25 * MS, |s| s == 2), Overtaken::None);
    }

    #[test]
    fn a_lost_retransmission_is_lost_once_what_was_sent_after_it_arrived() {
        let mut j = sent();
        j.note_sent(0, 20 * MS, 10, false);
        j.note_sent(10, 21 * MS, 11, false);
        (1..11).for_each(|seq| j.deliver(seq, 121 * MS, None));
        assert_eq!(j.overtaken(121 * MS, 0, |s| s > 0), Overtaken::Lost(0));
    }

    #[test]
    fn an_echo_of_the_first_transmission_does_not_count() {
        let mut j = sent();
        j.deliver(1, 101 * MS, None);
        j.note_sent(0, 190 * MS, 10, false);
        j.deliver(0, 200 * MS, None); // 10 ms after it was sent again, where a round trip takes 100
        assert_eq!(j.order.map(|order| order.newest), Some((MS, 1)));
    }

    #[test]
    fn what_arrives_late_without_being_sent_again_was_overtaken() {
        let mut j = sent();
        j.deliver(3, 103 * MS, None);
        j.deliver(1, 103 * MS, None); // told by the same ACK
        j.advance(0);
        assert!(!j.is_reordered());
        j.note_sent(0, 104 * MS, 10, false);
        j.deliver(0, 204 * MS, None); // it was sent again
        j.advance(2);
        assert!(!j.is_reordered());
        j.deliver(2, 205 * MS, None);
        assert!(j.is_reordered());
    }

    #[test]
    fn a_steady_stream_has_its_rate() {
        let mut j = SentPackets::new(true);
        let (mut rate, rtt) = (0.0, 50);
        for ms in 0..500u32 {
            let now = u64::from(ms) * MS;
            if ms >= rtt {
                j.deliver(ms - rtt, now, None);
                j.advance(ms - rtt + 1);
                rate = j.rate(rtt - 1).per_s;
            }
            j.note_sent(ms, now, (ms + 1).min(rtt), ms == 0);
        }
        assert!((rate - 1000.0).abs() < 1e-6, "{rate}");
    }
}
