//! The rate at which packets arrive.
//!
//! Sources: libwebrtc `robust_throughput_estimator.cc` (window, largest gap, smaller of both rates);
//! draft-ietf-rmcat-gcc-02 section 5.5 (`R_hat`).
//!
//! NOTE(libwebrtc `robust_throughput_estimator.cc`): it also forgets the window if a report is older than the
//! newest arrival by a second. Reports here are in the order of arrivals.

use std::collections::VecDeque;

use super::Variant;

/// The window contains at least these packets, and those of at least this time, seconds.
const PACKETS: usize = 20;
const WINDOW_S: f64 = 1.0;
/// The window of the draft, seconds (section 5.6: `T`, from 0.5 to 1).
const DRAFT_WINDOW_S: f64 = 0.5;
/// Bounds of the window: packets, and seconds.
const MOST_PACKETS: usize = 500;
const LONGEST_S: f64 = 5.0;
/// Packets that a rate needs.
const NEEDED: usize = 10;
/// Shortest time that a rate is divided by, seconds.
const SHORTEST_S: f64 = 0.001;

/// A packet that arrived.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Arrival {
    sent_s: f64,
    arrived_s: f64,
    bits: f64,
}

/// The last packets that arrived, in this order.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Throughput {
    variant: Variant,
    window: VecDeque<Arrival>,
    /// Latest time at which a packet was sent that has left the window, seconds.
    forgotten_s: f64,
    /// First arrival, seconds.
    first_s: f64,
}

impl Throughput {
    /// Creates an empty window.
    pub fn new(variant: Variant) -> Self {
        let window = VecDeque::new();
        Self { variant, window, forgotten_s: f64::NEG_INFINITY, first_s: f64::INFINITY }
    }

    /// Takes a packet that arrived.
    pub fn take(&mut self, sent_s: f64, arrived_s: f64, bytes: f64) {
        self.first_s = self.first_s.min(arrived_s);
        let later = self.window.iter().rev().take_while(|other| other.arrived_s > arrived_s).count();
        let arrival = Arrival { sent_s, arrived_s, bits: 8.0 * bytes };
        self.window.insert(self.window.len() - later, arrival);
    }

    /// Forgets packets that are too old.
    pub fn trim(&mut self) {
        while let (Some(first), Some(last)) = (self.window.front(), self.window.back()) {
            let span_s = last.arrived_s - first.arrived_s;
            let is_old = match self.variant {
                Variant::Draft => span_s > DRAFT_WINDOW_S,
                Variant::Webrtc if self.window.len() > PACKETS && span_s > WINDOW_S => true,
                Variant::Webrtc => span_s > LONGEST_S || self.window.len() > MOST_PACKETS,
            };
            if !is_old {
                return;
            }
            self.forgotten_s = self.forgotten_s.max(first.sent_s);
            self.window.pop_front();
        }
    }

    /// The rate, bit/s; `None` if too few packets arrived.
    pub fn rate_bps(&self) -> Option<f64> {
        let last_s = self.window.back()?.arrived_s;
        match self.variant {
            Variant::Webrtc => (self.window.len() >= NEEDED).then(|| self.robust_bps()),
            Variant::Draft => {
                let bits = self.window.iter().map(|arrival| arrival.bits).sum::<f64>();
                (last_s - self.first_s >= DRAFT_WINDOW_S).then_some(bits / DRAFT_WINDOW_S)
            }
        }
    }

    /// Returns the smaller of the rates of sending and of arriving, without the largest gap of arrivals,
    /// bit/s.
    fn robust_bps(&self) -> f64 {
        let bits = self.window.iter().map(|arrival| arrival.bits).sum::<f64>();
        let (first, last) = (self.window[0], self.window[self.window.len() - 1]);
        let (mut largest_s, mut second_s) = (0.0f64, 0.0f64);
        for (before, after) in self.window.iter().zip(self.window.iter().skip(1)) {
            let gap_s = after.arrived_s - before.arrived_s;
            second_s = second_s.max(gap_s.min(largest_s));
            largest_s = largest_s.max(gap_s);
        }
        // the first packet began to arrive before the time that is measured
        let arriving_s = last.arrived_s - first.arrived_s - largest_s + second_s;
        let arriving_bps = (bits - first.bits) / arriving_s.max(SHORTEST_S);
        self.sending_bps().map_or(arriving_bps, |sending_bps| sending_bps.min(arriving_bps))
    }

