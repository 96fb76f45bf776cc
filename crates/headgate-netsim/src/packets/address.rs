//! Addresses of endpoints and hosts, and the identity of connections.

use serde::{Deserialize, Serialize};

use super::index::{Address, HostIndex, RouterIndex};

/// Hosts at one router are numbered below this: a SYN carries the number in 22 bits.
pub const HOST_MASK: u32 = (1 << HOST_BITS) - 1;

/// Bits of a host's number in a SYN.
pub const HOST_BITS: u32 = 22;

/// The location of one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostLocation {
    /// Its router.
    pub router: RouterIndex,
    /// Its index at the router.
    pub host: HostIndex,
    /// Class of its link (see [`crate::record::FlowKeys`]).
    pub interface: u8,
}

/// The layout of an endpoint's address: the router in the high bits, the slot at that router in the low
/// bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressSplit {
    shift: u32,
}

impl AddressSplit {
    /// The layout for a network with this many routers.
    pub fn for_routers(routers: usize) -> Self {
        let bits = usize::BITS - routers.saturating_sub(1).leading_zeros();
        Self { shift: 32 - bits.clamp(1, 16) }
    }

    /// Returns the router of an address.
    #[inline]
    pub fn router(self, address: Address) -> RouterIndex {
        RouterIndex(address.0 >> self.shift)
    }

    /// Returns the slot of an address at its router.
    #[inline]
    pub fn slot(self, address: Address) -> usize {
        (address.0 & ((1 << self.shift) - 1)) as usize
    }

    /// Returns the address of a slot at a router.
    ///
    /// # Panics
    /// If the slot does not fit into the address.
    #[inline]
    pub fn join(self, router: RouterIndex, slot: usize) -> Address {
        assert!(slot < 1 << self.shift, "more endpoints at a router than an address holds");
        Address(router.0 << self.shift | slot as u32)
    }

    /// Returns the number of slots at one router.
    pub fn slots(self) -> usize {
        1 << self.shift
    }
}

/// A connection: the address of its sender, and the generation of the sender's slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ConnectionId {
    /// Address of the sender.
    pub sender: Address,
    /// Generation of the sender's slot, which counts its connections modulo 256.
    pub generation: u8,
}

impl ConnectionId {
    /// The connection of the sender at this address in this generation of its slot.
    #[inline(always)]
    pub const fn new(sender: Address, generation: u8) -> Self {
        Self { sender, generation }
    }

    /// Returns one number that identifies the connection in tables.
    pub fn number(self) -> u64 {
        u64::from(self.sender.0) << 8 | u64::from(self.generation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_divide_and_join() {
        for routers in [1, 2, 3, 172, 65_536] {
            let split = AddressSplit::for_routers(routers);
            for router in [0, routers - 1].map(RouterIndex::from_index) {
                let address = split.join(router, 77);
                assert_eq!((split.router(address), split.slot(address)), (router, 77));
            }
        }
    }
}
