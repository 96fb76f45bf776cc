//! An observed run: the events do not depend on the number of threads or the frequency of reports.

use headgate_netsim::packets::index::{FlowId, LinkIndex};
use headgate_netsim::record::observer::Observer;
use headgate_netsim::record::trace::TraceSelection;
use headgate_netsim::record::{Event, FlowSample, NetworkSample, PortSample};

use super::{Machine, finished, machine, networks};

/// Stores all reports.
#[derive(Debug, Default, PartialEq)]
struct Heard {
    flows: Vec<String>,
    ports: Vec<PortSample>,
    network: Vec<NetworkSample>,
    events: Vec<String>,
    last: u64,
}

impl Observer for Heard {
    fn on_flow_sample(&mut self, sample: &FlowSample) {
        self.flows.push(format!("{sample:?}"));
    }

    fn on_port_sample(&mut self, sample: &PortSample) {
        self.ports.push(PortSample { gauge: 0.0, ..*sample });
    }

    fn on_network_sample(&mut self, sample: &NetworkSample) {
        self.network.push(*sample);
    }

    fn on_event(&mut self, event: &Event) {
        assert!(self.last <= event.time, "{event:?} comes late");
        self.last = event.time;
        self.events.push(format!("{event:?}"));
    }
}

/// Observes a run that pauses after each `windows` windows.
fn hear(mut run: Machine, windows: u64) -> (Heard, u64) {
    let mut heard = Heard::default();
    run.follow(TraceSelection { flows: (0..4).map(FlowId).collect(), links: [0, 3].map(LinkIndex).into() });
    loop {
        let mut left = windows;
        let mut go_on = || {
            left = left.saturating_sub(1);
            left > 0
        };
        if run.advance_observed(&mut heard, &mut go_on) {
            return (heard, run.digest());
        }
    }
}

#[test]
fn what_is_heard_of_a_run_does_not_depend_on_who_runs_it() {
    let mut most = 0;
    for seed in 0..12 {
        let plan = networks::plan(seed);
        let (heard, digest) = hear(machine(&plan), u64::MAX);
        assert_eq!(digest, finished(machine(&plan)).digest(), "network {seed}");
        most = most.max(heard.events.len());
        for (threads, windows) in [(1, 7), (2, 50), (3, 400)] {
            let mut run = machine(&plan);
            run.use_threads(threads);
            let again = hear(run, windows);
            assert_eq!(again.1, digest, "network {seed}");
            assert!(again.0 == heard, "network {seed} on {threads} threads, {windows} windows a time");
        }
    }
    assert!(most > 1_000, "{most} events at most");
}

#[test]
fn who_follows_nobody_hears_samples_only() {
    let plan = networks::plan(1);
    let mut run = machine(&plan);
    let mut heard = Heard::default();
    assert!(run.advance_observed(&mut heard, &mut || true));
    assert!(heard.events.is_empty());
    assert_eq!(heard.network.len(), run.record().network_samples.len());
    assert!(run.advance_observed(&mut (), &mut || true));
}
