//! Monitor intervals: which packets were sent in each, and what became of them.

use std::collections::VecDeque;

use headgate_model::control::Ack;

/// The least number of packets of an interval.
const LEAST_PACKETS: f64 = 10.0;
/// Missing packets with which an interval ends: the ACK of two packets may span two intervals.
const UNKNOWN: f64 = 1.0;
/// Intervals that are kept; more are never open.
const KEPT: usize = 8;

/// One interval. Times in seconds, packets in segments.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Interval {
    /// The multiple of the rate that it tries; `None` if nobody asks for its result.
    share: Option<f64>,
    rate: f64,
    since_s: f64,
    until_s: f64,
    /// Segments delivered, and transmissions, at its start.
    delivered: f64,
    sent: f64,
    acked: f64,
    lost: f64,
    app_limited: bool,
    /// Sums of a linear regression of RTTs over the time of sending: number, x, y, xx, xy.
    sums: [f64; 5],
}

/// The outcome of an interval.
#[derive(Clone, Debug)]
pub struct Measured {
    pub share: f64,
    /// The rate, segments/s.
    pub rate: f64,
    pub app_limited: bool,
    sent: f64,
    lost: f64,
    sums: [f64; 5],
}

impl Measured {
    /// The share of lost packets.
    pub fn loss(&self) -> f64 {
        (self.lost / self.sent).min(1.0)
    }

    /// The slope of the RTT over the time of sending; 0 if it cannot be measured.
    pub fn slope(&self) -> f64 {
        let [n, x, y, xx, xy] = self.sums;
        let spread = n * xx - x * x;
        if spread > 1e-9 * n * xx { (n * xy - x * y) / spread } else { 0.0 }
    }
}

/// The open intervals, the latest last.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Intervals(VecDeque<Interval>);

impl Intervals {
    /// Takes an ACK: its packets and its RTT belong to the interval in which its latest packet was sent.
    #[inline]
    pub fn record_ack(&mut self, ack: &Ack) {
        let rate = &ack.rate;
        if rate.newly <= 0.0 {
            return;
        }
        let Some(interval) = find(&mut self.0, rate.prior) else { return };
        interval.acked += rate.newly;
        interval.app_limited |= rate.app_limited;
        if ack.rtt_s > 0.0 {
            let (x, y) = (ack.now_s - ack.rtt_s - interval.since_s, ack.rtt_s);
            let sums = &mut interval.sums;
            sums[0] += 1.0;
            sums[1] += x;
            sums[2] += y;
            sums[3] += x * x;
            sums[4] += x * y;
        }
    }

    /// Takes a loss; `prior` segments were delivered when the segment was sent.
    pub fn record_loss(&mut self, prior: f64) {
        if let Some(interval) = find(&mut self.0, prior) {
            interval.lost += 1.0;
        }
    }

    /// Whether the latest interval has lasted.
    #[inline]
    pub fn is_due(&self, now_s: f64) -> bool {
        self.0.back().is_none_or(|latest| now_s >= latest.until_s)
    }

    /// Whether the result of an interval is awaited.
    pub fn is_awaited(&self) -> bool {
        self.0.iter().any(|interval| interval.share.is_some())
    }

    /// Begins an interval at this rate, segments/s.
    pub fn begin(&mut self, ack: &Ack, share: Option<f64>, rate: f64, rtt_s: f64) {
        let counts = &ack.rate;
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(Interval {
            share,
            rate,
            since_s: ack.now_s,
            until_s: ack.now_s + rtt_s.max(LEAST_PACKETS / rate),
            delivered: counts.delivered,
            sent: counts.delivered + counts.lost + counts.in_flight,
            acked: 0.0,
            lost: 0.0,
            app_limited: false,
            sums: [0.0; 5],
        });
    }

    /// Removes the first interval if the fate of its packets is known, and returns its outcome. It is known at
    /// the latest when the packets of the interval after the next one arrive.
    pub fn take_measured(&mut self) -> Option<Measured> {
        loop {
            let [first, second] = [0, 1].map(|n| self.0.get(n));
            let (first, second) = (first?, second?);
            let sent = (second.sent - first.sent).max(0.0);
            let is_late = self.0.get(2).is_some_and(|third| third.acked > 0.0);
            let known = first.acked + first.lost + UNKNOWN >= sent && second.acked > 0.0;
            if first.share.is_some() && !known && !is_late {
                return None;
            }
            let span_s = second.since_s - first.since_s;
            // an unpaced sender, or one that its window stopped, sends less than its rate
            let rate = first.rate.min((sent + 1.0) / span_s);
            let first = self.0.pop_front()?;
            if let Some(share) = first.share {
                let Interval { app_limited, lost, sums, .. } = first;
                return Some(Measured { share, rate, app_limited, sent: sent.max(1.0), lost, sums });
            }
        }
    }

