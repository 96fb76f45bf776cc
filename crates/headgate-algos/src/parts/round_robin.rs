//! Deficit round robin over flows that share a line, new flows first (RFC 8290 §4.2; Shreedhar, Varghese 1995).

use std::collections::VecDeque;

/// A flow's credit, bytes, and whether it is in one of the lists.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
struct FlowCredit {
    credit: f64,
    listed: bool,
}

/// The lists of new and old flows, and their credits.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct RoundRobin {
    quantum_bytes: f64,
    flows: Vec<FlowCredit>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
}

impl RoundRobin {
    /// Creates empty lists for this many flows, each of which may send `quantum_bytes` in its turn.
    pub fn new(count: usize, quantum_bytes: f64) -> Self {
        let flows = vec![FlowCredit::default(); count];
        Self { quantum_bytes, flows, new: VecDeque::new(), old: VecDeque::new() }
    }

    /// Returns the queue of a connection, by a hash.
    pub fn hash_flow(&self, flow: u64) -> usize {
        ((u128::from(mix(flow)) * self.flows.len() as u128) >> 64) as usize
    }

    /// Adds a flow with a packet to the new ones, unless it is listed.
    pub fn activate(&mut self, flow: usize) {
        let flow_credit = &mut self.flows[flow];
        if !flow_credit.listed {
            *flow_credit = FlowCredit { credit: self.quantum_bytes, listed: true };
            self.new.push_back(flow as u32);
        }
    }

    /// Returns the flow whose turn it is.
    pub fn find_next(&mut self) -> Option<usize> {
        loop {
            let is_new = !self.new.is_empty();
            let at = *self.new.front().or(self.old.front())? as usize;
            let flow_credit = &mut self.flows[at];
            if flow_credit.credit > 0.0 {
                return Some(at);
            }
            flow_credit.credit += self.quantum_bytes;
            self.move_to_old(is_new);
        }
    }

    /// Charges a packet to a flow.
    pub fn charge(&mut self, flow: usize, size_bytes: u32) {
        self.flows[flow].credit -= f64::from(size_bytes);
    }

    /// Removes the flow whose turn it is, because it has nothing to send. A new one becomes old first, as long as
    /// there are old ones.
    pub fn deactivate_next(&mut self) {
        let is_new = !self.new.is_empty();
        if is_new && !self.old.is_empty() {
            return self.move_to_old(true);
        }
        let from = if is_new { &mut self.new } else { &mut self.old };
        if let Some(at) = from.pop_front() {
            self.flows[at as usize].listed = false;
        }
    }

    /// Moves the first flow to the end of the old ones.
    fn move_to_old(&mut self, is_new: bool) {
        let from = if is_new { &mut self.new } else { &mut self.old };
        let at = from.pop_front();
        self.old.extend(at);
    }

    /// Returns the number of flows in the lists.
    pub fn count_active(&self) -> usize {
        self.new.len() + self.old.len()
    }
}

/// SplitMix64's finaliser (Steele, Lea, Flood 2014).
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "a hundred thousand calls")]
    fn flows_spread_over_the_queues() {
        let round_robin = RoundRobin::new(1024, 1514.0);
        let mut hits = vec![0u32; 1024];
        (0..102_400).for_each(|flow| hits[round_robin.hash_flow(flow)] += 1);
        // Poisson with mean 100: five standard deviations
        assert!(hits.iter().all(|hits| (50..=150).contains(hits)));
    }
}
