//! Who watches a run while it goes on.

use crate::record::{Connection, Event, FlowSample, NetworkSample, PortSample, Record};

/// What somebody hears of a run while it goes on: samples as they are made, and events of what is followed
/// ([`crate::engine::Engine::follow`]), each kind in order of time. `()` hears nothing.
pub trait Observer {
    /// A flow of the plan's series.
    fn on_flow_sample(&mut self, _sample: &FlowSample) {}
    /// A link of the plan's series.
    fn on_port_sample(&mut self, _sample: &PortSample) {}
    /// The whole network.
    fn on_network_sample(&mut self, _sample: &NetworkSample) {}
    /// A connection whose first event comes next.
    fn on_connection(&mut self, _connection: &Connection) {}
    /// Something happened to a followed flow, or at a followed link.
    fn on_event(&mut self, _event: &Event) {}
}

impl Observer for () {}

/// How many samples of each kind were handed out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleCursor {
    flows: usize,
    ports: usize,
    network: usize,
}

impl SampleCursor {
    /// The samples that were not handed out yet: of flows, of ports, of the network.
    pub fn take<'a>(
        &mut self,
        record: &'a Record,
    ) -> (&'a [FlowSample], &'a [PortSample], &'a [NetworkSample]) {
        let before = std::mem::replace(self, Self::of(record));
        (
            &record.flow_samples[before.flows..],
            &record.port_samples[before.ports..],
            &record.network_samples[before.network..],
        )
    }

    fn of(record: &Record) -> Self {
        Self {
            flows: record.flow_samples.len(),
            ports: record.port_samples.len(),
            network: record.network_samples.len(),
        }
    }

    pub fn report(&mut self, record: &Record, observer: &mut impl Observer) {
        let (flows, ports, network) = self.take(record);
        flows.iter().for_each(|sample| observer.on_flow_sample(sample));
        ports.iter().for_each(|sample| observer.on_port_sample(sample));
        network.iter().for_each(|sample| observer.on_network_sample(sample));
    }
}
