//! A TCP segment in a capture.

use std::net::IpAddr;

use crate::ip::Datagram;

pub const FIN: u8 = 1;
pub const SYN: u8 = 2;
pub const RST: u8 = 4;
pub const ACK: u8 = 16;

/// Bytes of a TCP header up to its flags, inclusive (RFC 9293 section 3.1); the rest is not needed.
const NEEDED: usize = 14;
const LEAST_HEADER: u32 = 20;

/// A host and a port.
pub type End = (IpAddr, u16);

/// The fields of a segment that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// From, to.
    pub ends: [End; 2],
    pub seq: u32,
    pub ack: u32,
    pub flags: u8,
    /// Length of the payload, captured or not.
    pub bytes: u32,
}

/// A problem with a TCP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// The capture contains too little of it.
    Cut,
    /// Its length exceeds the packet, or is below the minimum.
    Damaged,
}

impl Segment {
    /// Reads a segment from its captured bytes.
    pub fn read(datagram: &Datagram<'_>) -> Result<Self, ParseError> {
        let Datagram { hosts, captured, length, .. } = datagram;
        let head: &[u8; NEEDED] = captured.first_chunk().ok_or(ParseError::Cut)?;
        let header = u32::from(head[12] >> 4) * 4;
        let bytes =
            length.checked_sub(header).filter(|_| header >= LEAST_HEADER).ok_or(ParseError::Damaged)?;
        let port = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
        let number = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let ends = [(hosts[0], port(0)), (hosts[1], port(2))];
        Ok(Self { ends, seq: number(4), ack: number(8), flags: head[13], bytes })
    }

    /// Whether it requests a connection.
    pub fn is_syn(&self) -> bool {
        self.flags & (SYN | ACK | RST) == SYN
    }

    /// Whether it accepts a connection.
    pub fn is_syn_ack(&self) -> bool {
        self.flags & (SYN | ACK | RST) == SYN | ACK
    }
}
