//! One TCP connection: its two directions, its handshake, and its row.

use crate::half::Half;
use crate::kind::Count;
use crate::segment::{ACK, End, RST, Segment};

/// Largest time between two equal packets of a handshake that are one packet, captured twice. No
/// retransmission timer is shorter (RFC 6298 asks for 1 s, Linux uses at least 200 ms).
const COPY_NS: i64 = 100_000_000;

/// One of the two ends, by their order.
pub type Side = usize;

/// The progress of the handshake, and its round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handshake {
    Unseen,
    Asked {
        at_ns: i64,
    },
    Granted {
        asked_ns: i64,
        at_ns: i64,
    },
    Done {
        rtt_ns: i64,
    },
    /// The SYN was sent again, so that it is unknown which one was answered (Karn and Partridge 1987).
    Ambiguous,
}

/// An open connection.
#[derive(Clone, Copy, Debug)]
pub struct Connection {
    pub halves: [Half; 2],
    pub first_ns: i64,
    pub last_ns: i64,
    /// The end that sent the SYN, if it was captured.
    opener: Option<Side>,
    opened_ns: i64,
    handshake: Handshake,
    was_reset: bool,
}

/// A connection that carried data. Directions are: from the client, from the server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    pub first_ns: i64,
    pub last_ns: i64,
    pub client: End,
    pub server: End,
    /// Whether the SYN was captured. If not, the end with the higher port is assumed to be the client.
    pub has_syn: bool,
    pub has_fin: bool,
    pub has_rst: bool,
    pub rtt_ns: Option<i64>,
    pub bytes: [u64; 2],
    /// Time at which each direction, as a separate flow, would have to be opened so that its data begins at
    /// the same time.
    pub start_ns: [Option<i64>; 2],
    pub counts: [Count; 2],
}

impl Connection {
    pub fn new(time_ns: i64) -> Self {
        Self {
            halves: [Half::default(); 2],
            first_ns: time_ns,
            last_ns: time_ns,
            opener: None,
            opened_ns: time_ns,
            handshake: Handshake::Unseen,
            was_reset: false,
        }
    }

    /// Whether a SYN from this side opens another connection between the same ports.
    pub fn is_over_for(&self, segment: &Segment, side: Side) -> bool {
        segment.is_syn() && !self.halves[side].may_begin_at(segment.seq.wrapping_add(1))
    }

    /// Takes a segment from this side. Returns false if its sequence number is implausible.
    pub fn take(&mut self, segment: &Segment, side: Side, time_ns: i64, wire_bytes: u32) -> bool {
        self.first_ns = self.first_ns.min(time_ns);
        self.last_ns = self.last_ns.max(time_ns);
        self.halves[side].count.add(wire_bytes);
        self.was_reset |= segment.flags & RST != 0;
        self.shake_hands(segment, side, time_ns);
        self.halves[side].take(segment, time_ns)
    }

    /// The side of the client, known or assumed.
    pub fn client(&self, ends: &[End; 2]) -> Side {
        self.opener.unwrap_or(usize::from(ends[1].1 > ends[0].1))
    }

    /// Whether the connection carried data.
    pub fn has_data(&self) -> bool {
        self.halves.iter().any(|half| half.bytes() > 0)
    }

    pub fn row(&self, ends: &[End; 2]) -> Row {
        let client = self.client(ends);
        let sides = [client, 1 - client];
        Row {
            first_ns: self.first_ns,
            last_ns: self.last_ns,
            client: ends[client],
            server: ends[1 - client],
            has_syn: self.opener.is_some(),
            has_fin: self.halves.iter().any(Half::is_closed),
            has_rst: self.was_reset,
            rtt_ns: self.rtt_ns(),
            bytes: sides.map(|side| self.halves[side].bytes()),
            start_ns: sides.map(|side| self.start_ns(side)),
            counts: sides.map(|side| self.halves[side].count),
        }
    }

    fn rtt_ns(&self) -> Option<i64> {
        match self.handshake {
            Handshake::Done { rtt_ns } if rtt_ns > 0 => Some(rtt_ns),
            _ => None,
        }
    }

    /// A flow's data begins a round trip after it is opened.
    fn start_ns(&self, side: Side) -> Option<i64> {
        let data_ns = self.halves[side].data_ns?;
        Some(match self.rtt_ns() {
            Some(rtt_ns) => data_ns.saturating_sub(rtt_ns).max(self.opened_ns),
            None if self.opener == Some(side) => self.opened_ns,
            None => data_ns,
        })
    }

    /// Measures the round trip from the SYN to the ACK of the SYN-ACK. It is a round trip at any point of the
    /// path.
    fn shake_hands(&mut self, segment: &Segment, side: Side, time_ns: i64) {
        if segment.is_syn() {
            self.ask(side, time_ns);
        } else if segment.is_syn_ack() {
            self.grant(side, time_ns);
        } else if let Handshake::Granted { asked_ns, .. } = self.handshake
            && self.opener == Some(side)
            && segment.flags & (ACK | RST) == ACK
        {
            self.handshake = Handshake::Done { rtt_ns: time_ns.saturating_sub(asked_ns) };
        }
    }

    fn ask(&mut self, side: Side, time_ns: i64) {
        if self.opener.is_none() {
            self.opener = Some(side);
            self.opened_ns = time_ns;
        }
        self.handshake = match self.handshake {
            Handshake::Unseen => Handshake::Asked { at_ns: time_ns },
            Handshake::Asked { at_ns } if self.opener != Some(side) || is_later(time_ns, at_ns) => {
                Handshake::Ambiguous
            }
            same => same,
        };
    }

    fn grant(&mut self, side: Side, time_ns: i64) {
        self.opener.get_or_insert(1 - side);
        self.handshake = match self.handshake {
            Handshake::Asked { at_ns } => Handshake::Granted { asked_ns: at_ns, at_ns: time_ns },
            Handshake::Granted { at_ns, .. } if is_later(time_ns, at_ns) => Handshake::Ambiguous,
            same => same,
        };
    }
}

fn is_later(time_ns: i64, than_ns: i64) -> bool {
    time_ns.saturating_sub(than_ns) > COPY_NS
}