    /// Forgets all intervals.
    pub fn forget(&mut self) {
        self.0.clear();
    }
}

/// The interval in which a segment was sent when `prior` were delivered.
#[inline]
fn find(intervals: &mut VecDeque<Interval>, prior: f64) -> Option<&mut Interval> {
    intervals.iter_mut().rev().find(|interval| prior >= interval.delivered)
}

#[cfg(test)]
mod tests {
    use headgate_model::control::Rate;

    use super::*;

    /// An ACK of one segment, sent when `prior` were delivered, with `in_flight` in flight afterwards.
    fn ack(now_s: f64, delivered: f64, prior: f64, in_flight: f64) -> Ack {
        let rate = Rate { delivered, prior, newly: 1.0, in_flight, ..Rate::default() };
        Ack { now_s, acked: 1.0, rtt_s: 0.1, rate, ..Ack::default() }
    }

    #[test]
    fn packets_belong_to_the_interval_in_which_they_were_sent() {
        let mut intervals = Intervals::default();
        intervals.begin(&ack(1.0, 100.0, 90.0, 10.0), Some(1.05), 100.0, 0.1);
        intervals.begin(&ack(1.1, 110.0, 100.0, 10.0), Some(0.95), 95.0, 0.1);
        for (delivered, prior) in [(111.0, 100.0), (112.0, 105.0), (113.0, 109.0), (114.0, 110.0)] {
            intervals.record_ack(&ack(1.2, delivered, prior, 10.0));
        }
        intervals.record_loss(99.0);
        intervals.record_loss(108.0);
        let acked: Vec<_> = intervals.0.iter().map(|one| (one.acked, one.lost)).collect();
        assert_eq!(acked, [(3.0, 1.0), (1.0, 0.0)]);
    }

    #[test]
    fn an_interval_ends_when_the_fate_of_its_packets_is_known() {
        let mut intervals = Intervals::default();
        intervals.begin(&ack(1.0, 100.0, 90.0, 10.0), Some(1.05), 50.0, 0.1);
        intervals.begin(&ack(1.1, 110.0, 100.0, 10.0), None, 50.0, 0.1); // 10 were sent
        (0..8).for_each(|n| intervals.record_ack(&ack(1.2, 111.0 + f64::from(n), 100.0, 10.0)));
        intervals.record_ack(&ack(1.3, 119.0, 110.0, 10.0));
        assert!(intervals.take_measured().is_none()); // two are missing
        intervals.record_loss(105.0);
        let measured = intervals.take_measured().expect("one may be missing");
        assert_eq!((measured.share, measured.rate, measured.loss()), (1.05, 50.0, 0.1));
        assert!(intervals.take_measured().is_none());
    }

    #[test]
    fn an_interval_that_stays_unknown_ends_two_later() {
        let mut intervals = Intervals::default();
        for (now_s, delivered) in [(1.0, 100.0), (1.1, 110.0), (1.2, 120.0)] {
            intervals.begin(&ack(now_s, delivered, 90.0, 10.0), Some(1.0), 100.0, 0.1);
        }
        intervals.record_ack(&ack(1.25, 121.0, 112.0, 10.0));
        assert!(intervals.take_measured().is_none());
        intervals.record_ack(&ack(1.3, 122.0, 121.0, 10.0));
        assert!(intervals.take_measured().is_some());
    }

    #[test]
    fn the_slope_is_that_of_least_squares() {
        let mut intervals = Intervals::default();
        intervals.begin(&ack(1.0, 0.0, 0.0, 10.0), Some(1.0), 100.0, 0.1);
        // sent at 1.00, 1.01 ... with RTTs that grow by 0.5 ms each
        for n in 0..10 {
            let (sent_s, rtt_s) = (1.0 + 0.01 * f64::from(n), 0.1 + 5e-4 * f64::from(n));
            intervals.record_ack(&Ack { now_s: sent_s + rtt_s, rtt_s, ..ack(0.0, 1.0, 0.0, 10.0) });
        }
        intervals.begin(&ack(1.1, 10.0, 0.0, 10.0), None, 100.0, 0.1);
        intervals.record_ack(&ack(1.3, 11.0, 10.0, 10.0));
        let measured = intervals.take_measured().expect("all arrived");
        assert!((measured.slope() - 0.05).abs() < 1e-9);
        assert_eq!(measured.loss(), 0.0);
    }

    #[test]
    fn an_interval_has_an_rtt_and_ten_packets() {
        for (rate, until_s) in [(1000.0, 1.1), (50.0, 1.2)] {
            let mut intervals = Intervals::default();
            assert!(intervals.is_due(0.0));
            intervals.begin(&ack(1.0, 0.0, 0.0, 10.0), None, rate, 0.1);
            assert!(!intervals.is_due(until_s - 1e-9) && intervals.is_due(until_s));
        }
    }
}
