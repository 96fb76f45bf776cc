//! Index types. Each numbers things of one kind, so that an index of one kind cannot be used for another.

use serde::{Deserialize, Serialize};

/// Declares index types: a 32-bit number each, at no cost.
macro_rules! indices {
    ($($(#[doc = $doc:literal])+ $Name:ident,)+) => { $(
        $(#[doc = $doc])+
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[repr(transparent)]
        #[serde(transparent)]
        pub struct $Name(pub u32);

        impl $Name {
            /// Returns the number as an index into a slice.
            #[inline(always)]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// Converts the index of an item in a slice.
            #[inline(always)]
            pub const fn from_index(index: usize) -> Self {
                Self(index as u32)
            }
        }
    )+ };
}

indices! {
    /// A router, in the order of the plan. The same number names the group of hosts behind the router.
    RouterIndex,
    /// A place at which packets arrive: a router, or the hosts behind one. Routers come first.
    NodeIndex,
    /// A host among those of its router, or [`HostIndex::INLINE`].
    HostIndex,
    /// A link, in the order of the plan. Its port is at its beginning.
    LinkIndex,
    /// A port among those of its region.
    PortIndex,
    /// The address of an endpoint: its router and its slot there, packed as [`super::address::AddressSplit`] defines.
    Address,
    /// A flow of a name, or a group of flows that share a name, as the results number them.
    FlowId,
    /// A source of traffic, among those of its process or among all at its router.
    SourceIndex,
    /// A region of the network.
    RegionIndex,
    /// A shard: the regions of one thread.
    ShardIndex,
}

impl RouterIndex {
    /// Returns the node of the router itself.
    #[inline(always)]
    pub const fn node(self) -> NodeIndex {
        NodeIndex(self.0)
    }
}

impl HostIndex {
    /// The host sits directly on its router, with no link in between.
    pub const INLINE: Self = Self(u32::MAX);
}

impl Address {
    /// No endpoint.
    pub const NONE: Self = Self(u32::MAX);
}
