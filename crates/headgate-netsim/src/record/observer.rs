//! The interface for observers of a run.

use crate::record::{Connection, Event, FlowSample, NetworkSample, PortSample, Record};

/// Receives samples and traced events during a run ([`crate::run::engine::Engine::follow`]), each kind in
/// order of time. `()` ignores them.
pub trait Observer {
    /// A sample of a flow of the plan's series.
    fn on_flow_sample(&mut self, _sample: &FlowSample) {}
    /// A sample of a link of the plan's series.
    fn on_port_sample(&mut self, _sample: &PortSample) {}
    /// A sample of the whole network.
    fn on_network_sample(&mut self, _sample: &NetworkSample) {}
    /// A connection whose first event comes next.
    fn on_connection(&mut self, _connection: &Connection) {}
    /// An event of a traced flow or link.
    fn on_event(&mut self, _event: &Event) {}
}

impl Observer for () {}

/// The number of samples of each kind that were reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleCursor {
    flows: usize,
    ports: usize,
    network: usize,
}

impl SampleCursor {
    /// Returns the samples that were not reported yet: of flows, of ports, of the network.
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

    /// Reports the new samples to an observer.
    pub fn report(&mut self, record: &Record, observer: &mut impl Observer) {
        let (flows, ports, network) = self.take(record);
        flows.iter().for_each(|sample| observer.on_flow_sample(sample));
        ports.iter().for_each(|sample| observer.on_port_sample(sample));
        network.iter().for_each(|sample| observer.on_network_sample(sample));
    }
}
