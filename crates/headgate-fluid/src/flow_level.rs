//! The equations that all flow-level models share: windows that move until the price of the path equals the
//! price of equilibrium, and links that set prices.
//!
//! An algorithm defines its gain `kappa` and the price `U'` of its equilibrium; then `w' = kappa (1 - p/U')`,
//! the common form of Jin, Wei, Low 2004. The price of a link is the loss probability at which its arrivals
//! equal its rate, or its queueing delay.

use crate::model::{Class, Demand, Link, LinkConstants, Model, Now};
use crate::network::{Network, Routes, own_values};
use crate::past::Past;
use crate::queues::Queues;

/// The quantity that an algorithm uses as the price of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Price {
    /// A loss probability. A link does not queue. Per second its price changes by its relative excess load,
    /// `p' = p (y - C)/C` (a dual algorithm as in Low, Lapsley 1999, scaled by the price).
    Loss,
    /// Queueing delay. The price of a queue of `q` packets, `q' = y - C`, is `q/C`.
    Delay,
}

/// The state of a flow, as its algorithm sees it.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    pub window: f64,
    pub rtt_s: f64,
}

impl Flow {
    pub fn rate(&self) -> f64 {
        self.window / self.rtt_s
    }
}

/// A congestion control algorithm at flow level.
pub trait FlowController: Send + Sync + Sized {
    const PRICE: Price;

    fn from_values(values: &[f64]) -> Self;

    fn initial_window(&self) -> f64;

    /// The loss probability of the path in addition to its links'.
    fn loss(&self) -> f64 {
        0.0
    }

    /// Whether prices are observed one round trip late rather than at once.
    fn sees_prices_late(&self) -> bool {
        false
    }

    /// The gain `kappa`, packets/s.
    fn gain(&self, flow: Flow) -> f64;

    /// The price `U'` at which the window is in equilibrium.
    fn marginal(&self, flow: Flow) -> f64;

    fn slope(&self, flow: Flow, price: f64) -> f64 {
        self.gain(flow) * (1.0 - price / self.marginal(flow))
    }

    /// The rate of a flow in equilibrium at a price, and the integral of the rate over the price.
    fn demand(&self, price: f64, rtt_s: f64) -> Demand;
}

/// The demand `scale price^-exponent`.
pub fn power(scale: f64, exponent: f64, price: f64) -> Demand {
    let rate_packets_s = scale * libm::pow(price, -exponent);
    let integral =
        if exponent == 1.0 { scale * libm::log(price) } else { rate_packets_s * price / (1.0 - exponent) };
    Demand { rate_packets_s, integral }
}

/// The initial price of a link if prices are losses.
const FIRST_LOSS: f64 = 1e-3;

/// A network of flows of one algorithm. The state consists of a window for each class and, for each link, its
/// queue or the logarithm of its loss probability.
pub struct FlowLevel<L> {
    network: Network,
    routes: Routes,
    classes: Vec<L>,
    queues: Queues,
}

impl<L: FlowController> FlowLevel<L> {
    pub fn new(values: &[f64], network: &Network) -> Self {
        let classes = network.classes.iter().map(|class| L::from_values(&own_values(values, &class.set)));
        Self {
            classes: classes.collect(),
            routes: Routes::of(network),
            queues: Queues::of(network),
            network: network.clone(),
        }
    }

    fn delays(&self) -> bool {
        L::PRICE == Price::Delay
    }

    fn link_price(&self, link: usize, look: impl Fn(usize) -> f64) -> f64 {
        let value = look(self.classes.len() + link);
        if self.delays() { value / self.network.links[link].rate_packets_s } else { libm::exp(value) }
    }

    /// The price of a path, from the state of one time.
    fn price(&self, class: usize, look: impl Fn(usize) -> f64 + Copy) -> f64 {
        let links = self.routes.path(class).iter().map(|link| self.link_price(*link, look));
        self.classes[class].loss() + links.sum::<f64>()
    }

    /// The flow of a class with this window and path price.
    fn at_price(&self, class: usize, window: f64, price: f64) -> Flow {
        let wait_s = if self.delays() { price } else { 0.0 };
        Flow { window, rtt_s: self.network.classes[class].rtt_s + wait_s }
    }

    /// The price that a flow observes.
    fn seen(&self, class: usize, now: &Now<'_>, past: &mut Past<'_>) -> f64 {
        if self.classes[class].sees_prices_late() {
            let then = past.at(class, now.t_s - self.flow(class, now.state).rtt_s);
            return self.price(class, |index| then.value(index));
        }
        self.price(class, |index| now.state[index])
    }

    fn flow(&self, class: usize, state: &[f64]) -> Flow {
        self.at_price(class, state[class], self.price(class, |index| state[index]))
    }

    fn arrivals(&self, state: &[f64], arrivals: &mut [f64]) {
        self.routes.arrivals(|class| self.flow(class, state).rate(), arrivals);
    }

    /// Replaces the arrivals at each link by the slope of its price; the slope is 0 at a loss probability of
    /// 1.
    fn price_slopes(&self, sides: &[bool], arrivals: &mut [f64]) {
        for ((value, all_lost), wire) in arrivals.iter_mut().zip(sides).zip(&self.network.links) {
            *value = if *all_lost { 0.0 } else { *value / wire.rate_packets_s - 1.0 };
        }
    }

