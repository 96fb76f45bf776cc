//! A congestion control algorithm that exceeds a limit ends its run, and the error names it.

use headgate_algos::impairment::AnyImpairment;
use headgate_algos::media::AnyRateController;
use headgate_algos::queue::AnyQueue;
use headgate_algos::scheme::AnyRouter;
use headgate_model::control::{Ack, Congestion, Controller, ControllerRegistry, Path, Window};
use headgate_model::params::Card;
use headgate_netsim::devices::{PortDevices, ResolvedDevice, ResolvedDevices};
use headgate_netsim::plan::Plan;
use headgate_netsim::region::limits::{Limit, LimitExceeded};
use headgate_netsim::run::engine::Engine;
use headgate_tcp::context::{self as tcp, MOST_AT_ONCE};
use serde::{Deserialize, Serialize};

/// Sets a given window at the first ACK.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Greedy(Window);

impl Controller for Greedy {
    fn on_ack(&mut self, _ack: &Ack, _path: &Path, window: &mut Window) {
        *window = self.0;
    }

    fn on_congestion(&mut self, _event: &Congestion, _path: &Path, _window: &mut Window) {}
}

impl ControllerRegistry for Greedy {
    type Queue = AnyQueue;
    type Router = AnyRouter;
    type Impairment = AnyImpairment;
    type Media = AnyRateController;

    fn cards() -> &'static [&'static Card] {
        &[]
    }

    fn build(_index: usize, values: &[f64]) -> Self {
        Self(Window { cwnd: values[0], ssthresh: values[1], pace: values[2] })
    }
}

const PLAN: &str = r#"{
    "seed": 1, "duration_ps": 1000000000000, "nodes": [{"name": "left"}, {"name": "right"}],
    "links": [
        {"name": "on", "from": 0, "to": 1, "rate_bps": 10000000, "delay_ps": 10000000000, "buffer": "infinite"},
        {"name": "back", "from": 1, "to": 0, "rate_bps": 10000000, "delay_ps": 10000000000, "buffer": "infinite"}
    ],
    "transports": [{
        "name": "t", "segment_bytes": 1460, "header_bytes": 40, "ack_bytes": 40, "syn_bytes": 40,
        "initial_window": 10.0, "min_rto_ps": 200000000000, "initial_rto_ps": 1000000000000,
        "max_rto_ps": 60000000000000, "syn_tries": 6, "syn_rto_ps": 1000000000000, "syn_backoff": true,
        "recovery": "sack", "limited_transmit": true, "prr": true, "rack_tlp": false, "count": "segments",
        "window_validation": true, "delayed_ack": false, "delayed_ack_ps": 40000000000,
        "quick_acks": 0, "rtt": "timestamps", "clock_ps": 0
    }],
    "laws": [{"name": "modest"}, {"name": "greedy"}],
    "traffic": [
        {"kind": "flows", "name": "a", "count": 1, "law": 0, "transport": 0, "sources": [{"node": 0}],
         "receivers": [{"node": 1}], "start_ps": 0},
        {"kind": "flows", "name": "b", "count": 1, "law": 1, "transport": 0, "sources": [{"node": 0}],
         "receivers": [{"node": 1}], "start_ps": 0}
    ],
    "measure": {"warmup_ps": 0, "periods": [[0, 1000000000000]], "interval_ps": 100000000000, "flows": "all"}
}"#;

/// A run of a modest algorithm and of one that sets this window.
fn run(cwnd: f64, ssthresh: f64, pace: f64) -> Engine<Greedy> {
    let plan: Plan = serde_json::from_str(PLAN).expect("a plan");
    let choice = |index, window: [f64; 3]| ResolvedDevice { index, values: window.to_vec() };
    let controllers = vec![choice(0, [20.0, 20.0, f64::INFINITY]), choice(1, [cwnd, ssthresh, pace])];
    let ports = plan.links.iter().map(|_| PortDevices::default()).collect();
    Engine::new(
        &plan,
        &ResolvedDevices {
            controllers: controllers.into_iter().map(Into::into).collect(),
            ports,
            ..ResolvedDevices::default()
        },
        &Default::default(),
    )
}

/// Returns the limit that ended the run.
fn excess(cwnd: f64, ssthresh: f64, pace: f64) -> LimitExceeded {
    let mut run = run(cwnd, ssthresh, pace);
    assert!(!run.advance(&mut || true), "it went to its end");
    assert!(run.packet_hops() < 3 * u64::from(MOST_AT_ONCE), "{}", run.packet_hops());
    let excess = run.limit_exceeded().expect("an excess");
    assert_eq!(excess.sender, Some((1, 1)));
    excess
}

#[test]
fn a_window_that_is_none_ends_the_run() {
    let none = [
        (f64::NAN, 2.0, 1e3),
        (f64::INFINITY, 2.0, f64::INFINITY),
        (20.0, f64::NAN, 1e3),
        (20.0, 0.0, 1e3),
        (20.0, 2.0, f64::NAN),
        (1e9, 1e9, 0.0),
        (1e9, 1e9, -0.0), // a pause of -inf: a packet each picosecond
        (1e9, 1e9, -1.0),
    ];
    for (cwnd, ssthresh, pace) in none {
        let Limit::Tcp(tcp::LimitExceeded::Window(window)) = excess(cwnd, ssthresh, pace).limit else {
            panic!("{cwnd} {pace}")
        };
        assert_eq!(format!("{window:?}"), format!("{:?}", Window { cwnd, ssthresh, pace }));
    }
}

#[test]
fn more_packets_than_memory_holds_end_the_run() {
    let found = excess(1e12, 2.0, f64::INFINITY);
    assert_eq!(found.limit, Limit::Tcp(tcp::LimitExceeded::Burst(1e12)));
    assert!(found.limit.to_string().contains("more than 1000000 packets at once"), "{}", found.limit);
}

#[test]
fn a_large_window_is_none_of_these() {
    let mut run = run(1e5, 2.0, f64::INFINITY);
    assert!(run.advance(&mut || true) && run.limit_exceeded().is_none());
}
