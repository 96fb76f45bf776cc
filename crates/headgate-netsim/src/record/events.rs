//! What happens to flows and at ports, one row for each event that somebody follows.

use headgate_model::column::{Figure, Index, Instant, Maybe};
use serde::{Deserialize, Serialize};

/// In the place of a number: there is none.
pub const NO_NUMBER: u32 = u32::MAX;

macro_rules! event_kinds {
    ($($(#[doc = $doc:literal])+ $name:ident = $label:literal,)+) => {
        /// What happened.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum EventKind { $($(#[doc = $doc])+ $name,)+ }

        /// Names of what may happen, in the order of [`EventKind`].
        pub const EVENT_KINDS: &[&str] = &[$($label,)+];
    };
}

event_kinds! {
    /// A flow began: its SYN left.
    Opened = "opened",
    /// Its SYN was answered.
    Established = "established",
    /// A data segment left its sender.
    Sent = "sent",
    /// A data segment left its sender again.
    Retransmitted = "retransmitted",
    /// A data segment reached its receiver.
    Received = "received",
    /// An ACK reached the sender.
    Acknowledged = "acknowledged",
    /// An ACK echoed a congestion mark.
    Echoed = "echoed",
    /// The sender found a segment lost.
    Lost = "lost",
    /// The retransmission timer expired.
    Timeout = "timeout",
    /// The window, the threshold or the pace changed.
    Window = "window",
    /// The connection's state changed.
    State = "state",
    /// The flow is over.
    Closed = "closed",
    /// A packet joined a port's queue, or its transmission began at once.
    Enqueued = "enqueued",
    /// A port marked a packet.
    Marked = "marked",
    /// A port dropped a packet.
    Dropped = "dropped",
    /// The last bit of a packet left a port.
    Departed = "departed",
    /// The link lost a packet that had left its port.
    LinkLoss = "link_loss",
}

headgate_model::columns! {
    /// One event.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Event {
        time as t_s: Instant, "s", "Time since the start of the run.";
        flow: Index [HIDDEN], "", "Number of the flow, if it is followed.";
        link: Index [HIDDEN], "", "Number of the link, at a port.";
        seq: Maybe, "1", "Sequence number of a segment; of an ACK the next segment expected. Missing where there is none.";
        cwnd as cwnd_packets: Figure, "packets", "Congestion window of the sender then; missing for other events.";
        ssthresh as ssthresh_packets: Figure, "packets", "Slow-start threshold of the sender then; inf = unset, missing for other events.";
        pace as pace_packets_s: Figure, "packets/s", "Pace that the law has set; inf = unpaced, missing for other events.";
        srtt_s: Figure, "s", "Smoothed round trip of the sender then; missing before the first sample and for other events.";
        in_flight as in_flight_packets: Figure, "packets", "Packets sent and not acknowledged then; missing for other events.";
        queue as queue_packets: Figure, "packets", "Packets waiting at the port then, this one included if it waits; missing elsewhere.";
    }
    beside {
        pub kind: EventKind,
        /// The sender's address and its slot's generation, which name the connection.
        pub sender: (u32, u8),
        /// Where it happened: a router's hosts or, beyond them, a port. Orders events of one instant.
        pub place: u32,
        /// State of the connection, as an index into [`headgate_tcp::Phase::NAMES`].
        pub phase: u8,
    }
    derived {
        event [HIDDEN] = |row| row.kind as u64, "", "Number of what happened.";
        state [HIDDEN] = |row| u64::from(row.phase), "", "Number of the connection's state.";
        connection = |row| u64::from(row.sender.0) << 8 | u64::from(row.sender.1), "1", "Names the connection of a packet, of followed flows and others.";
    }
}

impl Event {
    /// Something of a connection, with nothing else known.
    pub fn new(time: u64, kind: EventKind, sender: (u32, u8), place: u32) -> Self {
        Self {
            time,
            kind,
            sender,
            place,
            flow: NO_NUMBER,
            link: NO_NUMBER,
            seq: NO_NUMBER,
            phase: u8::MAX,
            cwnd: f64::NAN,
            ssthresh: f64::NAN,
            pace: f64::NAN,
            srtt_s: f64::NAN,
            in_flight: f64::NAN,
            queue: f64::NAN,
        }
    }
}
