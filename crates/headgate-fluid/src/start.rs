//! A model that starts from any state, in which it has been for ever.

use crate::model::{Class, Demand, Line, Link, Model, Now};
use crate::past::Past;

/// A model with another past: `state` at and before time 0, with its switches on `sides`.
pub struct Started {
    pub model: Box<dyn Model>,
    pub state: Vec<f64>,
    pub sides: Vec<bool>,
}

impl Model for Started {
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

    fn line(&self, index: usize) -> Line {
        self.model.line(index)
    }

    fn demand(&self, class: usize, price: f64) -> Option<Demand> {
        self.model.demand(class, price)
    }

    fn packet_bytes(&self) -> f64 {
        self.model.packet_bytes()
    }
}
