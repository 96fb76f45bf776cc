//! Rows and samples of streams of media.

use headgate_model::column::{Count, Duration, Durations, Figure, Index, Instant};
use serde::{Deserialize, Serialize};

use super::histogram::Histogram;

headgate_model::counters! {
    /// Counts of the sender of a stream.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct MediaSent {
        frames: Count, "1", "Frames captured.";
        frames_cut: Count, "1", "Frames of which the sender discarded packets, because its queue was too old.";
        target_sum_bps: Count [HIDDEN], "bit/s", "Sum over the frames of the target rate of the rate controller.";
        packets_sent: Count, "packets", "Packets sent.";
        bytes_sent: Count, "bytes", "Their bytes, with headers.";
        packets_lost: Count, "packets", "Packets that the sender counts as lost: a later one had arrived, or no report for half a second.";
        queue_wait as queue_wait_sum_s: Durations [HIDDEN], "s", "Sum of the times from the capture of a frame until its packets were sent.";
    }
}

headgate_model::counters! {
    /// Counts of the receiver of a stream.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct MediaReceived {
        frames_complete: Count, "1", "Frames of which all packets arrived.";
        frames_late: Count, "1", "Of these, frames that were complete after their deadline.";
        frames_lost: Count, "1", "Frames that were incomplete when the last of the 64 following frames arrived.";
        packets_received: Count, "packets", "Packets that arrived, each counted once.";
        bytes_received: Count, "bytes", "Their bytes, with headers.";
        packets_marked: Count, "packets", "Of these, packets that arrived marked (CE).";
        packet_delay as packet_delay_sum_s: Durations [HIDDEN], "s", "Sum of the one-way delays of packets.";
        frame_delay as frame_delay_sum_s: Durations [HIDDEN], "s", "Sum of the delays of complete frames.";
        reports: Count, "1", "Reports sent.";
    }
}

/// The delays of a stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MediaDelays {
    /// One-way delays of packets, from their departure.
    pub packets: Histogram,
    /// Delays of frames, from their capture until all of their packets arrived.
    pub frames: Histogram,
}

headgate_model::columns! {
    /// One stream of media in a measurement period.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct MediaRow {
        period: Index [HIDDEN], "", "Number of the period.";
        traffic: Index [HIDDEN], "", "Its number among the flows that have names.";
        source: Index [HIDDEN], "", "Router of the sender.";
        receiver: Index [HIDDEN], "", "Router of the receiver.";
        active as active_s: Duration, "s", "Part of the period in which the source captured frames.";
        packet_delay_p95_s: Figure, "s", "95th percentile of the one-way delays of packets, from departure to arrival; within 1 %.";
        packet_delay_p99_s: Figure, "s", "99th percentile of these.";
        frame_delay_p95_s: Figure, "s", "95th percentile of the delays of complete frames, from capture to the arrival of the last packet; within 1 %.";
        frame_delay_p99_s: Figure, "s", "99th percentile of these.";
        queue_wait_p95_s: Figure, "s", "95th percentile of the times from capture to departure of packets; within 1 %.";
    }
    parts {
        /// Counts of the sender.
        pub sent: MediaSent,
        /// Counts of the receiver.
        pub received: MediaReceived,
    }
}

headgate_model::columns! {
    /// A stream of media at one instant.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct MediaSample {
        time as t_s: Instant, "s", "Time since the start of the run.";
        traffic: Index [HIDDEN], "", "Its number among the flows that have names.";
        target_bps: Figure, "bit/s", "Target rate of the rate controller.";
        pacing_bps: Figure, "bit/s", "Pacing rate; inf = unpaced.";
        window_bytes: Figure, "bytes", "Largest number of bytes in flight; inf = no window.";
        in_flight_bytes: Count, "bytes", "Bytes in flight.";
        queue_bytes: Count, "bytes", "Bytes in the queue of the sender.";
        gauge: Figure, "1", "Internal quantity of the rate controller, in its own unit; missing if it has none.";
        sent_bytes: Count, "bytes", "Bytes sent since the start.";
        received_bytes: Count, "bytes", "Bytes received since the start.";
        received_packets: Count, "packets", "Packets received since the start.";
        packet_delay as packet_delay_sum_s: Durations [HIDDEN], "s", "Sum of the one-way delays of packets since the start.";
        frames_lost: Count, "1", "Frames lost since the start.";
        frames_late: Count, "1", "Frames complete after their deadline since the start.";
    }
}
