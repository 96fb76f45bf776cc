//! Counts of one port, and its row in the results.

use headgate_model::column::{Count, Duration, Durations, Figure, Index, Instant, Peak};
use headgate_model::queue::TwoQueues;
use headgate_model::units::Span;
use serde::{Deserialize, Serialize};

headgate_model::counters! {
    /// Counts of a port. Sums of waits give the mean queue by Little's law.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Tally {
        arrivals: Count, "packets", "Packets that arrived at the queue.";
        arrived_bytes: Count, "B", "Bytes that arrived at the queue.";
        drops: Count, "packets", "Packets dropped before the queue, for want of room in it, or by its discipline.";
        dropped_bytes: Count, "B", "Bytes of the packets dropped.";
        lost: Count, "packets", "Packets lost on the link once they were sent.";
        copies: Count, "packets", "Copies of packets that the link delivered besides them.";
        marks: Count, "packets", "Packets marked as having met congestion.";
        ecn_changes: Count, "packets", "Packets whose ECN field an impairment of the link changed.";
        wait_ps as wait_sum_s: Durations, "s", "Time that packets waited, in all.";
        max_queue as max_queue_packets: Peak, "packets", "Greatest number waiting.";
    }
}

impl Tally {
    /// Returns the bytes that have left and the packets that were dropped. `carried` and `present` are the
    /// packets and bytes present when the tally began and now.
    pub(crate) fn sent_and_dropped(&self, carried: (u64, u64), present: (u64, u64)) -> (u64, u64) {
        (self.left(carried, present).1, self.drops)
    }

    /// Returns the packets and bytes that have left. `carried` and `present` are the packets and bytes
    /// present when the tally began and now.
    pub(crate) fn left(&self, carried: (u64, u64), present: (u64, u64)) -> (u64, u64) {
        let packets = carried.0 + self.arrivals - self.drops - present.0;
        let bytes = carried.1 + self.arrived_bytes - self.dropped_bytes - present.1;
        (packets, bytes)
    }
}

headgate_model::counters! {
    /// The departures and the capacity of a port.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct LinkUsage {
        departures: Count, "packets", "Packets sent on the link, to their last bit.";
        sent_bytes: Count, "B", "Bytes sent on the link, parts of packets too.";
        capacity as capacity_bits: Durations [HIDDEN], "bit", "What the link could have sent.";
        elapsed as elapsed_s: Duration, "s", "Time measured.";
        outage_losses: Count, "packets", "Packets that outages of the link dropped or lost, which drops and lost contain.";
        down as down_s: Duration, "s", "Time that the link was down.";
    }
}

impl LinkUsage {
    /// The usage of a port from which `left` packets and bytes have left. `capacity` is in bit/s x ps.
    pub(crate) fn new(left: (u64, u64), capacity: u128, elapsed: Span) -> Self {
        let (departures, sent_bytes) = left;
        Self { departures, sent_bytes, capacity, elapsed, ..Self::default() }
    }
}

headgate_model::columns! {
    /// The counts of one link's port from the end of warm-up to the end of the run.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct PortRow {}
    parts {
        /// Arrivals, drops and waits.
        pub tally: Tally = ", after the warm-up",
        /// Departures and capacity.
        pub sent: LinkUsage = ", after the warm-up",
    }
    beside {
        /// Rate at the end, bit/s.
        pub rate_bps: u64,
        /// Waits and losses that the network's counters contain too early or too late.
        pub early: EarlyCounts,
        /// The counts of a discipline with two queues.
        pub queues: Option<TwoQueues>,
    }
    derived {
        rate_bps = |row| row.mean_rate_bps(), "bit/s", "Rate of the link, or its mean after the warm-up if it changes or the link has outages; a new rate begins when what was queued before it has left.";
        low_wait_s = |row| row.of_queues(|queues| queues.low.mean_wait_s()), "s", "Mean wait of the packets sent from the low-latency queue of a discipline with two queues (dualpi2), after the warm-up; missing without one.";
        classic_wait_s = |row| row.of_queues(|queues| queues.classic.mean_wait_s()), "s", "Mean wait of the packets sent from its classic queue, after the warm-up; missing without one.";
        low_marks = |row| row.of_queues(|queues| queues.low.marks as f64), "packets", "Packets that it marked in the low-latency queue, after the warm-up; marks less these are those of the classic one.";
        low_drops = |row| row.of_queues(|queues| queues.low.drops as f64), "packets", "Packets that it dropped from the low-latency queue, after the warm-up.";
    }
}

impl PortRow {
    /// Returns a figure of the two queues; NaN without them.
    fn of_queues(&self, figure: impl Fn(&TwoQueues) -> f64) -> f64 {
        self.queues.as_ref().map_or(f64::NAN, figure)
    }

    /// Returns the mean rate, bit/s.
    pub fn mean_rate_bps(&self) -> f64 {
        let elapsed = u128::from(self.sent.elapsed);
        let Some(quotient) = self.sent.capacity.checked_div(elapsed) else { return self.rate_bps as f64 };
        quotient as f64 + (self.sent.capacity % elapsed) as f64 / elapsed as f64
    }
}

/// Waits and losses of data packets that the network's counters contain before they occur. A negative wait
/// has occurred but is not counted yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EarlyCounts {
    /// Waiting time, picoseconds.
    pub wait_ps: i128,
    /// Lost packets.
    pub lost: u64,
}

headgate_model::columns! {
    /// A chosen link at one instant.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct PortSample {
        time as t_s: Instant, "s", "Time since the start of the run.";
        link: Index [HIDDEN], "", "Its number in the plan.";
        queue as queue_packets: Count, "packets", "Packets waiting (ports).";
        sent_bytes: Count, "B", "Bytes sent since the start (ports).";
        drops: Count, "packets", "Packets dropped since the start (ports).";
        gauge: Figure, "1", "Internal quantity of the router feedback or discipline, in its own unit; missing if it has none.";
    }
}
