//! What a run simulates: the network, and everybody on it.

use headgate_model::control::Registry;
use serde::{Deserialize, Serialize};

use crate::fabric::Fabric;
use crate::port::Port;
use crate::record::{FlowRow, digest};
use crate::shared::Shared;
use crate::site::Site;

/// The network and everybody on it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: Registry")]
pub struct World<L: Registry> {
    pub shared: Shared<L>,
    pub sites: Vec<Site<L>>,
    pub fabric: Fabric<L>,
}

impl<L: Registry> World<L> {
    /// Receivers report completion to the record of their sender, beside the network.
    pub fn note_completed(&mut self) {
        let Shared { now, split, completed, .. } = &mut self.shared;
        for (address, generation) in completed.drain(..) {
            let sender = &mut self.sites[split.site(address)].senders[split.slot(address)];
            if sender.generation == generation {
                sender.tally.received = Some(*now - sender.tally.started);
            }
        }
    }

    /// Hosts that have enough to send let their senders know.
    pub fn tell_to_wait(&mut self) {
        let Shared { split, told_to_wait, .. } = &mut self.shared;
        for (address, until) in told_to_wait.drain(..) {
            self.sites[split.site(address)].senders[split.slot(address)].wait_until(until);
        }
    }

    pub fn digest(&self, flows: &[FlowRow]) -> u64 {
        let ports = self.fabric.ports.iter().map(Port::digest);
        digest(ports, &self.shared.counters, flows)
    }

    pub fn bytes(&self) -> usize {
        self.fabric.bytes() + self.sites.iter().map(Site::bytes).sum::<usize>()
    }
}
