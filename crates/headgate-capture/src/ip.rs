//! IP version 4 and 6, with extension headers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Protocols, and extension headers (IANA, "Assigned Internet Protocol Numbers").
pub const ICMP: u8 = 1;
pub const TCP: u8 = 6;
pub const UDP: u8 = 17;
pub const ICMPV6: u8 = 58;
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION: u8 = 60;

const IPV4_HEADER: usize = 20;
const IPV6_HEADER: usize = 40;
/// Longest packet whose length is that of its frame, because its header contains none: the limit of Linux
/// (BIG TCP, 512 KiB).
const LONGEST: u32 = 1 << 19;

/// The content of an IP packet.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    pub hosts: [IpAddr; 2],
    pub protocol: u8,
    /// The captured bytes of the content.
    pub captured: &'a [u8],
    /// Length of the content, captured or not.
    pub length: u32,
    /// False for a fragment other than the first, whose ports are in another packet.
    pub is_first: bool,
}

impl<'a> Datagram<'a> {
    /// Reads a packet from its captured bytes `ip`; `room` is the space in its frame. Returns `None` if its
    /// headers are invalid or incomplete.
    pub fn read(ip: &'a [u8], room: u32) -> Option<Self> {
        match ip.first()? >> 4 {
            4 => Self::v4(ip, room),
            6 => Self::v6(ip, room),
            _ => None,
        }
    }

    /// RFC 791 section 3.1.
    fn v4(ip: &'a [u8], room: u32) -> Option<Self> {
        let head: &[u8; IPV4_HEADER] = ip.first_chunk()?;
        let header = usize::from(head[0] & 15) * 4;
        let whole = length(u32::from(half(head, 2)?), room);
        let host = |at: usize| Ipv4Addr::from([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let hosts = [host(12).into(), host(16).into()];
        let is_first = half(head, 6)? & 0x1FFF == 0;
        let length = whole.checked_sub(header as u32).filter(|_| header >= IPV4_HEADER)?;
        let captured = ip.get(header..).unwrap_or_default();
        Self { hosts, protocol: head[9], captured, length, is_first }.inside()
    }

    /// RFC 8200 section 3; a length of 0 is that of a jumbogram (RFC 2675), or was not written.
    fn v6(ip: &'a [u8], room: u32) -> Option<Self> {
        let head: &[u8; IPV6_HEADER] = ip.first_chunk()?;
        let told = u32::from(half(head, 4)?);
        let whole = length(if told == 0 { 0 } else { told + IPV6_HEADER as u32 }, room);
        let host = |at: usize| head[at..].first_chunk::<16>().map(|host| Ipv6Addr::from(*host).into());
        let length = whole.checked_sub(IPV6_HEADER as u32)?;
        let (hosts, captured) = ([host(8)?, host(24)?], &ip[IPV6_HEADER..]);
        Self { hosts, protocol: head[6], captured, length, is_first: true }.inside()
    }

    /// Skips the extension headers (RFC 8200 section 4, RFC 4302), up to a fragment other than the first, and
    /// drops bytes that the link added behind the packet.
    fn inside(mut self) -> Option<Self> {
        while self.is_first {
            let units = |at: usize| self.captured.get(at).map(|units| u32::from(*units));
            let header = match self.protocol {
                HOP_BY_HOP | ROUTING | DESTINATION => (units(1)? + 1) * 8,
                AUTHENTICATION => (units(1)? + 2) * 4,
                FRAGMENT => 8,
                _ => break,
            };
            self.is_first = self.protocol != FRAGMENT || half(self.captured, 2)? >> 3 == 0;
            self.protocol = *self.captured.first()?;
            self.captured = self.captured.get(header as usize..).unwrap_or_default();
            self.length = self.length.checked_sub(header)?;
        }
        let most = self.captured.len().min(self.length as usize);
        Some(Self { captured: &self.captured[..most], ..self })
    }
}

/// Length of a packet: that of its header, or the space in its frame if the header contains none, as when a
/// network card cuts segments.
fn length(told: u32, room: u32) -> u32 {
    if told == 0 && room <= LONGEST { room } else { told.min(room) }
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|half| u16::from_be_bytes(*half))
}
