//! Users' own laws and disciplines on their way into a run.

use std::sync::Arc;

use headgate_algos::control::AnyController;
use headgate_algos::plugin::{Disciplines, Fault, Laws, Runtime};
use headgate_algos::queue::AnyQueue;
use headgate_model::check::{Checked, Wrong};
use headgate_model::queue::Queues;
use headgate_netsim::choices::{Choice, Fitted};
use headgate_netsim::engine::Engine;

/// Users' own code of one run, each kind in the order of the plan: laws as its list has them, disciplines as its
/// links name them first.
#[derive(Clone, Default)]
pub struct Own {
    pub laws: Vec<Arc<Runtime<Laws>>>,
    pub disciplines: Vec<Arc<Runtime<Disciplines>>>,
}

impl Own {
    /// The first fault, if a law or discipline failed.
    pub fn fault(&self) -> Option<&Fault> {
        let laws = self.laws.iter().find_map(|runtime| runtime.fault());
        laws.or_else(|| self.disciplines.iter().find_map(|runtime| runtime.fault()))
    }

    /// Tells ports what they must know of users' own disciplines when they are built.
    pub fn complete(&self, ports: &mut [Fitted]) -> Checked<()> {
        let beyond = AnyQueue::cards().len();
        let own =
            ports.iter_mut().filter_map(|port| port.queue.as_mut()).filter(|queue| queue.index >= beyond);
        for Choice { index, values } in own {
            let runtime = self.disciplines.get(*index - beyond);
            let missing = || {
                Wrong::new(
                    "links",
                    format!("there is no discipline of the user's own with number {}", *index - beyond),
                )
            };
            *values = runtime.ok_or_else(missing)?.traits().values();
        }
        Ok(())
    }

    /// Gives laws and disciplines their code.
    pub fn join(&self, engine: &mut Engine<AnyController>) -> Checked<()> {
        for law in engine.controllers_mut() {
            if let AnyController::Plugin(law) = law {
                law.bind(&self.laws).map_err(|says| Wrong::new("laws", says))?;
            }
        }
        for queue in engine.disciplines_mut() {
            if let AnyQueue::Plugin(queue) = queue {
                queue.bind(&self.disciplines).map_err(|says| Wrong::new("links", says))?;
            }
        }
        Ok(())
    }
}