    /// Returns the rate of sending, bit/s, of the packets that were not overtaken by forgotten ones.
    fn sending_bps(&self) -> Option<f64> {
        let (mut first_s, mut last_s) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut bits, mut last_bits, mut count) = (0.0, 0.0, 0);
        for arrival in self.window.iter().filter(|arrival| arrival.sent_s >= self.forgotten_s) {
            if arrival.sent_s > last_s {
                (last_s, last_bits) = (arrival.sent_s, arrival.bits);
            }
            first_s = first_s.min(arrival.sent_s);
            bits += arrival.bits;
            count += 1;
        }
        // the last packet is still being sent when the time that is measured ends
        (count >= NEEDED).then(|| (bits - last_bits) / (last_s - first_s).max(SHORTEST_S))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of 1000-byte packets, one every `sent_ms` and `arrived_ms`.
    fn window(variant: Variant, count: u32, sent_ms: f64, arrived_ms: f64) -> Throughput {
        let mut throughput = Throughput::new(variant);
        for n in (0..count).map(f64::from) {
            throughput.take(n * sent_ms / 1e3, 1.0 + n * arrived_ms / 1e3, 1000.0);
        }
        throughput.trim();
        throughput
    }

    #[test]
    fn it_is_the_smaller_rate() {
        let rate = |sent, arrived| window(Variant::Webrtc, 100, sent, arrived).rate_bps().expect("enough");
        assert!((rate(10.0, 10.0) - 8e5).abs() < 1e-6);
        assert!((rate(10.0, 16.0) - 5e5).abs() < 1e-6);
        assert!((rate(20.0, 16.0) - 4e5).abs() < 1e-6);
    }

    #[test]
    fn the_largest_gap_counts_as_the_second_largest() {
        let mut throughput = Throughput::new(Variant::Webrtc);
        for n in (0..50).map(f64::from) {
            let held_s = if n >= 25.0 { 0.3 } else { 0.0 };
            throughput.take(n * 0.01, 1.0 + n * 0.01 + held_s, 1000.0);
        }
        assert!((throughput.rate_bps().expect("enough") - 8e5).abs() < 1e-6);
    }

    #[test]
    fn ten_packets_are_needed() {
        assert_eq!(window(Variant::Webrtc, 9, 10.0, 10.0).rate_bps(), None);
        assert!(window(Variant::Webrtc, 10, 10.0, 10.0).rate_bps().is_some());
        assert_eq!(Throughput::new(Variant::Webrtc).rate_bps(), None);
    }

    #[test]
    fn the_window_covers_a_second_and_twenty_packets_but_no_more_than_five_seconds() {
        assert_eq!(window(Variant::Webrtc, 300, 10.0, 10.0).window.len(), 101);
        assert_eq!(window(Variant::Webrtc, 300, 100.0, 100.0).window.len(), 20);
        assert_eq!(window(Variant::Webrtc, 300, 1000.0, 1000.0).window.len(), 6);
        assert_eq!(window(Variant::Webrtc, 3000, 0.1, 0.1).window.len(), 500);
    }

    #[test]
    fn packets_that_arrive_out_of_order_are_sorted() {
        let mut throughput = Throughput::new(Variant::Webrtc);
        for n in [0.0, 2.0, 1.0, 3.0, 5.0, 4.0, 6.0, 7.0, 8.0, 9.0, 10.0] {
            throughput.take(n * 0.01, 1.0 + n * 0.01, 1000.0);
        }
        assert!((throughput.rate_bps().expect("enough") - 8e5).abs() < 1e-6);
    }

    #[test]
    fn the_draft_counts_what_arrived_in_half_a_second() {
        assert_eq!(window(Variant::Draft, 50, 10.0, 10.0).rate_bps(), None); // 0.49 s
        assert_eq!(window(Variant::Draft, 300, 10.0, 10.0).rate_bps(), Some(816e3)); // 51 packets
    }
}
