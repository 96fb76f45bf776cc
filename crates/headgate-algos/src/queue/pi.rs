//! PI: a controller of the queue length by its error and the change of the error.
//!
//! # Overview
//! PI keeps the queue at a reference at any load, because it sums the error until it is zero.
//!
//! # The rule
//! `frequency` times per second `p += a (queue - reference) - b (queue before - reference)`, within 0 and 1.
//! An arrival is dropped, or marked, with the probability `p`; in byte mode times its size in mean packets.
//!
//! # Differences from the paper
//! NOTE(Hollot, Misra, Towsley, Gong 2001): the form is that of ns-2.35. `a` and `b` are the paper's design
//! for 15 Mbit/s (3750 packets/s), 60 flows and an RTT of up to 246 ms; other loads need other values. Bytes
//! include the rest of the packet in service.
//!
//! # When to use it
//! To study the first application of control theory to RED; `pie` is its successor.
//!
//! # References
//! Hollot, Misra, Towsley, Gong 2001 (INFOCOM); ns-2.35 pi.cc, ns-default.tcl.

use headgate_model::chance::Stream;
use headgate_model::params::Card;
use headgate_model::queue::{Arrival, Backlog, Discipline, Verdict};
use headgate_model::units::{Time, picoseconds};

headgate_model::choices! {
    /// The unit in which a queue is measured.
    pub enum Mode {
        /// Packets.
        Packets = "packets",
        /// Bytes, in packets of the mean size.
        Bytes = "bytes",
    }
}

headgate_model::params! {
    /// Gain of the error.
    a: number(1.822e-5, (0.0, 1.0), "1/packet", "Hollot et al. 2001; ns-2.35", at_least ["b"]),
    /// Gain of the previous error; the difference of the two gains integrates the error.
    b: number(1.816e-5, (0.0, 1.0), "1/packet", "Hollot et al. 2001; ns-2.35"),
    /// Updates per second.
    frequency_hz: number(170.0, (0.001, 1e6), "1/s", "Hollot et al. 2001; ns-2.35"),
    /// The reference of the queue.
    reference_packets: number(50.0, (0.0, 1e12), "packets", "ns-2.35, qref_; 200 in Hollot et al. 2001") marks IfOn,
    /// Size of a mean packet, for byte mode.
    mean_packet_bytes: number(500.0, (1.0, 65535.0), "bytes", "ns-2.35, mean_pktsize_") used_with mode ["bytes"],
    /// Unit of the queue length.
    mode: choice(Mode, "ns-2.35, queue_in_bytes_"),
    /// Whether packets capable of ECN are marked instead of dropped.
    ecn: switch(["off", "on"], "ns-2.35, setbit_; the paper marks"),
}

pub(crate) const CARD: Card = Card {
    name: "pi",
    title: "PI controller",
    aliases: &[],
    family: "queue",
    rule: "p += a (q - ref) - b (q_old - ref), 170 times a second",
    response: "q = ref",
    references: &["Hollot, Misra, Towsley, Gong 2001", "ns-2.35"],
    params: Params::TABLE,
};

/// A port's PI controller.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Pi {
    params: Params,
    probability: f64,
    before: f64,
    next: Time,
}

impl Pi {
    /// Creates a discipline in its initial state.
    pub fn new(params: Params, _rate_bytes_s: f64) -> Self {
        Self { params, probability: 0.0, before: 0.0, next: period(&params) }
    }

    fn counts_bytes(&self) -> bool {
        self.params.mode == Mode::Bytes
    }
}

fn period(params: &Params) -> Time {
    picoseconds(1.0 / params.frequency_hz)
}

impl Discipline for Pi {
    fn admit(&mut self, arrival: &Arrival, _port: &Backlog, chance: &mut Stream) -> Verdict {
        let packets = f64::from(arrival.size_bytes) / self.params.mean_packet_bytes;
        let p = self.probability * if self.counts_bytes() { packets } else { 1.0 };
        if chance.open01() > p {
            return Verdict::Keep;
        }
        if self.params.ecn && arrival.ecn.is_capable() { Verdict::Mark } else { Verdict::Drop }
    }

