//! Events of flows and ports, one row for each event that is traced.

use headgate_model::column::{Figure, Index, Instant, Maybe, NonZero};
use headgate_tcp::ENDLESS;
use headgate_tcp::context::Blocks;
use serde::{Deserialize, Serialize};

use crate::packets::address::ConnectionId;

/// Stands for a missing number.
pub const NO_NUMBER: u32 = u32::MAX;

macro_rules! event_kinds {
    ($($(#[doc = $doc:literal])+ $name:ident = $label:literal,)+) => {
        /// The kind of an event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum EventKind { $($(#[doc = $doc])+ $name,)+ }

        /// Names of the kinds of events, in the order of [`EventKind`].
        pub const EVENT_KINDS: &[&str] = &[$($label,)+];

        impl EventKind {
            /// All kinds, in their order.
            pub const ALL: &[Self] = &[$(Self::$name,)+];
        }
    };
}

event_kinds! {
    /// A flow began.
    Opened = "opened",
    /// A SYN left its sender.
    SynSent = "syn_sent",
    /// A SYN reached the receiver.
    SynReceived = "syn_received",
    /// The answer to a SYN left the receiver.
    SynAckSent = "syn_ack_sent",
    /// The answer to a SYN reached the sender.
    SynAckReceived = "syn_ack_received",
    /// The sender took the answer to its SYN.
    Established = "established",
    /// A data segment left its sender.
    Sent = "sent",
    /// A data segment left its sender again.
    Retransmitted = "retransmitted",
    /// A data segment reached its receiver.
    Received = "received",
    /// An ACK left the receiver.
    AckSent = "ack_sent",
    /// An ACK reached the sender.
    Acknowledged = "acknowledged",
    /// An ACK echoed a congestion mark.
    Echoed = "echoed",
    /// A round trip was measured.
    RttSample = "rtt_sample",
    /// The sender found a segment lost.
    Lost = "lost",
    /// The retransmission timer expired.
    Timeout = "timeout",
    /// A reduction was found needless, and the window restored.
    Undone = "undone",
    /// The window, the threshold or the pace changed.
    Window = "window",
    /// The connection's state changed.
    State = "state",
    /// The flow ended.
    Closed = "closed",
    /// A packet joined a port's queue, or its transmission began at once.
    Enqueued = "enqueued",
    /// A port marked a packet.
    Marked = "marked",
    /// A port dropped a packet, or a router at the link to a host.
    Dropped = "dropped",
    /// The last bit of a packet left a port.
    Departed = "departed",
    /// The link lost a packet that had left its port.
    LinkLoss = "link_loss",
}

/// Names of the kinds of packets, in the order of [`crate::packets::packet::PacketKind`].
pub const PACKET_KINDS: &[&str] = &["syn", "syn-ack", "data", "ack"];

headgate_model::columns! {
    /// One event.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Event {
        time as t_s: Instant, "s", "Time since the start of the run.";
        flow: Index [HIDDEN], "", "Number of the flow, if it is known.";
        link: Index [HIDDEN], "", "Number of the link, at a port.";
        seq: Maybe, "1", "Sequence number of a segment; of an ACK the next segment expected. Missing where there is none.";
        size as size_bytes: NonZero, "bytes", "Size of the packet on the wire; missing where there is none.";
        stamp: Maybe, "65.536 ns", "Time stamp of a data segment, or the one that an ACK echoes, modulo 2^32; missing where there is none.";
        sack1_from: NonZero, "1", "First segment of the ACK's first SACK block, which only senders with SACK use; missing without one.";
        sack1_to: NonZero, "1", "Segment after the last one of that block.";
        sack2_from: NonZero, "1", "First segment of the second SACK block; missing without one.";
        sack2_to: NonZero, "1", "Segment after the last one of that block.";
        sack3_from: NonZero, "1", "First segment of the third SACK block; missing without one.";
        sack3_to: NonZero, "1", "Segment after the last one of that block.";
        rtt_s: Figure, "s", "Round trip that was measured; missing for other events.";
        cwnd as cwnd_packets: Figure, "packets", "Congestion window after the sender's response; missing for events elsewhere.";
        ssthresh as ssthresh_packets: Figure, "packets", "Slow-start threshold then; inf = unset, missing for events elsewhere.";
        pace as pace_packets_s: Figure, "packets/s", "Pacing rate that the algorithm had set then; inf = unpaced, missing for events elsewhere.";
        srtt_s: Figure, "s", "Smoothed round trip then; missing before the first sample and for events elsewhere.";
        in_flight as in_flight_packets: Figure, "packets", "Packets in flight then, as the sender estimated; missing for events elsewhere.";
        queue as queue_packets: Figure, "packets", "Packets waiting at the port then, this one included if it waits; missing elsewhere.";
        wait_s: Figure, "s", "Time that the packet waited in the port's queue until it was sent or dropped; missing for a drop at arrival and elsewhere.";
    }
    beside {
        /// Its kind.
        pub kind: EventKind,
        /// The connection.
        pub connection: ConnectionId,
        /// Orders events of one instant: the router whose hosts are concerned, or the number of routers
        /// plus the link.
        pub place: u32,
        /// State of the connection, as an index into [`headgate_tcp::Phase::NAMES`].
        pub phase: u8,
        /// Kind of the packet, as an index into [`PACKET_KINDS`].
        pub packet: u8,
        /// Flags of the packet, as in [`headgate_tcp::Flags`].
        pub flags: u8,
    }
    derived {
        event [HIDDEN] = |row| row.kind as u64, "", "Number of what happened.";
        state [HIDDEN] = |row| u64::from(row.phase), "", "Number of the connection's state.";
        packet [HIDDEN] = |row| u64::from(row.packet), "", "Number of the packet's kind.";
        flags [HIDDEN] = |row| u64::from(row.flags), "", "Flags of the packet's head, as bits.";
        connection = |row| row.connection.number(), "1", "Names the connection of a packet, of followed flows and others.";
    }
}

impl Event {
    /// An event of a connection about which nothing else is known.
    pub const fn new(time: u64, kind: EventKind, connection: ConnectionId, place: u32) -> Self {
        Self {
            time,
            kind,
            connection,
            place,
            flow: NO_NUMBER,
            link: NO_NUMBER,
            seq: NO_NUMBER,
            size: 0,
            stamp: NO_NUMBER,
            sack1_from: 0,
            sack1_to: 0,
            sack2_from: 0,
            sack2_to: 0,
            sack3_from: 0,
            sack3_to: 0,
            phase: u8::MAX,
            packet: u8::MAX,
            flags: 0,
            rtt_s: f64::NAN,
            cwnd: f64::NAN,
            ssthresh: f64::NAN,
            pace: f64::NAN,
            srtt_s: f64::NAN,
            in_flight: f64::NAN,
            queue: f64::NAN,
            wait_s: f64::NAN,
        }
    }

    /// Adds the SACK blocks of the event's ACK.
    #[must_use]
    pub fn with_blocks(self, [one, two, three]: Blocks) -> Self {
        Self {
            sack1_from: one.0,
            sack1_to: one.1,
            sack2_from: two.0,
            sack2_to: two.1,
            sack3_from: three.0,
            sack3_to: three.1,
            ..self
        }
    }
}

headgate_model::columns! {
    /// A connection that is traced, or that may use a traced link.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Connection {
        opened as opened_s: Instant, "s", "When its first SYN left; of one that was under way when tracing began, that instant.";
        flow: Index [HIDDEN], "", "Number of the flow.";
        source: Index [HIDDEN], "", "Router that the sending host sits at.";
        source_host: Maybe, "1", "Number of the sending host at its router; missing where it is the router itself.";
        receiver: Index [HIDDEN], "", "Router that the receiving host sits at.";
        receiver_host: Maybe, "1", "Number of the receiving host at its router; missing where it is the router itself.";
        slot: Index, "1", "Number of the sender among those at its router.";
        size: Index [HIDDEN], "packets", "Size of the flow, or endless.";
        profile: Index [HIDDEN], "", "Number of the transport profile.";
        ecn: Index, "1", "1 if the sender's packets may be marked, else 0.";
    }
    beside {
        /// Its identity.
        pub connection: ConnectionId,
    }
    derived {
        connection = |row| row.connection.number(), "1", "Names the connection in the table of events.";
        size_packets = |row| if row.size == ENDLESS { f64::INFINITY } else { f64::from(row.size) },
            "packets", "Size of the flow; inf = endless.";
    }
}

impl Connection {
    /// A connection about which nothing else is known.
    pub const fn new(connection: ConnectionId) -> Self {
        Self {
            connection,
            opened: 0,
            flow: NO_NUMBER,
            source: 0,
            source_host: NO_NUMBER,
            receiver: 0,
            receiver_host: NO_NUMBER,
            slot: 0,
            size: 0,
            profile: 0,
            ecn: 0,
        }
    }
}
