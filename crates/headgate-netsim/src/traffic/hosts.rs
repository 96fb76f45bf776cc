//! Hosts by router, and whom to draw as a receiver.

use headgate_model::chance::Stream;
use serde::{Deserialize, Serialize};

/// Equal hosts at one router.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Hosts {
    pub node: u32,
    /// The first host's number, or [`crate::packet::INLINE`] for all of them.
    pub first: u32,
    pub count: u32,
    /// Class of their links (see [`crate::record::FlowKeys`]).
    pub interface: u8,
}

/// One host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Home {
    pub router: u32,
    pub host: u32,
    pub interface: u8,
}

impl Hosts {
    pub fn nth(&self, n: u32) -> Home {
        let host = if self.first == crate::packet::INLINE { self.first } else { self.first + n };
        Home { router: self.node, host, interface: self.interface }
    }
}

/// Receivers to draw from, every host as likely as any other.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Receivers {
    pools: Vec<Hosts>,
    /// Hosts up to and including each pool.
    upto: Vec<u64>,
}

impl Receivers {
    pub fn new(pools: Vec<Hosts>) -> Self {
        let mut sum = 0;
        let count = |p: &Hosts| {
            sum += u64::from(p.count);
            sum
        };
        let upto = pools.iter().map(count).collect();
        Self { pools, upto }
    }

    /// A random receiver: at another router than `own` if there is any.
    pub fn draw(&self, stream: &mut Stream, own: u32) -> Home {
        let elsewhere = self.pools.iter().any(|p| p.node != own);
        loop {
            let (pool, n) = self.nth(stream.below(*self.upto.last().expect("a pool")));
            if pool.node != own || !elsewhere {
                return pool.nth(n);
            }
        }
    }

    fn nth(&self, n: u64) -> (&Hosts, u32) {
        let at = self.upto.partition_point(|&upto| upto <= n);
        let before = if at == 0 { 0 } else { self.upto[at - 1] };
        (&self.pools[at], (n - before) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::INLINE;

    #[test]
    fn every_host_elsewhere_is_as_likely() {
        let hosts = |node, first, count| Hosts { node, first, count, interface: 0 };
        let receivers = Receivers::new(vec![hosts(0, 0, 50), hosts(1, 10, 2), hosts(2, INLINE, 1)]);
        let mut stream = Stream::new(1, "receiver", 0);
        let draws: Vec<_> = (0..30_000).map(|_| receivers.draw(&mut stream, 0)).collect();
        for (router, host) in [(1, 10), (1, 11), (2, INLINE)] {
            let receiver = Home { router, host, interface: 0 };
            let share = draws.iter().filter(|&&d| d == receiver).count();
            assert!((9_500..10_500).contains(&share), "{receiver:?}: {share}"); // sd 82
        }
    }

    #[test]
    fn the_only_router_serves_itself() {
        let receivers = Receivers::new(vec![Hosts { node: 3, first: 7, count: 1, interface: 1 }]);
        let home = Home { router: 3, host: 7, interface: 1 };
        assert_eq!(receivers.draw(&mut Stream::new(1, "receiver", 0), 3), home);
    }
}
