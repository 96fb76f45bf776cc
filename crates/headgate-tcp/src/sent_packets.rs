//! The state of the connection when each outstanding segment was sent, for RACK (RFC 8985) and delivery-rate
//! samples (draft-cheng-iccrg-delivery-rate-estimation). It is recorded only if one of them is in use.

use headgate_model::control::Rate;
use headgate_model::units::{NEVER, SECOND, Span, Time, seconds};
use serde::{Deserialize, Serialize};

use crate::rtt::EchoedStamp;
use crate::send_order::{LossVerdict, SendOrder};
use crate::transmissions::{Age, Transmission, Transmissions};

/// The record of all outstanding segments. The first fields fit one cache line, because every segment uses
/// them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct SentPackets {
    sent: Transmissions,
    delivered: u32,
    /// Segments found lost in all, and before this ACK.
    lost: u32,
    lost_before: u32,
    /// Segments delivered before this ACK.
    before: u32,
    /// Samples are application-limited until this number of segments is delivered.
    app_limited_until: u32,
    delivered_at: Time,
    first_at: Time,
    /// The shortest round trip among this ACK's segments that were sent once, and among all segments. Both
    /// are exact for any clock of the profile. `NEVER` if there is none.
    rtt: Span,
    least_rtt: Span,
    /// The segment of this ACK that was sent last.
    latest: Option<Transmission>,
    /// The order of transmissions, for RACK.
    order: Option<SendOrder>,
}

impl SentPackets {
    /// Creates an empty record. `in_order` records the order of transmissions for [`Self::next_loss`].
    pub fn new(in_order: bool) -> Self {
        Self {
            sent: Transmissions::default(),
            delivered: 0,
            lost: 0,
            lost_before: 0,
            before: 0,
            app_limited_until: 0,
            delivered_at: 0,
            first_at: 0,
            rtt: NEVER,
            least_rtt: NEVER,
            latest: None,
            order: in_order.then(SendOrder::default),
        }
    }

    /// Records a transmission that makes `in_flight` segments outstanding. `alone` is true if nothing was
    /// outstanding before, not even lost segments; a new interval then begins.
    pub fn note_sent(&mut self, seq: u32, now: Time, in_flight: u32, alone: bool) {
        if alone {
            (self.first_at, self.delivered_at) = (now, now);
        }
        let sent = Transmission {
            at: now,
            delivered: self.delivered,
            again: false,
            delivered_age: Age::new(now - self.delivered_at),
            first_age: Age::new(now - self.first_at),
            lost: self.lost,
            in_flight,
            app_limited: self.delivered < self.app_limited_until,
        };
        self.sent.put(seq, sent);
        if let Some(order) = &mut self.order {
            order.sent.push_back((now, seq));
        }
    }

    /// Records the arrival of a segment. An echo faster than any round trip, or with a time stamp from before
    /// the retransmission, belongs to the first transmission (RFC 8985 section 6.2 step 2).
    #[inline]
    pub fn deliver(&mut self, seq: u32, now: Time, echoed: Option<EchoedStamp>) {
        let Some(&sent) = self.sent.get(seq) else { return };
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
        if self.order.is_some() {
            self.note_order(seq, &sent, rtt, echoed);
        }
    }

    #[inline(never)]
    fn note_order(&mut self, seq: u32, sent: &Transmission, rtt: Span, echoed: Option<EchoedStamp>) {
        let Some(order) = &mut self.order else { return };
        order.note_arrival(seq, sent.again);
        let spurious = sent.again
            && ((self.least_rtt != NEVER && rtt < self.least_rtt)
                || echoed.is_some_and(|echoed| echoed.is_before(sent.at)));
        if !spurious {
            order.note_delivered(sent.at, seq, rtt);
        }
    }

