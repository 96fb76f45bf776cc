//! Gilbert-Elliott: loss in bursts, from a channel that is good or bad.
//!
//! # Overview
//! Loses packets like a fading radio channel: many in a row, then none for a long time.
//!
//! # The rule
//! A chain of two states takes a step at each packet: good to bad with probability `to_bad`, bad to good with
//! `to_good`. A packet is lost with probability `loss_good` or `loss_bad`. In the long run the channel is bad
//! for `to_bad / (to_bad + to_good)` of the packets, a bad period lasts `1 / to_good` packets on average, and
//! the states of packets at distance k correlate by `(1 - to_bad - to_good)^k`. The first packet finds the
//! channel in the long-run distribution. With `loss_good` 0 and `loss_bad` 1 it is Gilbert's simplest model.
//!
//! # When to use it
//! For radio links, and whenever random loss comes in bursts.
//!
//! # References
//! Gilbert 1960; Elliott 1963; Linux `sch_netem.c`, `loss gemodel`.

use headgate_model::chance::Stream;
use headgate_model::feedback::PassingPacket;
use headgate_model::impairment::{Impairment, Passage};
use headgate_model::params::Card;
use headgate_model::units::Time;

headgate_model::params! {
    /// Probability, at each packet, that a good channel turns bad.
    to_bad: number(0.001, (0.0, 1.0), "1", "ours"),
    /// Probability, at each packet, that a bad channel turns good.
    to_good: number(0.1, (0.0, 1.0), "1", "ours"),
    /// Probability of loss while the channel is good.
    loss_good: number(0.0, (0.0, 1.0), "1", "Gilbert 1960"),
    /// Probability of loss while the channel is bad.
    loss_bad: number(1.0, (0.0, 1.0), "1", "ours"),
}

pub(crate) const CARD: Card = Card {
    name: "gilbert_elliott",
    title: "Gilbert-Elliott loss",
    aliases: &[],
    family: "impairment",
    rule: "good -> bad with p, bad -> good with r; P(lost) by the state",
    response: "",
    references: &["Gilbert 1960", "Elliott 1963"],
    params: Params::TABLE,
};

/// A fading channel.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct GilbertElliott {
    params: Params,
    /// The state at the last packet; `None` before the first one.
    bad: Option<bool>,
}

impl GilbertElliott {
    /// Creates the impairment in its initial state.
    pub fn new(params: Params) -> Self {
        Self { params, bad: None }
    }

    /// Returns the probability that the channel is bad for the next packet. A channel that never changes is
    /// good.
    fn next_is_bad(&self) -> f64 {
        let Params { to_bad, to_good, .. } = self.params;
        match self.bad {
            None if to_bad == 0.0 => 0.0,
            None => to_bad / (to_bad + to_good),
            Some(false) => to_bad,
            Some(true) => 1.0 - to_good,
        }
    }
}

impl Impairment for GilbertElliott {
    const ACTS_AT_ONCE: bool = true;

    fn pass(&mut self, _packet: &PassingPacket, _now: Time, chance: &mut Stream) -> Option<Passage> {
        let bad = chance.chance(self.next_is_bad());
        self.bad = Some(bad);
        let loss = if bad { self.params.loss_bad } else { self.params.loss_good };
        (!chance.chance(loss)).then_some(Passage::CLEAR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_model::ecn::Ecn;

    const DATA: PassingPacket = PassingPacket { size_bytes: 1500, data: true, ecn: Ecn::NotEct };

    const FADING: Params = Params { to_bad: 0.02, to_good: 0.25, loss_good: 0.001, loss_bad: 0.6 };

    /// Returns whether each of a million packets is lost.
    fn losses(params: Params) -> Vec<bool> {
        let (mut channel, mut chance) = (GilbertElliott::new(params), Stream::new(1, "test", 0));
        (0..1_000_000).map(|_| channel.pass(&DATA, 0, &mut chance).is_none()).collect()
    }

    fn mean(of: impl Iterator<Item = bool>) -> f64 {
        let (mut yes, mut all) = (0.0, 0.0);
        of.for_each(|each| (yes, all) = (yes + f64::from(u8::from(each)), all + 1.0));
        yes / all
    }

    #[test]
    fn so_many_are_lost_as_the_chain_says() {
        let Params { to_bad, to_good, loss_good, loss_bad } = FADING;
        let bad = to_bad / (to_bad + to_good);
        let expected = bad * loss_bad + (1.0 - bad) * loss_good;
        // a chain with a memory (1 + r)/(1 - r) times as long: 0.0003 is four standard deviations
        let lost = mean(losses(FADING).into_iter());
        assert!((lost - expected).abs() < 0.0015, "{lost} {expected}");
    }

    #[test]
    fn losses_correlate_as_the_states_do() {
        let Params { to_bad, to_good, loss_good, loss_bad } = FADING;
        let (bad, memory) = (to_bad / (to_bad + to_good), 1.0 - to_bad - to_good);
        let lost = losses(FADING);
        let share = mean(lost.iter().copied());
        for apart in [1, 2, 5] {
            let both = mean(lost.windows(apart + 1).map(|span| span[0] && span[apart]));
            let expected = bad * (1.0 - bad) * (loss_bad - loss_good).powi(2) * memory.powi(apart as i32);
            assert!((both - share * share - expected).abs() < 0.0015, "{apart}: {both} {share} {expected}");
        }
    }

    #[test]
    fn runs_of_gilberts_losses_are_geometric() {
        let lost = losses(Params { to_bad: 0.01, to_good: 0.2, loss_good: 0.0, loss_bad: 1.0 });
        let runs = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        let length = lost.iter().filter(|&&lost| lost).count() as f64 / runs;
        assert!((length - 5.0).abs() < 0.2, "{length}");
    }

    #[test]
    fn a_channel_that_never_turns_is_good() {
        let still = Params { to_bad: 0.0, to_good: 0.0, loss_good: 0.0, loss_bad: 1.0 };
        assert!(!losses(still).contains(&true));
    }
}
