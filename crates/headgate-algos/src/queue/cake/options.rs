//! The words that parameters of CAKE can take.

headgate_model::choices! {
    /// Which packets share a queue, and which hosts or flows share the line equally.
    pub enum Isolation {
        /// Hosts at both ends share equally, and so do the flows of each pair.
        TripleIsolate = "triple-isolate",
        /// Hosts that send share equally, and so do the flows of each.
        DualSrchost = "dual-srchost",
        /// Hosts that receive share equally, and so do the flows of each.
        DualDsthost = "dual-dsthost",
        /// Flows share equally.
        Flows = "flows",
        /// Pairs of hosts share equally; the flows of a pair are one queue.
        Hosts = "hosts",
        /// Hosts that send share equally; the flows of each are one queue.
        Srchost = "srchost",
        /// Hosts that receive share equally; the flows of each are one queue.
        Dsthost = "dsthost",
        /// All packets are one queue.
        Flowblind = "flowblind",
    }
}

impl Isolation {
    /// Whether hosts that send share equally, though each flow uses a separate queue.
    pub(super) fn balances_sources(self) -> bool {
        matches!(self, Self::TripleIsolate | Self::DualSrchost)
    }

    /// Whether hosts that receive share equally, though each flow uses a separate queue.
    pub(super) fn balances_destinations(self) -> bool {
        matches!(self, Self::TripleIsolate | Self::DualDsthost)
    }
}

headgate_model::choices! {
    /// Which ACKs are dropped because a later one of their connection replaces them.
    pub enum AckFilter {
        /// None.
        Off = "off",
        /// Those that two later ones replace.
        On = "on",
        /// Those that a later one replaces.
        Aggressive = "aggressive",
    }
}

headgate_model::choices! {
    /// The frames of the line behind the shaper.
    pub enum Framing {
        /// As many bytes as the packet has, with its overhead.
        Plain = "plain",
        /// Cells of 53 bytes, which carry 48.
        Atm = "atm",
        /// One byte more for each 64.
        Ptm = "ptm",
    }
}
