//! The kinds of packets in a capture, and their counts.

/// The kind of a packet for a reader of TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// TCP, its header read.
    Tcp,
    /// TCP whose header was cut before the flags by the capture.
    CutTcp,
    /// UDP with port 443 at either end.
    Quic,
    /// UDP otherwise.
    Udp,
    /// ICMP and ICMPv6.
    Icmp,
    /// IP with any other content, including tunnels.
    OtherIp,
    /// A fragment of an IP packet other than the first, without ports.
    Fragment,
    /// ARP, and everything else that is not IP.
    NotIp,
    /// The headers are inconsistent, or are cut before the protocol's header.
    Damaged,
    /// A packet of an interface with a kind of link that cannot be read.
    OtherLink,
    /// Without a time stamp (simple packet block).
    Timeless,
}

impl Kind {
    /// All kinds, with their names in results.
    pub const ALL: [(Self, &'static str); 11] = [
        (Self::Tcp, "tcp"),
        (Self::CutTcp, "cut_tcp"),
        (Self::Quic, "quic"),
        (Self::Udp, "udp"),
        (Self::Icmp, "icmp"),
        (Self::OtherIp, "other_ip"),
        (Self::Fragment, "fragment"),
        (Self::NotIp, "not_ip"),
        (Self::Damaged, "damaged"),
        (Self::OtherLink, "other_link"),
        (Self::Timeless, "timeless"),
    ];
}

/// Packets, and their bytes on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub packets: u64,
    pub bytes: u64,
}

impl Count {
    /// Counts a packet.
    pub fn add(&mut self, wire_bytes: u32) {
        *self += Self { packets: 1, bytes: u64::from(wire_bytes) };
    }
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.packets += other.packets;
        self.bytes += other.bytes;
    }
}
