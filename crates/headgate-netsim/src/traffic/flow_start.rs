//! A flow that a source begins.

use serde::{Deserialize, Serialize};

use super::spec::TrafficSpec;
use crate::packets::address::HostLocation;
use crate::packets::index::{FlowId, HostIndex, RouterIndex, SourceIndex};

/// A flow that begins: its endpoints, its source and its size.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct FlowStart {
    /// Its id in the results.
    pub flow_id: FlowId,
    /// Its congestion control algorithm, in the order of the plan.
    pub controller: u32,
    /// Its source, among those of the process. [`super::Sources`] converts this to the index among all
    /// sources at the router.
    pub source: SourceIndex,
    /// Host of the sender.
    pub host: HostIndex,
    /// Router of the receiver.
    pub destination: RouterIndex,
    /// Host of the receiver.
    pub receiver_host: HostIndex,
    /// Size in segments.
    pub size: u32,
    /// Kind of file, for the results (see [`crate::record::FlowKeys`]).
    pub file: u8,
    /// Class of the slower of the two hosts' links, for the results.
    pub interface: u8,
    /// The user will check the progress of the flow.
    pub is_impatient: bool,
}

impl FlowStart {
    /// A flow between two hosts of a patient user, with the algorithm and kind of file of its traffic.
    pub fn between(
        flow_id: FlowId,
        spec: &TrafficSpec,
        source: SourceIndex,
        [from, to]: [HostLocation; 2],
        size: u32,
    ) -> Self {
        Self {
            flow_id,
            controller: spec.controller,
            source,
            host: from.host,
            destination: to.router,
            receiver_host: to.host,
            size,
            file: spec.file,
            interface: from.interface.min(to.interface),
            is_impatient: false,
        }
    }
}