    /// Records the arrival of all segments below `una`, as [`Self::deliver`] does, and removes them.
    #[inline]
    pub fn acknowledge(&mut self, una: u32, now: Time, echoed: Option<EchoedStamp>) {
        (self.sent.base()..una).for_each(|seq| self.deliver(seq, now, echoed));
        self.advance(una);
    }

    /// Removes all segments below `una`, which are acknowledged.
    #[inline]
    pub fn advance(&mut self, una: u32) {
        self.sent.advance(una);
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

    /// Whether reordering was observed.
    pub fn is_reordered(&self) -> bool {
        self.order.as_ref().is_some_and(|order| order.reordered)
    }

    /// The largest distance at which a later segment overtook an earlier one, segments; 0 if none did.
    pub fn reordering_degree(&self) -> u32 {
        self.order.as_ref().map_or(0, |order| order.degree)
    }

    /// The reordering window, in quarters of the least RTT.
    pub fn reordering_quarters(&self) -> u8 {
        self.order.as_ref().map_or(1, |order| order.window.quarters)
    }

    /// Records that a time stamp proved a segment late by `distance` segments.
    pub fn note_late(&mut self, distance: u32) {
        if let Some(order) = &mut self.order {
            order.note_reordering(distance);
        }
    }

    /// Records `count` duplicates that the receiver reports; each is a delivery. `widens` is false if a probe
    /// was the duplicate, which leaves the reordering window alone.
    pub fn note_duplicates(&mut self, count: u32, widens: bool) {
        self.delivered += count;
        if let Some(order) = &mut self.order {
            order.window.reported |= widens && order.reordered;
        }
    }

    /// Records the end of a recovery. `undone` is true if its reduction was undone, because everything that
    /// it sent again had arrived.
    pub fn end_recovery(&mut self, undone: bool) {
        if let Some(order) = &mut self.order {
            order.window.end_recovery(undone);
        }
    }

    /// Restores the order of all outstanding segments after losses were cleared, because those segments may
    /// still arrive.
    pub fn reexamine(&mut self, mut settled: impl FnMut(u32) -> bool) {
        let Some(order) = &mut self.order else { return };
        let outstanding = self.sent.iter().filter(|&(seq, _)| !settled(seq));
        let mut sent: Vec<(Time, u32)> = outstanding.map(|(seq, sent)| (sent.at, seq)).collect();
        sent.sort_unstable();
        order.sent = sent.into();
    }

    /// Whether an outstanding segment was sent within the newest round trip (`tcp_rack_skb_timeout`).
    pub fn is_recent(&self, seq: u32, now: Time) -> bool {
        let rtt = self.order.as_ref().map_or(0, |order| order.newest_rtt);
        self.sent.get(seq).is_some_and(|sent| sent.at + rtt > now)
    }

    /// The shortest round trip among this ACK's segments that were sent once.
    pub fn rtt(&self) -> Option<Span> {
        if_measured(self.rtt)
    }

    /// Time of the last transmission of an outstanding segment.
    pub fn sent_at(&self, seq: u32) -> Time {
        self.sent.get(seq).expect("the segment is outstanding").at
    }

    /// Returns the rate sample of this ACK, after which `in_flight` segments are outstanding. It contains no
    /// rate if its interval is shorter than any round trip.
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
            rtt_s: if_measured(std::mem::replace(&mut self.rtt, NEVER)).map_or(0.0, seconds),
            ..Rate::default()
        };
        let Some(sent) = self.latest.take() else { return counts };
        let interval = sent.first_age.span().max(self.delivered_at - sent.at + sent.delivered_age.span());
        let valid = interval > 0 && (self.least_rtt == NEVER || interval >= self.least_rtt);
        let delivered = f64::from(self.delivered - sent.delivered);
        Rate {
            per_s: if valid { delivered * SECOND as f64 / interval as f64 } else { 0.0 },
            interval_s: seconds(interval),
            ..self.since(&sent, counts)
        }
    }

    #[inline]
    fn since(&self, sent: &Transmission, counts: Rate) -> Rate {
        Rate {
            prior: f64::from(sent.delivered),
            then_in_flight: f64::from(sent.in_flight),
            lost_since: f64::from(self.lost - sent.lost),
            app_limited: sent.app_limited,
            ..counts
        }
    }

    /// Records a loss. Returns the state of the connection when the segment was sent.
    pub fn lose(&mut self, seq: u32) -> Option<Rate> {
        let sent = *self.sent.get(seq)?;
        self.lost += 1;
        let (delivered, lost) = (f64::from(self.delivered), f64::from(self.lost));
        Some(self.since(&sent, Rate { delivered, lost, ..Rate::default() }))
    }

    /// Records that the sender has nothing to send while `in_flight` segments are outstanding.
    pub fn note_app_limited(&mut self, in_flight: u32) {
        self.app_limited_until = (self.delivered + in_flight).max(1) + 1;
    }

    /// The oldest transmission that a later one has overtaken by more than `reordering_window` is lost. If there is
    /// none, returns when the next one becomes lost. `stale` is true for segments that have arrived.
    pub fn next_loss(
        &mut self,
        now: Time,
        reordering_window: Span,
        mut stale: impl FnMut(u32) -> bool,
    ) -> LossVerdict {
        let Some(order) = &mut self.order else { return LossVerdict::None };
        while let Some(&(at, seq)) = order.sent.front() {
            let current = self.sent.get(seq).is_some_and(|sent| sent.at == at);
            if current && !stale(seq) {
                if (at, seq) >= order.newest {
                    break;
                }
                let due = at + order.newest_rtt + reordering_window;
                if due > now {
                    return LossVerdict::Pending(due);
                }
                order.sent.pop_front();
                return LossVerdict::Lost(seq);
            }
            order.sent.pop_front();
        }
        LossVerdict::None
    }

    pub fn bytes(&self) -> usize {
        let order = self.order.as_ref().map_or(0, |order| order.sent.capacity());
        size_of::<Self>() + self.sent.bytes() + order * 16
    }
}

