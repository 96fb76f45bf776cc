//! From a frame to what is in it: kinds of link, VLANs, IP, TCP.

use crate::ip::{Datagram, ICMP, ICMPV6, TCP, UDP};
use crate::kind::Kind;
use crate::segment::{Segment, Unread};
use crate::source::Frame;

/// Link types (tcpdump's list; 12 and 14 are raw IP on BSDs).
const NULL: u16 = 0;
const ETHERNET: u16 = 1;
const RAW: [u16; 5] = [101, 12, 14, 228, 229];
const LOOP: u16 = 108;
const LINUX_SLL: u16 = 113;
const LINUX_SLL2: u16 = 276;

/// Where the protocol stands in a header of the link, and how long that is.
const OF_ETHERNET: (usize, usize) = (12, 14);
const OF_SLL: (usize, usize) = (14, 16);
const OF_SLL2: (usize, usize) = (0, 20);
/// The family of addresses, in the byte order of some machine: IP itself says its version.
const FAMILY_BYTES: usize = 4;

/// What a link carries (IEEE 802 EtherTypes).
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86DD;
/// 802.1Q, 802.1ad, and what was used before that for a tag around a tag.
const VLAN: [u16; 3] = [0x8100, 0x88A8, 0x9100];
const TAG_BYTES: usize = 4;

const QUIC_PORT: [u8; 2] = 443u16.to_be_bytes();

/// Tells what a packet is, with its segment if that could be read.
pub fn read(frame: &Frame<'_>) -> (Kind, Option<Segment>) {
    let at = match frame.link {
        ETHERNET => find_ip(frame.data, OF_ETHERNET),
        LINUX_SLL => find_ip(frame.data, OF_SLL),
        LINUX_SLL2 => find_ip(frame.data, OF_SLL2),
        NULL | LOOP => Ok(FAMILY_BYTES),
        link if RAW.contains(&link) => Ok(0),
        _ => Err(Kind::OtherLink),
    };
    let at = match at {
        Ok(at) => at,
        Err(kind) => return (kind, None),
    };
    let room = frame.wire_bytes.saturating_sub(at as u32);
    let datagram = frame.data.get(at..).and_then(|ip| Datagram::read(ip, room));
    datagram.map_or((Kind::Damaged, None), |datagram| classify(&datagram))
}

/// Gives where IP begins, after all VLAN tags; or what there is instead.
fn find_ip(data: &[u8], (mut protocol, mut end): (usize, usize)) -> Result<usize, Kind> {
    loop {
        let bytes = data.get(protocol..).and_then(<[u8]>::first_chunk).ok_or(Kind::Damaged)?;
        match u16::from_be_bytes(*bytes) {
            IPV4 | IPV6 => return Ok(end),
            kind if VLAN.contains(&kind) => (protocol, end) = (end + 2, end + TAG_BYTES),
            _ => return Err(Kind::NotIp),
        }
    }
}

fn classify(datagram: &Datagram<'_>) -> (Kind, Option<Segment>) {
    if !datagram.is_first {
        return (Kind::Fragment, None);
    }
    match datagram.protocol {
        TCP => match Segment::read(datagram) {
            Ok(segment) => (Kind::Tcp, Some(segment)),
            Err(Unread::Cut) => (Kind::CutTcp, None),
            Err(Unread::Damaged) => (Kind::Damaged, None),
        },
        UDP if has_port(datagram.captured, QUIC_PORT) => (Kind::Quic, None),
        UDP => (Kind::Udp, None),
        ICMP | ICMPV6 => (Kind::Icmp, None),
        _ => (Kind::OtherIp, None),
    }
}

fn has_port(captured: &[u8], port: [u8; 2]) -> bool {
    captured.get(..2) == Some(&port) || captured.get(2..4) == Some(&port)
}
