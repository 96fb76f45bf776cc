//! Rows of a measurement period.

use headgate_model::column::{Count, Durations, Figure, Index, Instant};
use headgate_model::units::{Span, Time, seconds};
use headgate_tcp::Stats;
use serde::{Deserialize, Serialize};

use super::counters::Counters;
use super::flows::Status;
use super::keys::FlowKey;
use super::ports::{LinkUsage, Tally};
use crate::record::exact::Sum;

/// Number of buckets of windows. The first bucket ends at 2 segments, and each next one is twice as wide.
/// The last one is unlimited.
pub const BUCKETS: usize = 24;

headgate_model::columns! {
    /// One measurement period: differences of the counters, and sums over the samples in the period.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct PeriodRow {
        start as start_s: Instant, "s", "Start of the measurement period.";
        end as end_s: Instant, "s", "End of the measurement period.";
        samples: Count, "1", "Intervals sampled in the period.";
        sources: Count, "1", "All sources: Web users, single flows, hosts that begin flows.";
        transmitting_sum: Count, "1", "Sum over the samples of sources with a flow under way.";
        active_sum: Count, "1", "Sum over the samples of flows under way.";
        connecting_sum: Count, "1", "Sum over the samples of flows in their handshake.";
        cwnd_sum: Figure, "packets", "Sum of the windows of active flows over the samples.";
    }
    parts {
        /// Counts within the period.
        pub counters: Counters,
    }
}

headgate_model::columns! {
    /// The windows of all flows of one congestion control algorithm, over the samples of a period. Flows in
    /// their handshake are counted separately.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct ControllerRow {
        period: Index [HIDDEN], "", "Number of the period.";
        controller as cca: Index [HIDDEN], "", "The algorithm's number in the plan.";
        samples: Count, "1", "Intervals sampled.";
        active_sum: Count, "1", "Sum over the samples of flows under way.";
        connecting_sum: Count, "1", "Sum over the samples of flows in their handshake.";
        cwnd_sum: Figure, "packets", "Sum of the windows of the other flows over the samples.";
    }
    beside {
        /// Number of samples with a window.
        pub seen: u64,
        /// Mean of the samples' mean windows, packets.
        pub mean: f64,
        /// Sum of the squared differences from that mean, packets².
        pub squares: f64,
        /// Least of the samples' mean windows, packets.
        pub least: f64,
        /// Greatest of the samples' mean windows, packets.
        pub greatest: f64,
        /// Number of windows from 2^k segments on, for each k.
        pub buckets: [u64; BUCKETS],
    }
    derived {
        swing_mean_packets = |row| row.if_seen(0, row.mean), "packets", "Each sample has a mean window; this is the mean of those over the time.";
        swing_sd_packets = |row| row.if_seen(1, row.variance().sqrt()), "packets", "Their standard deviation over the time: oscillation.";
        swing_least_packets = |row| row.if_seen(0, row.least), "packets", "The least of the samples' mean windows.";
        swing_greatest_packets = |row| row.if_seen(0, row.greatest), "packets", "The greatest of them.";
    }
}

impl ControllerRow {
    /// Returns the figure if more than `more_than` samples contained a window, otherwise NaN.
    fn if_seen(&self, more_than: u64, figure: f64) -> f64 {
        if self.seen > more_than { figure } else { f64::NAN }
    }

    fn variance(&self) -> f64 {
        self.squares / (self.seen as f64 - 1.0)
    }
}

headgate_model::counters! {
    /// Totals of flows with the same key.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct FlowStats {
        started: Count, "1", "Flows started.";
        completed: Count, "1", "Flows finished.";
        failed: Count, "1", "Connections that failed: no SYN was answered.";
        abandoned: Count, "1", "Flows that their users gave up.";
        active_ps as active_s: Durations, "s", "Time that flows were under way, from their first SYN, of all.";
        delivered as delivered_packets: Count, "packets", "Packets acknowledged in order, of all these flows.";
        retransmissions: Count, "packets", "Data packets sent again.";
        timeouts: Count, "1", "Retransmission time-outs.";
        decreases: Count, "1", "Times that a window shrank: at a loss or mark (to ssthresh), at a time-out, on an ACK.";
        fallen as fallen_packets: Sum, "packets", "Sum of these decreases.";
        timed: Count, "1", "Flows finished whose receiver had all of the file.";
        timed_segments as timed_packets: Count, "packets", "Their packets.";
        fct_sum_s: Sum, "s", "Sum of their completion times (receiver).";
        rate_sum: Sum, "packets/s", "Sum of packets / completion time of each.";
        rtt_sum_s: Sum, "s", "Sum of the round-trip samples.";
        rtt_count: Count, "1", "Round-trip samples.";
    }
}

impl FlowStats {
    /// Adds a flow's totals until `now`.
    pub fn add(&mut self, now: Time, delivered: u32, stats: &Stats) {
        self.active_ps += u128::from(now - stats.started);
        self.delivered += u64::from(delivered);
        self.retransmissions += u64::from(stats.retransmissions);
        self.timeouts += u64::from(stats.timeouts);
        self.decreases += u64::from(stats.decreases);
        self.fallen += stats.fallen;
        self.rtt_sum_s += stats.rtt_sum_s;
        self.rtt_count += u64::from(stats.rtt_count);
    }

    /// Adds the end of a flow of `segments` segments. `received` is the time that the receiver took for all
    /// of them, picoseconds.
    pub fn end(&mut self, status: Status, segments: u32, received: Option<Span>) {
        match status {
            Status::Failed => self.failed += 1,
            Status::Abandoned => self.abandoned += 1,
            _ => self.complete(segments, received),
        }
    }

    fn complete(&mut self, segments: u32, received: Option<Span>) {
        self.completed += 1;
        let Some(fct) = received else { return };
        self.timed += 1;
        self.timed_segments += u64::from(segments);
        self.fct_sum_s += seconds(fct);
        self.rate_sum += f64::from(segments) / seconds(fct);
    }

    /// Returns whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

headgate_model::columns! {
    /// The totals of flows of one key in a period.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct ClassRow {
        period: Index [HIDDEN], "", "Number of the period.";
    }
    parts {
        /// The totals.
        pub stats: FlowStats,
    }
    beside {
        /// The key.
        pub key: FlowKey,
    }
    derived {
        file [HIDDEN] = |row| u64::from(row.key.file), "", "Number of the kind of file.";
        pair [HIDDEN] = |row| u64::from(row.key.pair), "", "Number of the pair of classes.";
        interface [HIDDEN] = |row| u64::from(row.key.interface), "", "Number of the class of host links.";
        cca [HIDDEN] = |row| u64::from(row.key.controller), "", "The algorithm's number in the plan.";
    }
}

headgate_model::columns! {
    /// The counts of one link's port in a period. If warm-up ends within the period, they begin there.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct LinkRow {
        period: Index [HIDDEN], "", "Number of the period.";
        link: Index [HIDDEN], "", "The link's number in the plan.";
        queue_max as greatest_sampled_packets: Count, "packets", "Greatest number waiting in a sample.";
        samples: Count, "1", "Intervals sampled.";
        queue_sum: Count, "packets", "Sum over the samples of packets waiting.";
    }
    parts {
        /// Arrivals, drops and waits.
        pub tally: Tally = ", within the period and after the warm-up",
        /// Departures and capacity.
        pub sent: LinkUsage = ", within the period and after the warm-up",
    }
}
