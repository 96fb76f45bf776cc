//! The interface of a fluid model.
//!
//! A model consists of equations only: the slope of its state, from the state and its past. It keeps nothing
//! between calls. If its slope jumps or bends (an empty queue, a threshold), the model declares a *switch*,
//! and the solver ends a step there.

use crate::past::Past;

/// The present, as a model sees it.
#[derive(Clone, Copy, Debug)]
pub struct Now<'a> {
    pub t_s: f64,
    pub state: &'a [f64],
    /// The side of each switch. It is constant within a step, so that the slope is smooth.
    pub sides: &'a [bool],
}

/// The outputs of a class of equal flows; each quantity is that of one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Class {
    pub window_packets: f64,
    pub rtt_s: f64,
    /// The sending rate.
    pub rate_packets_s: f64,
}

/// The outputs of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Link {
    pub queue_packets: f64,
    /// The queue length that the router uses: its moving average, if it computes one.
    pub mean_queue_packets: f64,
    /// The probability that an arriving packet is dropped or marked.
    pub drop_probability: f64,
    pub arrival_packets_s: f64,
}

/// The constants of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkConstants {
    pub rate_packets_s: f64,
    /// Infinite if there is no limit.
    pub buffer_packets: f64,
    pub delay_s: f64,
}

/// The rate of a flow in equilibrium at a price of its path, and the integral of the rate over the price up
/// to there: the terms of the dual problem of the maximisation of the sum of utilities.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
    pub rate_packets_s: f64,
    /// Up to an additive constant.
    pub integral: f64,
}

/// The rate of a flow in equilibrium if links share by levels: its weight times the least level of its path,
/// but at least some rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    pub weight: f64,
    pub least_packets_s: f64,
}

/// A system of delay differential equations. Each is one file and one line of the registry.
pub trait Model: Send + Sync {
    /// The number of components of the state.
    fn dimension(&self) -> usize;

    /// A component of the state at and before time 0.
    fn before(&self, t_s: f64, index: usize) -> f64;

    /// Computes the slope of the state.
    fn slope(&self, now: &Now<'_>, past: &mut Past<'_>, slope: &mut [f64]);

    /// The number of different times in the past that a slope uses; each lookup passes its number.
    fn lags(&self) -> usize {
        0
    }

    /// The number of places at which the slope jumps or bends.
    fn switches(&self) -> usize {
        0
    }

    /// The side of a switch before time 0.
    fn side(&self, _index: usize) -> bool {
        false
    }

    /// Computes a gap function for each switch: the switch is on its side (`true`) while its gap is not
    /// negative. The gap of a switch with hysteresis reads its own side.
    fn gaps(&self, _now: &Now<'_>, _past: &mut Past<'_>, _gaps: &mut [f64]) {}

    /// Moves a state that a step has brought out of its bounds back into them.
    fn confine(&self, _state: &mut [f64]) {}

    /// Puts a state exactly on the edge at which a switch has changed to this side, which the step misses by
    /// its error: a queue that has emptied is 0.
    fn edge(&self, _state: &mut [f64], _switch: usize, _side: bool) {}

    /// The number of classes of flows.
    fn classes(&self) -> usize {
        0
    }

    /// The number of flows of a class.
    fn flows(&self, _index: usize) -> f64 {
        1.0
    }

    /// The number of links.
    fn links(&self) -> usize {
        0
    }

    /// The outputs of a class in a state.
    fn class(&self, _state: &[f64], _index: usize) -> Class {
        Class::default()
    }

    /// The outputs of a link in a state.
    fn link(&self, _state: &[f64], _index: usize) -> Link {
        Link::default()
    }

    /// The constants of a link.
    fn link_constants(&self, _index: usize) -> LinkConstants {
        LinkConstants { rate_packets_s: f64::INFINITY, buffer_packets: f64::INFINITY, delay_s: 0.0 }
    }

    /// The rate of a flow of a class in equilibrium at a price of its path, if a utility defines it.
    fn demand(&self, _class: usize, _price: f64) -> Option<Demand> {
        None
    }

    /// The rate of a flow of a class in equilibrium, if links share by levels: max-min fairness.
    fn share(&self, _class: usize) -> Option<Share> {
        None
    }

    /// The total arrivals of a link in equilibrium if the flows that it limits are at a level; it does not
    /// increase with the level.
    fn takes(&self, _link: usize, _level: f64) -> f64 {
        f64::INFINITY
    }

    /// The size of a packet.
    fn packet_bytes(&self) -> f64 {
        1500.0
    }
}