    fn next_tick(&self) -> Time {
        self.next
    }

    fn on_tick(&mut self, port: &Backlog) {
        let Params { a, b, reference_packets, mean_packet_bytes, .. } = self.params;
        let queue = if self.counts_bytes() { port.bytes / mean_packet_bytes } else { port.packets };
        let change = a * (queue - reference_packets) - b * (self.before - reference_packets);
        self.probability = (self.probability + change).clamp(0.0, 1.0);
        self.before = queue;
        self.next += period(&self.params);
    }

    fn pass_idle_ticks(&mut self, until: Time, idle: &Backlog) {
        let mut after = self.clone();
        after.on_tick(idle);
        if self.next <= until && (Self { next: self.next, ..after }) == *self {
            self.next += (until - self.next) / period(&self.params) * period(&self.params);
        }
    }

    fn gauge(&self) -> Option<(&'static str, f64)> {
        Some(("probability", self.probability))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::queue::{arrival, params, waiting};

    fn pi(changes: &[(&str, f64)]) -> Pi {
        Pi::new(Params::from_values(&params(Params::TABLE, changes)), 0.0)
    }

    #[test]
    fn the_probability_follows_the_error_and_its_change() {
        let mut queue = pi(&[]);
        let mut seen = [150.0, 150.0, 60.0].map(|packets| {
            queue.on_tick(&waiting(packets));
            queue.probability * 1e5
        });
        // 1.822 * 100 + 1.816 * 50; then 0.006 * 100; then 1.822 * 10 - 1.816 * 100
        let due = [273.0, 273.6, 110.22];
        seen.iter_mut().zip(due).for_each(|(seen, due)| *seen -= due);
        assert!(seen.iter().all(|off| off.abs() < 1e-9), "{seen:?}");
        assert_eq!(queue.next, 4 * 5_882_352_941); // 1/170 s
    }

    #[test]
    fn only_ticks_that_change_nothing_are_passed_over() {
        let mut queue = pi(&[]);
        queue.on_tick(&waiting(150.0));
        let mut slow = queue.clone();
        for until in [3_500_000_000_000, 9_000_000_000_000] {
            while slow.next <= until {
                slow.on_tick(&waiting(0.0));
            }
            let ticks = (0..).take_while(|_| {
                queue.pass_idle_ticks(until, &waiting(0.0));
                let due = queue.next <= until;
                due.then(|| queue.on_tick(&waiting(0.0))).is_some()
            });
            assert!(ticks.count() < 10); // of 594 and 936
            assert_eq!(queue, slow);
        }
    }

    #[test]
    fn it_is_a_probability() {
        let mut queue = pi(&[("a", 1.0), ("b", 0.0)]);
        queue.on_tick(&waiting(52.0));
        assert_eq!(queue.probability, 1.0);
        queue.on_tick(&waiting(0.0));
        assert_eq!(queue.probability, 0.0);
    }

    #[test]
    fn bytes_count_in_both_places() {
        let mut queue = pi(&[("mode", 1.0), ("a", 0.01), ("b", 0.0)]);
        queue.on_tick(&Backlog { bytes: 50_000.0, ..waiting(3.0) });
        assert!((queue.probability - 0.5).abs() < 1e-15); // 100 mean packets: 0.01 * 50
        let verdict = queue.admit(&arrival(true), &waiting(3.0), &mut Stream::new(1, "queue", 0));
        assert_eq!(verdict, Verdict::Drop); // 1500 B: three times as much is certain
    }

    #[test]
    fn ecn_marks_what_is_capable() {
        let mut queue = Pi { probability: 1.0, ..pi(&[("ecn", 1.0)]) };
        let mut chance = Stream::new(1, "queue", 0);
        let verdicts =
            [true, false].map(|capable| queue.admit(&arrival(capable), &waiting(9.0), &mut chance));
        assert_eq!(verdicts, [Verdict::Mark, Verdict::Drop]);
    }
}
