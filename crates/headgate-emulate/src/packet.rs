//! IP packets of real hosts: parsing, and changes of the ECN field.

use etherparse::{IpNumber, LaxNetSlice, LaxSlicedPacket, TransportSlice};
use headgate_lab::ecn::Ecn;
use std::net::IpAddr;

/// One direction of a connection: addresses, protocol, ports (0 if the protocol has none or they are in
/// another fragment).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FlowKey {
    pub source: IpAddr,
    pub destination: IpAddr,
    pub protocol: u8,
    pub ports: [u16; 2],
}

/// The fields that are read from a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketSummary {
    pub key: FlowKey,
    /// Size with headers, from the IP header.
    pub size_bytes: u16,
    /// Bytes behind the header of TCP or UDP; for other protocols behind the IP header.
    pub payload_bytes: u16,
    /// The ECN field of the IP header.
    pub ecn: Ecn,
}

/// Parses a packet. Returns `None` if it is not a complete IPv4 or IPv6 packet. Bytes behind its end are
/// ignored.
pub fn parse(bytes: &[u8]) -> Option<PacketSummary> {
    let size = length(bytes).filter(|&size| size <= bytes.len())?;
    let sliced = LaxSlicedPacket::from_ip(&bytes[..size]).ok()?;
    let (source, destination, protocol, rest) = addresses(sliced.net.as_ref()?)?;
    let (ports, payload) = match &sliced.transport {
        Some(TransportSlice::Tcp(tcp)) => ([tcp.source_port(), tcp.destination_port()], tcp.payload().len()),
        Some(TransportSlice::Udp(udp)) => ([udp.source_port(), udp.destination_port()], udp.payload().len()),
        _ => ([0, 0], rest),
    };
    Some(PacketSummary {
        key: FlowKey { source, destination, protocol: protocol.0, ports },
        size_bytes: size as u16,
        payload_bytes: payload as u16,
        ecn: ecn(bytes),
    })
}

/// The length in the IP header; `None` above 65535 B.
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

/// The ECN field of a parsed packet: the two low bits of the traffic class.
fn ecn(bytes: &[u8]) -> Ecn {
    Ecn::from_bits(if bytes[0] >> 4 == 4 { bytes[1] } else { bytes[1] >> 4 })
}

/// Sets the ECN field of a parsed packet, and updates the checksum of an IPv4 header (RFC 1624, equation 3).
pub fn set_ecn(bytes: &mut [u8], ecn: Ecn) {
    if bytes[0] >> 4 == 6 {
        bytes[1] = bytes[1] & !(3 << 4) | ecn.bits() << 4;
        return;
    }
    let before = u16::from_be_bytes([bytes[0], bytes[1]]);
    bytes[1] = bytes[1] & !3 | ecn.bits();
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
