//! What packets of a capture are, and how many of each there were.

/// What a packet is to a reader who looks for TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// TCP, its header read.
    Tcp,
    /// TCP, cut off before the flags by the capture.
    CutTcp,
    /// UDP with port 443 at either end.
    Quic,
    /// UDP otherwise.
    Udp,
    /// ICMP and ICMPv6.
    Icmp,
    /// IP with anything else inside, tunnels too.
    OtherIp,
    /// A fragment of an IP packet that is not its first one: it has no ports.
    Fragment,
    /// ARP, and whatever else is not IP.
    NotIp,
    /// The headers contradict each other, or are cut off before the protocol's.
    Damaged,
    /// Of an interface whose kind of link is not read.
    OtherLink,
    /// Without a time stamp (simple packet block).
    Timeless,
}

impl Kind {
    /// All kinds, with the names that results have for them.
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