    /// The gap functions of prices, from arrivals. A loss probability of 1 ends when arrivals fall below the
    /// rate.
    fn price_gaps(&self, sides: &[bool], prices: &[f64], arrivals: &mut [f64]) {
        for (link, gap) in arrivals.iter_mut().enumerate() {
            let growing = *gap - self.network.links[link].rate_packets_s;
            *gap = if sides[link] { growing } else { prices[link] };
        }
    }
}

impl<L: FlowController> Model for FlowLevel<L> {
    fn dimension(&self) -> usize {
        self.classes.len() + self.network.links.len()
    }

    fn before(&self, _t_s: f64, index: usize) -> f64 {
        let empty = if self.delays() { 0.0 } else { libm::log(FIRST_LOSS) };
        self.classes.get(index).map_or(empty, L::initial_window)
    }

    fn slope(&self, now: &Now<'_>, past: &mut Past<'_>, slope: &mut [f64]) {
        let (windows, links) = slope.split_at_mut(self.classes.len());
        for (class, slope) in windows.iter_mut().enumerate() {
            let price = self.seen(class, now, past);
            *slope = self.classes[class].slope(self.at_price(class, now.state[class], price), price);
        }
        self.arrivals(now.state, links);
        if self.delays() {
            self.queues.slope(now.sides, links);
        } else {
            self.price_slopes(now.sides, links);
        }
    }

    fn lags(&self) -> usize {
        if self.classes.iter().any(L::sees_prices_late) { self.classes.len() } else { 0 }
    }

    fn switches(&self) -> usize {
        if self.delays() { self.queues.switches() } else { self.network.links.len() }
    }

    fn gaps(&self, now: &Now<'_>, _past: &mut Past<'_>, gaps: &mut [f64]) {
        let links = &now.state[self.classes.len()..];
        if self.delays() {
            self.arrivals(now.state, self.queues.arrivals(gaps));
            self.queues.gaps(now.sides, links, gaps);
        } else {
            self.arrivals(now.state, gaps);
            self.price_gaps(now.sides, links, gaps);
        }
    }

    fn confine(&self, state: &mut [f64]) {
        let (windows, links) = state.split_at_mut(self.classes.len());
        windows.iter_mut().for_each(|window| *window = window.max(0.0));
        if self.delays() {
            self.queues.confine(links);
        } else {
            links.iter_mut().for_each(|value| *value = value.min(0.0));
        }
    }

    fn edge(&self, state: &mut [f64], index: usize, side: bool) {
        let links = &mut state[self.classes.len()..];
        if self.delays() {
            self.queues.edge(links, index, side);
        } else if side {
            links[index] = 0.0;
        }
    }

    fn classes(&self) -> usize {
        self.classes.len()
    }

    fn flows(&self, index: usize) -> f64 {
        self.network.classes[index].flows
    }

    fn links(&self) -> usize {
        self.network.links.len()
    }

    fn class(&self, state: &[f64], index: usize) -> Class {
        let flow = self.flow(index, state);
        Class { window_packets: flow.window, rtt_s: flow.rtt_s, rate_packets_s: flow.rate() }
    }

    fn link(&self, state: &[f64], index: usize) -> Link {
        let mut arrivals = vec![0.0; self.network.links.len()];
        self.arrivals(state, &mut arrivals);
        let queue_packets = if self.delays() { state[self.classes.len() + index] } else { 0.0 };
        Link {
            queue_packets,
            mean_queue_packets: queue_packets,
            drop_probability: if self.delays() { 0.0 } else { self.link_price(index, |place| state[place]) },
            arrival_packets_s: arrivals[index],
        }
    }

    fn link_constants(&self, index: usize) -> LinkConstants {
        self.network.link_constants(index)
    }

    fn packet_bytes(&self) -> f64 {
        self.network.packet_bytes
    }

    fn demand(&self, class: usize, price: f64) -> Option<Demand> {
        let controller = &self.classes[class];
        Some(controller.demand(controller.loss() + price, self.network.classes[class].rtt_s))
    }
}

#[cfg(test)]
pub mod checks {
    use super::*;

    /// Checks that at every window the demand at its equilibrium price is its rate, and that the slope of the
    /// integral is the demand (by central differences: within 1e-8 of it).
    pub fn demand_is_what_rests<L: FlowController>(controller: &L, windows: &[f64], rtt_s: f64) {
        for window in windows {
            let flow = Flow { window: *window, rtt_s };
            let price = controller.marginal(flow);
            let demand = controller.demand(price, rtt_s);
            assert!((demand.rate_packets_s / flow.rate() - 1.0).abs() < 1e-9, "{window}: {demand:?}");
            let [low, high] =
                [-1e-5, 1e-5].map(|part| controller.demand(price * (1.0 + part), rtt_s).integral);
            let slope = (high - low) / (2e-5 * price);
            assert!((slope / demand.rate_packets_s - 1.0).abs() < 1e-6, "{window}: {slope} {demand:?}");
            assert!(controller.slope(flow, price).abs() < 1e-9);
            assert!(controller.slope(flow, 0.9 * price) > 0.0 && controller.slope(flow, 1.1 * price) < 0.0);
        }
    }

    pub fn by_default<L: FlowController>(table: &[headgate_model::params::Param]) -> L {
        let values: Vec<f64> = table.iter().map(|param| param.default).collect();
        L::from_values(&values)
    }
}
