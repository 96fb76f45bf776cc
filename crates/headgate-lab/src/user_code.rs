//! User-defined algorithms and disciplines of a run.

use std::sync::Arc;

use headgate_algos::control::AnyController;
use headgate_algos::plugin::{Controllers, Disciplines, Fault, Runtime};
use headgate_algos::queue::AnyQueue;
use headgate_model::check::{PlanError, Result};
use headgate_model::queue::Queues;
use headgate_netsim::devices::{PortDevices, ResolvedDevice};
use headgate_netsim::run::engine::Engine;

/// The user-defined code of one run. Algorithms are in the order of the plan's list, disciplines in the order
/// in which links first name them.
#[derive(Clone, Default)]
pub struct UserCode {
    pub controllers: Vec<Arc<Runtime<Controllers>>>,
    pub disciplines: Vec<Arc<Runtime<Disciplines>>>,
}

impl UserCode {
    /// The first fault of user-defined code, if one occurred.
    pub fn fault(&self) -> Option<&Fault> {
        let controllers = self.controllers.iter().find_map(|runtime| runtime.fault());
        controllers.or_else(|| self.disciplines.iter().find_map(|runtime| runtime.fault()))
    }

    /// Adds the properties that ports need from user-defined disciplines at their creation.
    pub fn complete(&self, ports: &mut [PortDevices]) -> Result {
        let beyond = AnyQueue::cards().len();
        let own =
            ports.iter_mut().filter_map(|port| port.queue.as_mut()).filter(|queue| queue.index >= beyond);
        for ResolvedDevice { index, values } in own {
            let runtime = self.disciplines.get(*index - beyond);
            let missing = || {
                PlanError::new(
                    "links",
                    format!("there is no user-defined discipline with number {}", *index - beyond),
                )
            };
            *values = runtime.ok_or_else(missing)?.traits().values();
        }
        Ok(())
    }

    /// Binds algorithms and disciplines to their code.
    pub fn join(&self, engine: &mut Engine<AnyController>) -> Result {
        for controller in engine.controllers_mut() {
            if let Some(plugin) = controller.plugin_mut() {
                plugin
                    .bind(&self.controllers)
                    .map_err(|message| PlanError::new("laws", message.to_string()))?;
            }
        }
        for queue in engine.disciplines_mut() {
            if let AnyQueue::Plugin(queue) = queue {
                queue
                    .bind(&self.disciplines)
                    .map_err(|message| PlanError::new("links", message.to_string()))?;
            }
        }
        Ok(())
    }
}
