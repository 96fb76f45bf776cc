//! One flow of s2n-quic's CUBIC in the simulated dumbbell, and one of Headgate's with the constants of the RFC.
//!
//! The link carries 20 Mbit/s, a round trip takes 40 ms, and the buffer is one BDP: 66 packets. A window falls from
//! its maximum, W = 132, to 0.7 W. That is 1.4 BDP, so the link is never idle. The window then grows as
//! `W - c (K - t)^3` with `K = cbrt(0.3 W / c)` = 4.63 s and a mean of (1 - 0.3/4) W. If standard TCP is faster, it
//! follows that line, with a mean of 0.85 W. Standard TCP is faster for s2n-quic, which uses the minimum RTT as the RTT:
//! `0.3 W / alpha` round trips of 40 ms with alpha = 0.9/1.7 are 2.99 s. The mean queue is therefore between 0.7 and
//! 0.85 of the buffer, and the time from loss to loss is between these two, plus the rounds of a recovery.

use headgate_algos::control::AnyController;
use headgate_embedding::s2n;
use headgate_model::control::ControllerRegistry;
use headgate_netsim::devices::{PortDevices, ResolvedDevice, ResolvedDevices};
use headgate_netsim::plan::Plan;
use headgate_netsim::run::engine::Engine;

const PLAN: &str = r#"{
    "seed": 1, "duration_ps": 120000000000000, "nodes": [{"name": "left"}, {"name": "right"}],
    "links": [
        {"name": "on", "from": 0, "to": 1, "rate_bps": 20000000, "delay_ps": 20000000000, "buffer": {"packets": 66}},
        {"name": "back", "from": 1, "to": 0, "rate_bps": 20000000, "delay_ps": 20000000000, "buffer": "infinite"}
    ],
    "transports": [{
        "name": "t", "segment_bytes": 1460, "header_bytes": 40, "ack_bytes": 40, "syn_bytes": 40,
        "initial_window": 10.0, "min_rto_ps": 200000000000, "initial_rto_ps": 1000000000000,
        "max_rto_ps": 60000000000000, "syn_tries": 6, "syn_rto_ps": 1000000000000, "syn_backoff": true,
        "recovery": "sack", "limited_transmit": true, "prr": true, "rack_tlp": false, "count": "segments",
        "window_validation": true, "delayed_ack": false, "delayed_ack_ps": 40000000000,
        "quick_acks": 0, "rtt": "timestamps", "clock_ps": 0
    }],
    "laws": [{"name": "cubic"}],
    "traffic": [
        {"kind": "flows", "name": "a", "count": 1, "law": 0, "transport": 0, "sources": [{"node": 0}],
         "receivers": [{"node": 1}], "start_ps": 0}
    ],
    "measure": {"warmup_ps": 20000000000000, "periods": [[20000000000000, 120000000000000]],
                "interval_ps": 1000000000000, "flows": "all"}
}"#;

const WARM_S: f64 = 100.0;
const RATE_BPS: f64 = 20e6;
const BUFFER_S: f64 = 66.0 * 1500.0 * 8.0 / RATE_BPS;

/// Utilisation of the link, mean share of the buffer in use, and time from loss to loss.
#[derive(Debug)]
struct Outcome {
    used: f64,
    queue: f64,
    cycle_s: f64,
}

fn run<C: ControllerRegistry>(controller: ResolvedDevice) -> Outcome {
    let plan: Plan = serde_json::from_str(PLAN).expect("a plan");
    let ports = plan.links.iter().map(|_| PortDevices::default()).collect();
    let mut engine = Engine::<C>::new(
        &plan,
        &ResolvedDevices { controllers: vec![controller], ports },
        &Default::default(),
    );
    assert!(engine.advance(&mut || true), "{:?}", engine.limit_exceeded());
    let record = engine.record();
    let (port, flow) = (&record.ports[0], &record.flows[0]);
    Outcome {
        used: f64::from(flow.delivered) * 1500.0 * 8.0 / WARM_S / RATE_BPS,
        queue: port.tally.wait_ps as f64 / 1e12 / port.sent.departures as f64 / BUFFER_S,
        cycle_s: WARM_S / f64::from(flow.recoveries),
    }
}

/// Headgate's CUBIC with the constants of the RFC and standard slow start.
fn ours() -> Outcome {
    let index = AnyController::cards().iter().position(|card| card.name == "cubic").expect("it is there");
    let value = |param: &headgate_model::params::Param| match param.name {
        "variant" => param.choices.iter().position(|&word| word == "rfc").expect("a variant") as f64,
        _ => param.default,
    };
    run::<AnyController>(ResolvedDevice {
        index,
        values: AnyController::cards()[index].params.iter().map(value).collect(),
    })
}

fn theirs() -> Outcome {
    run::<s2n::Cubic>(ResolvedDevice { index: 0, values: vec![1500.0] })
}

#[test]
fn both_cubics_fill_the_link_and_hold_the_queue_that_the_formula_says() {
    let outcomes = [ours(), theirs()];
    for outcome in &outcomes {
        assert!((outcome.used - 1.0).abs() < 0.001, "{outcomes:?}");
        assert!((0.7..0.85).contains(&outcome.queue), "{outcomes:?}");
        assert!((2.99..4.63 + 0.24).contains(&outcome.cycle_s), "{outcomes:?}"); // three round trips of 80 ms
    }
}

#[test]
fn a_cubic_is_a_cubic_whoever_wrote_it() {
    let (ours, theirs) = (ours(), theirs());
    assert!((ours.queue - theirs.queue).abs() < 0.05, "{ours:?} {theirs:?}");
}
