//! IP packets of real hosts: what is read from one, and the mark that a queue sets.

use etherparse::{IpNumber, LaxNetSlice, LaxSlicedPacket, TransportSlice};
use std::net::IpAddr;

/// The two ECN bits (RFC 3168 §5): not capable is 0, and this is CE.
const CONGESTION_EXPERIENCED: u8 = 3;

/// One way of a connection: addresses, protocol, ports (0 where the protocol has none or they are in another fragment).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FlowKey {
    pub source: IpAddr,
    pub destination: IpAddr,
    pub protocol: u8,
    pub ports: [u16; 2],
}

/// What the emulator reads from a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    pub key: FlowKey,
    /// With its headers, as the IP header says.
    pub size_bytes: u16,
    /// Bytes behind the header of TCP or UDP; of other protocols behind those of IP.
    pub payload_bytes: u16,
    /// ECN: the transport reacts to marks, and this packet bears one.
    pub capable: bool,
    pub marked: bool,
}

/// Reads a packet; none if it is no whole IPv4 or IPv6 packet. Bytes behind its end are not looked at.
pub fn parse(bytes: &[u8]) -> Option<Seen> {
    let size = length(bytes).filter(|&size| size <= bytes.len())?;
    let sliced = LaxSlicedPacket::from_ip(&bytes[..size]).ok()?;
    let (source, destination, protocol, rest) = addresses(sliced.net.as_ref()?)?;
    let (ports, payload) = match &sliced.transport {
        Some(TransportSlice::Tcp(tcp)) => ([tcp.source_port(), tcp.destination_port()], tcp.payload().len()),
        Some(TransportSlice::Udp(udp)) => ([udp.source_port(), udp.destination_port()], udp.payload().len()),
        _ => ([0, 0], rest),
    };
    let ecn = ecn(bytes);
    Some(Seen {
        key: FlowKey { source, destination, protocol: protocol.0, ports },
        size_bytes: size as u16,
        payload_bytes: payload as u16,
        capable: ecn != 0,
        marked: ecn == CONGESTION_EXPERIENCED,
    })
}

/// The length that the IP header gives; more than 65535 B is none.
fn length(bytes: &[u8]) -> Option<usize> {
    let word = |at: usize| Some(usize::from(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?])));
    match bytes.first()? >> 4 {
        4 => word(2),
        6 => word(4).map(|payload| payload + 40).filter(|&size| size <= usize::from(u16::MAX)),
        _ => None,
    }
}

fn addresses(net: &LaxNetSlice) -> Option<(IpAddr, IpAddr, IpNumber, usize)> {
    match net {
        LaxNetSlice::Ipv4(ip) => {
            let (header, payload) = (ip.header(), ip.payload());
            Some((
                header.source_addr().into(),
                header.destination_addr().into(),
                payload.ip_number,
                payload.payload.len(),
            ))
        }
        LaxNetSlice::Ipv6(ip) => {
            let (header, payload) = (ip.header(), ip.payload());
            Some((
                header.source_addr().into(),
                header.destination_addr().into(),
                payload.ip_number,
                payload.payload.len(),
            ))
        }
        LaxNetSlice::Arp(_) => None,
    }
}

/// The ECN bits of a packet that was read.
fn ecn(bytes: &[u8]) -> u8 {
    if bytes[0] >> 4 == 4 { bytes[1] & 3 } else { bytes[1] >> 4 & 3 }
}

/// Marks a packet that was read: sets CE, and mends the checksum of an IPv4 header (RFC 1624, equation 3).
pub fn mark(bytes: &mut [u8]) {
    if bytes[0] >> 4 == 6 {
        bytes[1] |= CONGESTION_EXPERIENCED << 4;
        return;
    }
    let before = u16::from_be_bytes([bytes[0], bytes[1]]);
    bytes[1] |= CONGESTION_EXPERIENCED;
    let after = u16::from_be_bytes([bytes[0], bytes[1]]);
    let sum = u16::from_be_bytes([bytes[10], bytes[11]]);
    let mut sum = u32::from(!sum) + u32::from(!before) + u32::from(after);
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    let [high, low] = (!(sum as u16)).to_be_bytes();
    (bytes[10], bytes[11]) = (high, low);
}

#[cfg(test)]
mod tests;
