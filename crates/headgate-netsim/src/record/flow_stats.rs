//! Statistics of flows by key (see [`crate::record::FlowKeys`]). The memory does not grow with the number
//! of flows.
//!
//! A flow is added when it ends. Active flows are added whenever the statistics are read, so an ACK costs
//! nothing.

use serde::{Deserialize, Serialize};

use crate::record::FlowStats;

/// Statistics of each key.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StatsByKey {
    /// The statistics, by the index of the key.
    pub all: Vec<FlowStats>,
}

impl StatsByKey {
    /// Empty statistics of this many keys.
    pub fn new(keys: usize) -> Self {
        Self { all: vec![FlowStats::default(); keys] }
    }

    /// Adds the counts of another shard.
    pub fn merge(&mut self, other: &Self) {
        self.all.iter_mut().zip(&other.all).for_each(|(stats, other)| stats.merge(other));
    }

    /// The same keys without counts.
    pub fn new_empty(&self) -> Self {
        Self::new(self.all.len())
    }

    /// Returns what was counted after `before`, for each key that counted anything.
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
    fn an_abandoned_flow_is_not_completed() {
        let mut stats = FlowStats::default();
        stats.end(Status::Abandoned, 100, None);
        stats.end(Status::Finished, 100, Some(headgate_model::units::SECOND / 2));
        assert_eq!((stats.abandoned, stats.completed, stats.timed_segments), (1, 1, 100));
        assert_eq!((stats.rate_sum.value(), stats.fct_sum_s.value()), (200.0, 0.5));
    }
}
