//! Decoding of frames: kinds of link, VLANs, PPPoE, MPLS, IP, TCP.

use crate::ip::{Datagram, ICMP, ICMPV6, TCP, UDP};
use crate::kind::Kind;
use crate::segment::{ParseError, Segment};
use crate::source::Frame;

/// Link types (tcpdump's list; 12 and 14 are raw IP on BSDs).
const NULL: u16 = 0;
const ETHERNET: u16 = 1;
const RAW: [u16; 5] = [101, 12, 14, 228, 229];
const LOOP: u16 = 108;
const LINUX_SLL: u16 = 113;
const LINUX_SLL2: u16 = 276;
/// Plain PPP, PPP in HDLC-like frames, and PPP behind a PPPoE header.
const PPP: [u16; 2] = [9, 50];
const PPP_ETHER: u16 = 51;

/// Offset of the protocol in a header of the link, and the length of the header.
const OF_ETHERNET: (usize, usize) = (12, 14);
const OF_SLL: (usize, usize) = (14, 16);
const OF_SLL2: (usize, usize) = (0, 20);
/// Length of the address family, in the byte order of some machine; the version is in the IP header itself.
const FAMILY_BYTES: usize = 4;

/// The protocols of a link (IEEE 802 EtherTypes).
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86DD;
/// 802.1Q, 802.1ad, and the earlier type of a tag around a tag.
const VLAN: [u16; 3] = [0x8100, 0x88A8, 0x9100];
const TAG_BYTES: usize = 4;
/// A session of PPPoE (RFC 2516 section 4) and its header: version, code, session, length.
const PPPOE: u16 = 0x8864;
const PPPOE_BYTES: usize = 6;
/// MPLS (RFC 3032 section 5), for one and for many receivers, and the bit that ends a stack of labels.
const MPLS: [u16; 2] = [0x8847, 0x8848];
const LABEL_BYTES: usize = 4;
const BOTTOM_OF_STACK: u8 = 1;
/// The protocols of PPP (IANA, "PPP DLL Protocol Numbers"), and its address and control in HDLC-like frames.
const PPP_IPV4: u16 = 0x0021;
const PPP_IPV6: u16 = 0x0057;
const PPP_MPLS: [u16; 2] = [0x0281, 0x0283];
const PPP_ADDRESS: [u8; 2] = [0xFF, 0x03];
/// Largest value of the EtherType field that is a length (IEEE 802.3), with a header of LLC and SNAP behind
/// it.
const LONGEST_802_3: u16 = 1500;
const SNAP: [u8; 6] = [0xAA, 0xAA, 0x03, 0, 0, 0];

const QUIC_PORT: [u8; 2] = 443u16.to_be_bytes();

/// Classifies a packet, and returns its segment if that could be read.
pub fn read(frame: &Frame<'_>) -> (Kind, Option<Segment>) {
    let at = match frame.link {
        ETHERNET => find_ip(frame.data, OF_ETHERNET),
        LINUX_SLL => find_ip(frame.data, OF_SLL),
        LINUX_SLL2 => find_ip(frame.data, OF_SLL2),
        PPP_ETHER => find_in_ppp(frame.data, PPPOE_BYTES),
        link if PPP.contains(&link) => find_in_ppp(frame.data, 0),
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

/// Offset of IP behind all VLAN tags and other headers; or the kind of a packet without IP.
fn find_ip(data: &[u8], (mut protocol, mut end): (usize, usize)) -> Result<usize, Kind> {
    loop {
        match word(data, protocol)? {
            IPV4 | IPV6 => return Ok(end),
            PPPOE => return find_in_ppp(data, end + PPPOE_BYTES),
            kind if MPLS.contains(&kind) => return find_below_labels(data, end),
            kind if VLAN.contains(&kind) => (protocol, end) = (end + 2, end + TAG_BYTES),
            length if length <= LONGEST_802_3 && data.get(end..end + SNAP.len()) == Some(&SNAP) => {
                (protocol, end) = (end + SNAP.len(), end + SNAP.len() + 2);
            }
            _ => return Err(Kind::NotIp),
        }
    }
}

/// Offset of IP in a PPP frame.
fn find_in_ppp(data: &[u8], begin: usize) -> Result<usize, Kind> {
    let has_address = data.get(begin..begin + 2) == Some(&PPP_ADDRESS);
    let at = if has_address { begin + PPP_ADDRESS.len() } else { begin };
    let first = *data.get(at).ok_or(Kind::Damaged)?;
    // an odd first byte is a protocol of one byte (RFC 1661 section 6.5)
    let (protocol, end) = if first & 1 == 1 { (u16::from(first), at + 1) } else { (word(data, at)?, at + 2) };
    match protocol {
        PPP_IPV4 | PPP_IPV6 => Ok(end),
        kind if PPP_MPLS.contains(&kind) => find_below_labels(data, end),
        _ => Err(Kind::NotIp),
    }
}

/// Offset of IP below a stack of labels. Labels do not name their content; the version is in the IP header.
fn find_below_labels(data: &[u8], mut at: usize) -> Result<usize, Kind> {
    loop {
        let label: &[u8; LABEL_BYTES] = data.get(at..).and_then(<[u8]>::first_chunk).ok_or(Kind::Damaged)?;
        at += LABEL_BYTES;
        if label[2] & BOTTOM_OF_STACK != 0 {
            break;
        }
    }
    match data.get(at).map(|first| first >> 4) {
        Some(4 | 6) => Ok(at),
        Some(_) => Err(Kind::NotIp),
        None => Err(Kind::Damaged),
    }
}

fn word(data: &[u8], at: usize) -> Result<u16, Kind> {
    let bytes = data.get(at..).and_then(<[u8]>::first_chunk).ok_or(Kind::Damaged)?;
    Ok(u16::from_be_bytes(*bytes))
}

fn classify(datagram: &Datagram<'_>) -> (Kind, Option<Segment>) {
    if !datagram.is_first {
        return (Kind::Fragment, None);
    }
    match datagram.protocol {
        TCP => match Segment::read(datagram) {
            Ok(segment) => (Kind::Tcp, Some(segment)),
            Err(ParseError::Cut) => (Kind::CutTcp, None),
            Err(ParseError::Damaged) => (Kind::Damaged, None),
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
