//! A policer: packets above a rate are dropped, not queued.
//!
//! # Overview
//! Limits traffic to a rate like an operator's policer, without a queue: packets beyond a burst are dropped.
//!
//! # The rule
//! A bucket fills at `rate_bytes_s` up to `burst_bytes`, and is full initially. A packet passes if the bucket
//! contains its size, which is then removed; otherwise it is dropped.
//!
//! # When to use it
//! Before the queue, to study an algorithm under a policer; the loss is unrelated to the queue.
//!
//! # References
//! RFC 2697 (without its colours: excess burst 0); RFC 3290 §A.1; Flach et al. 2016.

use headgate_model::chance::Stream;
use headgate_model::feedback::PassingPacket;
use headgate_model::impairment::{Impairment, Passage};
use headgate_model::params::Card;
use headgate_model::units::{Time, seconds};

headgate_model::params! {
    /// Rate at which the bucket fills.
    rate_bytes_s: number(625_000.0, (1.0, 1e13), "bytes/s", "ours: 5 Mbit/s"),
    /// Capacity of the bucket.
    burst_bytes: number(64_000.0, (1.0, 1e12), "bytes", "ours", at_least ["packet"]),
}

pub(crate) const CARD: Card = Card {
    name: "policer",
    title: "Token-bucket policer",
    aliases: &[],
    family: "impairment",
    rule: "tokens = min(burst, tokens + rate dt); drop if tokens < size",
    response: "",
    references: &["RFC 2697", "Flach et al. 2016"],
    params: Params::TABLE,
};

/// A token bucket.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Policer {
    params: Params,
    tokens: f64,
    /// Time at which the tokens were computed.
    at: Time,
}

impl Policer {
    /// Creates a full bucket.
    pub fn new(params: Params) -> Self {
        Self { params, tokens: params.burst_bytes, at: 0 }
    }
}

impl Impairment for Policer {
    const ACTS_AT_ONCE: bool = true;

    fn pass(&mut self, packet: &PassingPacket, now: Time, _chance: &mut Stream) -> Option<Passage> {
        let filled = self.tokens + self.params.rate_bytes_s * seconds(now - self.at);
        (self.tokens, self.at) = (filled.min(self.params.burst_bytes), now);
        let size = f64::from(packet.size_bytes);
        (self.tokens >= size).then(|| {
            self.tokens -= size;
            Passage::CLEAR
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_model::ecn::Ecn;

    const DATA: PassingPacket = PassingPacket { size_bytes: 1500, data: true, ecn: Ecn::NotEct };

    use headgate_model::units::SECOND;

    #[test]
    fn a_burst_passes_and_then_the_rate() {
        let mut chance = Stream::new(1, "test", 0);
        let mut policer = Policer::new(Params { rate_bytes_s: 15_000.0, burst_bytes: 15_000.0 });
        let mut passed = |times: &mut dyn Iterator<Item = Time>| {
            times.filter(|&now| policer.pass(&DATA, now, &mut chance).is_some()).count()
        };
        assert_eq!(passed(&mut (0..20).map(|_| 0)), 10); // the bucket
        // 100 packets in each of ten seconds: ten per second pass
        assert_eq!(passed(&mut (1..=1000).map(|k| k * (SECOND / 100))), 100);
        // a minute of silence fills the bucket and no more
        assert_eq!(passed(&mut (0..20).map(|_| 70 * SECOND)), 10);
    }

    #[test]
    fn what_passes_never_exceeds_burst_and_rate() {
        let (mut chance, mut draws) = (Stream::new(1, "test", 0), Stream::new(2, "test", 0));
        let mut policer = Policer::new(Params { rate_bytes_s: 1e6, burst_bytes: 9000.0 });
        let (mut now, mut passed) = (0, 0.0);
        for _ in 0..100_000 {
            now += (draws.exponential(0.001) * 1e12) as Time;
            let packet =
                PassingPacket { size_bytes: 40 + draws.below(1461) as u32, data: true, ecn: Ecn::NotEct };
            if policer.pass(&packet, now, &mut chance).is_some() {
                passed += f64::from(packet.size_bytes);
            }
            assert!(passed <= 9000.0 + 1e6 * seconds(now) + 1e-3);
        }
    }
}
