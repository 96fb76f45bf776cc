//! Queues of links: `q' = y - C`, bounded by 0 and the buffer.
//!
//! The first switches of a model are two for each link: there is a queue; the buffer is full.

use crate::network::Network;

/// Relative hysteresis of a queue: it begins if arrivals exceed the rate by this part, a full buffer begins
/// to drain if they fall below it by as much, and a buffer is full if it is exceeded by as much. Without it a
/// queue in equilibrium would switch repeatedly by rounding.
const BAND: f64 = 1e-9;

pub struct Queues {
    rates: Vec<f64>,
    buffers: Vec<f64>,
}

fn switch(link: usize) -> (usize, usize) {
    (2 * link, 2 * link + 1)
}

impl Queues {
    pub fn of(network: &Network) -> Self {
        let buffer = |link| network.link_constants(link).buffer_packets;
        Self {
            rates: network.links.iter().map(|wire| wire.rate_packets_s).collect(),
            buffers: (0..network.links.len()).map(buffer).collect(),
        }
    }

    pub fn links(&self) -> usize {
        self.rates.len()
    }

    pub fn switches(&self) -> usize {
        2 * self.links()
    }

    /// Replaces the arrivals at each link by the slope of its queue.
    pub fn slope(&self, sides: &[bool], arrivals: &mut [f64]) {
        for (link, value) in arrivals.iter_mut().enumerate() {
            let (busy, full) = switch(link);
            *value = if sides[busy] && !sides[full] { *value - self.rates[link] } else { 0.0 };
        }
    }

    /// The part of the gaps in which a model writes arrivals before it calls [`Self::gaps`].
    pub fn arrivals<'a>(&self, gaps: &'a mut [f64]) -> &'a mut [f64] {
        &mut gaps[self.links()..2 * self.links()]
    }

    /// The gap functions of all queues, from arrivals.
    pub fn gaps(&self, sides: &[bool], queues: &[f64], gaps: &mut [f64]) {
        // Each link writes 2l and 2l + 1, and reads links + l: never one that is written before.
        for (link, queue) in queues.iter().enumerate() {
            let (busy, full) = switch(link);
            let growing = gaps[self.links() + link] - self.rates[link];
            let (buffer, band) = (self.buffers[link], BAND * self.rates[link]);
            gaps[busy] = if sides[busy] { *queue } else { growing - band };
            gaps[full] = match (sides[busy], sides[full]) {
                (_, true) => growing + band,
                (true, false) => queue - buffer - BAND * buffer.max(1.0),
                // A queue that does not exist is not full, even if the buffer is 0.
                (false, false) => -1.0,
            };
        }
    }

    /// Sets a queue that has emptied, or a buffer that is full, exactly; ignores the model's other switches.
    pub fn edge(&self, queues: &mut [f64], index: usize, side: bool) {
        for (link, queue) in queues.iter_mut().enumerate() {
            let (busy, full) = switch(link);
            match (index, side) {
                (index, false) if index == busy => *queue = 0.0,
                (index, true) if index == full => *queue = self.buffers[link],
                _ => (),
            }
        }
    }

    pub fn confine(&self, queues: &mut [f64]) {
        for (queue, buffer) in queues.iter_mut().zip(&self.buffers) {
            *queue = queue.clamp(0.0, *buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Wire;

    /// Rates of 100 and 200 packets/s, the second with a buffer of 10 packets.
    fn two() -> Queues {
        let Network { classes, links, packet_bytes } = Network::default();
        let wire =
            |rate_packets_s, buffer_packets| Wire { rate_packets_s, buffer_packets, ..links[0].clone() };
        Queues::of(&Network {
            classes,
            links: vec![wire(100.0, None), wire(200.0, Some(10.0))],
            packet_bytes,
        })
    }

    #[test]
    fn a_queue_changes_where_there_is_one_that_is_not_full() {
        for (sides, slopes) in [
            ([false, false, false, false], [0.0, 0.0]),
            ([true, false, true, false], [-50.0, 100.0]),
            ([true, false, true, true], [-50.0, 0.0]),
        ] {
            let mut arrivals = [50.0, 300.0];
            two().slope(&sides, &mut arrivals);
            assert_eq!(arrivals, slopes);
        }
    }

    #[test]
    fn a_queue_that_ends_is_nothing_and_a_full_buffer_is_full() {
        let at = |index, side| {
            let mut queues = [3.0, 4.0];
            two().edge(&mut queues, index, side);
            queues
        };
        assert_eq!((at(0, false), at(2, false), at(3, true)), ([0.0, 4.0], [3.0, 0.0], [3.0, 10.0]));
        for (index, side) in [(0, true), (3, false), (4, false), (5, true)] {
            assert_eq!(at(index, side), [3.0, 4.0]);
        }
    }

    #[test]
    fn a_queue_begins_when_it_grows_and_ends_when_it_is_empty() {
        let gaps = |sides: [bool; 4], queues: [f64; 2], arriving: [f64; 2]| {
            let mut gaps = [0.0; 4];
            two().arrivals(&mut gaps).copy_from_slice(&arriving);
            two().gaps(&sides, &queues, &mut gaps);
            gaps
        };
        let idle = gaps([false; 4], [0.0, 0.0], [100.0, 201.0]);
        assert!(idle[0] < 0.0 && idle[2] > 0.0, "a link that is just full has no queue");
        assert_eq!((idle[1], idle[3]), (-1.0, -1.0), "what is not there is not full");
        let filling = gaps([true, false, true, false], [1.0, 10.5], [110.0, 210.0]);
        assert_eq!(filling[1], f64::NEG_INFINITY);
        assert!((filling[3] - 0.5).abs() < 1e-6);
        let busy = gaps([true, false, true, true], [-0.5, 10.0], [90.0, 190.0]);
        assert_eq!((busy[0], busy[2]), (-0.5, 10.0));
        assert!((busy[3] + 10.0).abs() < 1e-6);
        let resting = gaps([true, false, true, true], [1.0, 10.0], [100.0, 200.0]);
        assert!(resting[3] > 0.0, "a buffer that is full and just fed stays full");
        let left = gaps([true, false, true, false], [1.0, 10.0], [100.0, 200.0 - 1e-6]);
        assert!(left[3] < 0.0, "one that was left is not full by rounding");
    }
}