/// Returns a span, unless it is [`NEVER`].
#[inline]
fn if_measured(span: Span) -> Option<Span> {
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
        assert_eq!(j.next_loss(102 * MS, 25 * MS, |s| s == 2), LossVerdict::Pending(125 * MS));
        assert_eq!(j.next_loss(125 * MS, 25 * MS, |s| s == 2), LossVerdict::Lost(0));
        assert_eq!(j.next_loss(125 * MS, 25 * MS, |s| s == 2), LossVerdict::Pending(126 * MS));
        assert_eq!(j.next_loss(126 * MS, 25 * MS, |s| s == 2), LossVerdict::Lost(1));
        assert_eq!(j.next_loss(126 * MS, 25 * MS, |s| s == 2), LossVerdict::None);
    }

    #[test]
    fn a_lost_retransmission_is_lost_once_what_was_sent_after_it_arrived() {
        let mut j = sent();
        j.note_sent(0, 20 * MS, 10, false);
        j.note_sent(10, 21 * MS, 11, false);
        (1..11).for_each(|seq| j.deliver(seq, 121 * MS, None));
        assert_eq!(j.next_loss(121 * MS, 0, |s| s > 0), LossVerdict::Lost(0));
    }

    #[test]
    fn an_echo_of_the_first_transmission_does_not_count() {
        let mut j = sent();
        j.deliver(1, 101 * MS, None);
        j.note_sent(0, 190 * MS, 10, false);
        j.deliver(0, 200 * MS, None); // 10 ms after its retransmission, at an RTT of 100 ms
        assert_eq!(j.order.map(|order| order.newest), Some((MS, 1)));
    }

    #[test]
    fn what_arrives_late_without_being_sent_again_was_overtaken() {
        let mut j = sent();
        j.deliver(3, 103 * MS, None);
        j.deliver(1, 103 * MS, None); // reported by the same ACK
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
