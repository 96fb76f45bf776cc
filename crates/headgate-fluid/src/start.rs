//! A model that starts from any state, which was constant before time 0.

use crate::model::{Class, Demand, Link, LinkConstants, Model, Now, Share};
use crate::past::Past;

/// A model with another past: `state` at and before time 0, with its switches on `sides`.
pub struct DelayedStart {
    pub model: Box<dyn Model>,
    pub state: Vec<f64>,
    pub sides: Vec<bool>,
}

#[deny(clippy::missing_trait_methods)]
impl Model for DelayedStart {
    fn dimension(&self) -> usize {
        self.model.dimension()
    }

    fn before(&self, _t_s: f64, index: usize) -> f64 {
        self.state[index]
    }

    fn slope(&self, now: &Now<'_>, past: &mut Past<'_>, slope: &mut [f64]) {
        self.model.slope(now, past, slope);
    }

    fn lags(&self) -> usize {
        self.model.lags()
    }

    fn switches(&self) -> usize {
        self.model.switches()
    }

    fn side(&self, index: usize) -> bool {
        self.sides[index]
    }

    fn gaps(&self, now: &Now<'_>, past: &mut Past<'_>, gaps: &mut [f64]) {
        self.model.gaps(now, past, gaps);
    }

    fn confine(&self, state: &mut [f64]) {
        self.model.confine(state);
    }

    fn edge(&self, state: &mut [f64], switch: usize, side: bool) {
        self.model.edge(state, switch, side);
    }

    fn classes(&self) -> usize {
        self.model.classes()
    }

    fn flows(&self, index: usize) -> f64 {
        self.model.flows(index)
    }

    fn links(&self) -> usize {
        self.model.links()
    }

    fn class(&self, state: &[f64], index: usize) -> Class {
        self.model.class(state, index)
    }

    fn link(&self, state: &[f64], index: usize) -> Link {
        self.model.link(state, index)
    }

    fn link_constants(&self, index: usize) -> LinkConstants {
        self.model.link_constants(index)
    }

    fn demand(&self, class: usize, price: f64) -> Option<Demand> {
        self.model.demand(class, price)
    }

    fn share(&self, class: usize) -> Option<Share> {
        self.model.share(class)
    }

    fn takes(&self, link: usize, level: f64) -> f64 {
        self.model.takes(link, level)
    }

    fn packet_bytes(&self) -> f64 {
        self.model.packet_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{build, cards};

    #[test]
    fn another_past_changes_no_rest() {
        let index =
            cards().iter().position(|card| card.name == "rcp").expect("a model that shares by levels");
        let values: Vec<f64> = cards()[index].params.iter().map(|param| param.default).collect();
        let plain = build(index, &values);
        let (state, sides) = (vec![1.0; plain.dimension()], vec![false; plain.switches()]);
        let started = DelayedStart { model: build(index, &values), state, sides };
        assert!(plain.share(0).is_some());
        assert_eq!(started.share(0), plain.share(0));
        assert_eq!(started.takes(0, 2.0), plain.takes(0, 2.0));
    }
}
