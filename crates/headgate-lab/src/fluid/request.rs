//! Requests to solve a fluid model, and their validation.

use headgate_fluid::model::Model;
use headgate_fluid::models::{build, build_on, cards, of_links};
use headgate_fluid::network::Network;
use headgate_fluid::past::Between;
use headgate_fluid::solve;
use headgate_fluid::start::DelayedStart;
use headgate_model::check::{PlanError, Result};
use headgate_model::params::Param;
use serde::Deserialize;

/// Largest number of rows of a run, and of steps of constant length; each takes a few hundred bytes.
const MOST_ROWS: f64 = 1e7;

/// The model, the method, and the times of the output.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolveRequest {
    pub model: String,
    pub method: Method,
    pub duration_s: f64,
    pub every_s: f64,
    /// Start of the output, seconds.
    pub from_s: f64,
    /// The network; `None` = that of the model, or the default one.
    #[serde(default)]
    pub network: Option<Network>,
    /// The state at and before time 0; `None` = that of the model.
    #[serde(default)]
    pub start: Option<Start>,
}

/// A state, and the side of each switch in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    pub state: Vec<f64>,
    pub sides: Vec<bool>,
}

/// A method of solution, by its name.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Method {
    Adaptive { relative: f64, absolute: f64, most_s: Option<f64> },
    Euler { step_s: f64, rows: bool },
    Rk4 { step_s: f64, rows: bool },
}

/// Reads the networks of many runs. They are checked when the runs are created.
pub fn read_networks(json: &str) -> Result<Vec<Network>> {
    serde_json::from_str(json).map_err(|error| PlanError::new("networks", error.to_string()))
}

impl SolveRequest {
    pub fn read(json: &str) -> Result<Self> {
        let order: Self =
            serde_json::from_str(json).map_err(|error| PlanError::new("order", error.to_string()))?;
        order.check()?;
        Ok(order)
    }

    fn check(&self) -> Result {
        self.index()?;
        positive("duration", self.duration_s)?;
        positive("every", self.every_s)?;
        if !(self.from_s >= 0.0 && self.from_s < self.duration_s) {
            return Err(PlanError::new(
                "warmup",
                format!("must be at least 0 s and below {} s", self.duration_s),
            ));
        }
        if self.duration_s / self.every_s > MOST_ROWS {
            return Err(PlanError::new(
                "every",
                format!("gives more than {MOST_ROWS:e} rows; it must be longer"),
            ));
        }
        self.method.check(self.duration_s)?;
        self.network.as_ref().map_or(Ok(()), |network| self.check_network(network))
    }

    fn check_network(&self, network: &Network) -> Result {
        let Some(of_links) = of_links(self.index()?) else {
            return Err(PlanError::new(
                "network",
                format!("'{}' has a network of its own; leave this out", self.model),
            ));
        };
        if let Some((place, message)) = network.fault() {
            return Err(PlanError::new(place, message));
        }
        for (index, class) in network.classes.iter().enumerate() {
            self.check_set(&format!("network.classes[{index}]"), &class.set, |name| {
                !of_links.contains(&name)
            })?;
        }
        for (index, link) in network.links.iter().enumerate() {
            self.check_set(&format!("network.links[{index}]"), &link.set, |name| of_links.contains(&name))?;
        }
        Ok(())
    }

    /// Checks the parameters that a class or a link sets for itself.
    fn check_set(&self, place: &str, set: &[(usize, f64)], owns: impl Fn(&str) -> bool) -> Result {
        for (index, value) in set {
            let Some(param) = self.params().get(*index) else {
                return Err(PlanError::new(place, format!("'{}' has no parameter {index}", self.model)));
            };
            if !owns(param.name) {
                let other = if place.contains("links") { "classes" } else { "links" };
                return Err(PlanError::new(
                    format!("{place}.{}", param.name),
                    format!("is a parameter of {other}; set it there"),
                ));
            }
            within(param, *value)
                .map_err(|wrong| PlanError::new(format!("{place}.{}", wrong.place), wrong.message))?;
        }
        Ok(())
    }

    fn index(&self) -> Result<usize> {
        let found = cards().iter().position(|card| card.name == self.model);
        found.ok_or_else(|| PlanError::new("model", format!("'{}' is not a fluid model", self.model)))
    }

    pub(super) fn params(&self) -> &'static [Param] {
        self.index().map_or(&[], |index| cards()[index].params)
    }

    pub(super) fn build(&self, values: &[f64]) -> Result<Box<dyn Model>> {
        self.build_over(values, self.network.as_ref())
    }

    /// Creates the model on a network like that of the request.
    pub(super) fn build_varied(&self, values: &[f64], network: &Network) -> Result<Box<dyn Model>> {
        self.check_network(network)?;
        let shape = |network: &Network| (network.classes.len(), network.links.len());
        if self.network.as_ref().map(shape) != Some(shape(network)) {
            return Err(PlanError::new(
                "networks",
                "must have as many classes and links as the order's".to_owned(),
            ));
        }
        self.build_over(values, Some(network))
    }

    fn build_over(&self, values: &[f64], network: Option<&Network>) -> Result<Box<dyn Model>> {
        let params = self.params();
        if values.len() != params.len() {
            return Err(PlanError::new(
                "values",
                format!("must be one number per parameter, {} in all", params.len()),
            ));
        }
        for (param, value) in params.iter().zip(values) {
            within(param, *value)?;
        }
        let index = self.index()?;
        let model = match network {
            Some(network) => build_on(index, values, network),
            None => build(index, values),
        };
        match &self.start {
            Some(start) => started(model, start),
            None => Ok(model),
        }
    }
}

