//! Devices resolved from the registries by index and parameters, and the arrays that come with a plan.

use std::collections::BTreeMap;

use headgate_model::control::ControllerRegistry;

/// An algorithm, queue discipline, feedback scheme or impairment, with all its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedDevice {
    /// Its index in its registry.
    pub index: usize,
    /// Its parameters, in the order of its card.
    pub values: Vec<f64>,
}

/// A congestion control algorithm, and the slow start that replaces its own.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedController {
    /// The algorithm.
    pub cca: ResolvedDevice,
    /// Its slow start, unless it is the algorithm's.
    pub slow_start: Option<ResolvedDevice>,
}

impl ResolvedController {
    /// Creates a controller in its initial state.
    pub fn build<L: ControllerRegistry>(&self) -> L {
        let controller = L::build(self.cca.index, &self.cca.values);
        match &self.slow_start {
            Some(start) => controller.with_slow_start(start.index, &start.values),
            None => controller,
        }
    }
}

impl From<ResolvedDevice> for ResolvedController {
    fn from(cca: ResolvedDevice) -> Self {
        Self { cca, slow_start: None }
    }
}

/// The devices of a port.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortDevices {
    /// Queue discipline.
    pub queue: Option<ResolvedDevice>,
    /// Router feedback.
    pub feedback: Option<ResolvedDevice>,
    /// Impairments that arrivals pass before the queue.
    pub ingress: Vec<ResolvedDevice>,
    /// Impairments that packets pass on the link.
    pub impairments: Vec<ResolvedDevice>,
}

/// The devices of a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResolvedDevices {
    /// Congestion control algorithms, in the order of the plan.
    pub controllers: Vec<ResolvedController>,
    /// Devices of each link's port.
    pub ports: Vec<PortDevices>,
    /// The rate controller of each kind of traffic of the plan, if it is media.
    pub rate_controllers: Vec<Option<ResolvedDevice>>,
}

/// Arrays that come with a plan, by name.
pub type Arrays = BTreeMap<String, Vec<u64>>;
