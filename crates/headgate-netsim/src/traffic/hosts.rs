//! Pools of hosts, and the random choice of a receiver.

use headgate_model::chance::Stream;
use serde::{Deserialize, Serialize};

use crate::packets::address::HostLocation;
use crate::packets::index::{HostIndex, RouterIndex};

/// Equal hosts at one router.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct HostPool {
    /// Their router.
    pub router: RouterIndex,
    /// The first host, or [`HostIndex::INLINE`] for all of them.
    pub first: HostIndex,
    /// Number of hosts.
    pub count: u32,
    /// Class of their links (see [`crate::record::FlowKeys`]).
    pub interface: u8,
}

impl HostPool {
    /// Returns the location of a host of the pool.
    pub fn nth(&self, n: u32) -> HostLocation {
        let host = if self.first == HostIndex::INLINE { self.first } else { HostIndex(self.first.0 + n) };
        HostLocation { router: self.router, host, interface: self.interface }
    }
}

/// Receivers to choose from, each host with the same probability.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Receivers {
    pools: Vec<HostPool>,
    /// Number of hosts in the pools up to and including each pool.
    upto: Vec<u64>,
}

impl Receivers {
    /// Receivers in these pools.
    pub fn new(pools: Vec<HostPool>) -> Self {
        let mut sum = 0;
        let count = |p: &HostPool| {
            sum += u64::from(p.count);
            sum
        };
        let upto = pools.iter().map(count).collect();
        Self { pools, upto }
    }

    /// Chooses a random receiver, at another router than `own` if there is one.
    pub fn draw(&self, stream: &mut Stream, own: RouterIndex) -> HostLocation {
        let elsewhere = self.pools.iter().any(|p| p.router != own);
        loop {
            let (pool, n) = self.nth(stream.below(*self.upto.last().expect("a pool")));
            if pool.router != own || !elsewhere {
                return pool.nth(n);
            }
        }
    }

    fn nth(&self, n: u64) -> (&HostPool, u32) {
        let at = self.upto.partition_point(|&upto| upto <= n);
        let before = if at == 0 { 0 } else { self.upto[at - 1] };
        (&self.pools[at], (n - before) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_elsewhere_is_as_likely() {
        let hosts = |node, first, count| HostPool { router: RouterIndex(node), first, count, interface: 0 };
        let receivers = Receivers::new(vec![
            hosts(0, HostIndex(0), 50),
            hosts(1, HostIndex(10), 2),
            hosts(2, HostIndex::INLINE, 1),
        ]);
        let mut stream = Stream::new(1, "receiver", 0);
        let draws: Vec<_> = (0..30_000).map(|_| receivers.draw(&mut stream, RouterIndex(0))).collect();
        for (router, host) in [(1, HostIndex(10)), (1, HostIndex(11)), (2, HostIndex::INLINE)] {
            let receiver = HostLocation { router: RouterIndex(router), host, interface: 0 };
            let share = draws.iter().filter(|&&d| d == receiver).count();
            assert!((9_500..10_500).contains(&share), "{receiver:?}: {share}"); // sd 82
        }
    }

    #[test]
    fn the_only_router_serves_itself() {
        let receivers = Receivers::new(vec![HostPool {
            router: RouterIndex(3),
            first: HostIndex(7),
            count: 1,
            interface: 1,
        }]);
        let home = HostLocation { router: RouterIndex(3), host: HostIndex(7), interface: 1 };
        assert_eq!(receivers.draw(&mut Stream::new(1, "receiver", 0), RouterIndex(3)), home);
    }
}