fn started(model: Box<dyn Model>, start: &Start) -> Result<Box<dyn Model>> {
    check_state("start", &*model, &start.state, &start.sides)?;
    Ok(Box::new(DelayedStart { model, state: start.state.clone(), sides: start.sides.clone() }))
}

/// Checks a state: it needs as many numbers as the model's, and a side for each switch.
pub(super) fn check_state(place: &str, model: &dyn Model, state: &[f64], sides: &[bool]) -> Result {
    if state.len() != model.dimension() || !state.iter().all(|value| value.is_finite()) {
        return Err(PlanError::new(place, format!("must be {} finite numbers", model.dimension())));
    }
    if sides.len() != model.switches() {
        return Err(PlanError::new("sides", format!("must be one per switch, {} in all", model.switches())));
    }
    Ok(())
}

impl Method {
    fn check(self, duration_s: f64) -> Result {
        match self {
            Self::Adaptive { relative, absolute, most_s } => {
                // Below this, rounding errors exceed the tolerance.
                if !((1e-13..=0.1).contains(&relative) && absolute > 0.0) {
                    return Err(PlanError::new(
                        "tolerance",
                        format!("must be a number from 1e-13 to 0.1; got {relative}"),
                    ));
                }
                most_s.map_or(Ok(()), |most_s| positive("longest", most_s))
            }
            Self::Euler { step_s, .. } | Self::Rk4 { step_s, .. } => {
                positive("step", step_s)?;
                if duration_s / step_s > MOST_ROWS {
                    return Err(PlanError::new(
                        "step",
                        format!("gives more than {MOST_ROWS:e} steps; it must be longer"),
                    ));
                }
                Ok(())
            }
        }
    }

    pub(super) fn method(self) -> solve::Method {
        let between = |rows| if rows { Between::Rows } else { Between::Smooth };
        match self {
            Self::Adaptive { relative, absolute, most_s } => {
                solve::Method::Adaptive { relative, absolute, most_s: most_s.unwrap_or(f64::INFINITY) }
            }
            Self::Euler { step_s, rows } => solve::Method::Euler { step_s, between: between(rows) },
            Self::Rk4 { step_s, rows } => solve::Method::Rk4 { step_s, between: between(rows) },
        }
    }
}

fn within(param: &Param, value: f64) -> Result {
    if value >= param.low && value <= param.high {
        return Ok(());
    }
    let Param { name, low, high, .. } = param;
    let range = format!("{low} to {high} {}", param.shown_unit());
    Err(PlanError::new(*name, format!("must be a number from {}; got {value}", range.trim_end())))
}

fn positive(place: &str, value: f64) -> Result {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(PlanError::new(place, format!("must be a time above zero; got {value} s")))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub const ORDER: &str = r#"{"model": "tcp-red", "method": {"kind": "adaptive", "relative": 1e-6,
        "absolute": 1e-9, "most_s": null}, "duration_s": 10, "every_s": 0.5, "from_s": 0}"#;

    fn refusal(from: &str, to: &str) -> String {
        SolveRequest::read(&ORDER.replace(from, to)).expect_err("a refusal").to_string()
    }

    #[test]
    fn a_wrong_order_is_one_sentence_with_its_place() {
        assert_eq!(refusal("tcp-red", "tcp-blue"), "model: 'tcp-blue' is not a fluid model");
        assert_eq!(
            refusal("\"duration_s\": 10", "\"duration_s\": 0"),
            "duration: must be a time above zero; got 0 s"
        );
        assert_eq!(refusal("\"from_s\": 0", "\"from_s\": 10"), "warmup: must be at least 0 s and below 10 s");
        assert_eq!(refusal("1e-6", "1"), "tolerance: must be a number from 1e-13 to 0.1; got 1");
        assert_eq!(
            refusal("\"every_s\": 0.5", "\"every_s\": 1e-9"),
            "every: gives more than 1e7 rows; it must be longer"
        );
    }

    #[test]
    fn a_wrong_network_is_one_sentence_with_its_place() {
        let network = r#""from_s": 0, "network": {"packet_bytes": 1500,
            "classes": [{"flows": 2, "rtt_s": 0.1, "path": [0], "set": []}],
            "links": [{"rate_packets_s": 100, "buffer_packets": null, "delay_s": 0, "set": []}]}"#;
        let told = |from: &str, to: &str| {
            let text = ORDER.replace("\"from_s\": 0", network).replace(from, to);
            SolveRequest::read(&text.replace("tcp-red", "misra-gong-towsley"))
                .map(|_| ())
                .map_err(|wrong| wrong.to_string())
        };
        assert_eq!(told("", ""), Ok(()));
        let refused = |from: &str, to: &str| told(from, to).expect_err("a refusal");
        assert_eq!(refused("[0]", "[1]"), "network.classes[0].path: must name at least one link, each once");
        // Parameters 0 and 3 are `initial_window` and `min_packets`.
        let set = |value: &str| format!("\"path\": [0], \"set\": [{value}]");
        let of_links = refused("\"path\": [0], \"set\": []", &set("[3, 5]"));
        assert_eq!(of_links, "network.classes[0].min_packets: is a parameter of links; set it there");
        let beyond = refused("\"path\": [0], \"set\": []", &set("[0, 0]"));
        assert_eq!(
            beyond,
            "network.classes[0].initial_window: must be a number from 0.001 to 1000000000 packets; got 0"
        );
        let own =
            SolveRequest::read(&ORDER.replace("\"from_s\": 0", network)).expect_err("a refusal").to_string();
        assert_eq!(own, "network: 'tcp-red' has a network of its own; leave this out");
    }
}
