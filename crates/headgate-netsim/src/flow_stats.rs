//! What flows have done, by what they have in common (see [`crate::record::FlowKeys`]). Memory does not grow
//! with the number of flows.
//!
//! A flow is added when it is over; what those under way have done is added whenever somebody looks, so
//! that no ACK costs anything.

use serde::{Deserialize, Serialize};

use crate::record::FlowStats;

/// Statistics of each key, by its number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StatsByKey {
    pub all: Vec<FlowStats>,
}

impl StatsByKey {
    pub fn new(keys: usize) -> Self {
        Self { all: vec![FlowStats::default(); keys] }
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &Self) {
        self.all.iter_mut().zip(&other.all).for_each(|(stats, other)| stats.merge(other));
    }

    /// The same keys with nothing counted.
    pub fn new_empty(&self) -> Self {
        Self::new(self.all.len())
    }

    /// What came after `before`, key by key, where anything did.
    pub fn since(&self, before: &Self) -> impl Iterator<Item = (u32, FlowStats)> {
        let since = |(index, (after, before)): (u32, (&FlowStats, &FlowStats))| (index, after.since(before));
        (0..).zip(self.all.iter().zip(&before.all)).map(since).filter(|(_, stats)| !stats.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;

    #[test]
    fn a_flow_that_is_given_up_is_not_completed() {
        let mut stats = FlowStats::default();
        stats.end(Status::Abandoned, 100, None);
        stats.end(Status::Finished, 100, Some(headgate_model::units::SECOND / 2));
        assert_eq!((stats.abandoned, stats.completed, stats.timed_segments), (1, 1, 100));
        assert_eq!((stats.rate_sum.value(), stats.fct_sum_s.value()), (200.0, 0.5));
    }
}
