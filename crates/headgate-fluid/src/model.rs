//! The interface of a fluid model.
//!
//! A model is equations and nothing else: how its state changes, from the state and its past. It keeps
//! nothing between calls. Where its slope jumps or bends (an empty queue, a threshold), it names a *switch*,
//! and the machine ends a step there.

use crate::past::Past;

/// The present, as a model sees it.
#[derive(Clone, Copy, Debug)]
pub struct Now<'a> {
    pub t_s: f64,
    pub state: &'a [f64],
    /// On which side of each switch the model is. It is constant within a step, so that the slope is smooth.
    pub sides: &'a [bool],
}

/// What a class of equal flows shows of itself; each quantity is that of one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Class {
    pub window_packets: f64,
    pub rtt_s: f64,
    /// What it sends.
    pub rate_packets_s: f64,
}

/// What a link shows of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Link {
    pub queue_packets: f64,
    /// What the router takes for the queue: its moving average, where it has one.
    pub mean_queue_packets: f64,
    /// Probability that an arrival is dropped or marked.
    pub drop_probability: f64,
    pub arrival_packets_s: f64,
}

/// What does not change about a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    pub rate_packets_s: f64,
    /// Infinite where there is no limit.
    pub buffer_packets: f64,
    pub delay_s: f64,
}

/// What a flow sends in equilibrium at a price of its path, and the integral of that over the price up to there: what
/// maximising the sum of utilities by its prices needs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
    pub rate_packets_s: f64,
    /// But for a constant.
    pub integral: f64,
}

/// What a flow sends in equilibrium where links share by levels: its weight times the least level of its path, and no
/// less than some rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    pub weight: f64,
    pub least_packets_s: f64,
}

/// A system of delay differential equations. One file each, one registry line each.
pub trait Model: Send + Sync {
    /// Numbers in the state.
    fn dimension(&self) -> usize;

    /// The state at and before time 0.
    fn before(&self, t_s: f64, index: usize) -> f64;

    /// How fast the state changes.
    fn slope(&self, now: &Now<'_>, past: &mut Past<'_>, slope: &mut [f64]);

    /// How many different moments of the past a slope looks at; each look names its number.
    fn lags(&self) -> usize {
        0
    }

    /// In how many places the slope jumps or bends.
    fn switches(&self) -> usize {
        0
    }

    /// The side that a switch is taken to be on before time 0.
    fn side(&self, _index: usize) -> bool {
        false
    }

    /// One number for each switch: it is on its side (`true`) while that is not negative. A switch that stays
    /// where it is for another reason than the one that brought it there reads its own side.
    fn gaps(&self, _now: &Now<'_>, _past: &mut Past<'_>, _gaps: &mut [f64]) {}

    /// Moves a state that a step has brought out of its bounds back into them.
    fn confine(&self, _state: &mut [f64]) {}

    /// Puts a state just on the edge at which a switch has come to this side, and which the step has missed
    /// by its error: a queue that has ended is nothing.
    fn edge(&self, _state: &mut [f64], _switch: usize, _side: bool) {}

    /// Classes of flows.
    fn classes(&self) -> usize {
        0
    }

    /// Flows of a class.
    fn flows(&self, _index: usize) -> f64 {
        1.0
    }

    /// Links.
    fn links(&self) -> usize {
        0
    }

    /// What a class shows in a state.
    fn class(&self, _state: &[f64], _index: usize) -> Class {
        Class::default()
    }

    /// What a link shows in a state.
    fn link(&self, _state: &[f64], _index: usize) -> Link {
        Link::default()
    }

    /// What a link is.
    fn line(&self, _index: usize) -> Line {
        Line { rate_packets_s: f64::INFINITY, buffer_packets: f64::INFINITY, delay_s: 0.0 }
    }

    /// What a flow of a class sends in equilibrium at a price of its path, where a utility says so.
    fn demand(&self, _class: usize, _price: f64) -> Option<Demand> {
        None
    }

    /// What a flow of a class sends in equilibrium, where links share by levels: max-min fairness.
    fn share(&self, _class: usize) -> Option<Share> {
        None
    }

    /// What a link takes in all in equilibrium when the flows that it slows are at a level; it does not rise with it.
    fn takes(&self, _link: usize, _level: f64) -> f64 {
        f64::INFINITY
    }

    /// Size of a packet.
    fn packet_bytes(&self) -> f64 {
        1500.0
    }
}
