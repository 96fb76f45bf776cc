//! Plans at the limits of what is allowed; each runs to its end.

use serde_json::{Value, json};

use crate::sample::{lists, plan, replace, transport};
use crate::simulation::Simulation;
use crate::user_code::UserCode;

const DAY_PS: u64 = 86_400_000_000_000_000;
const FASTEST_BPS: u64 = 100_000_000_000_000;

/// Runs the sample with some values replaced, and again from a snapshot.
fn runs(changes: &[(&str, Value)]) {
    let mut plan = plan();
    changes.iter().for_each(|(pointer, value)| replace(&mut plan, pointer, value.clone()));
    let mut lists = lists();
    lists.insert("short".into(), vec![1_000, 1_000, 2_000_000_000, 400_000_000_000]);
    let text = plan.to_string();
    let mut simulation = Simulation::new(&text, &lists, UserCode::default())
        .unwrap_or_else(|wrong| panic!("{wrong}: {changes:?}"));
    let middle = simulation.duration_s() / 2.0;
    while simulation.time_s() < middle && !simulation.advance(0.0) {}
    let mut bytes = Vec::new();
    simulation.snapshot(&mut bytes).unwrap().unwrap();
    let mut resumed = Simulation::resume(&text, &lists, UserCode::default(), &bytes).unwrap();
    for run in [&mut simulation, &mut resumed] {
        while !run.advance(1.0) {}
    }
    assert_eq!(simulation.results().digest, resumed.results().digest, "{changes:?}");
}

/// Runs the sample once for each value of one key.
fn each(pointer: &str, values: impl IntoIterator<Item = Value>) {
    values.into_iter().for_each(|value| runs(&[(pointer, value)]));
}

#[test]
fn links() {
    each("/links/0/delay_ps", [0, 1, 1_000_000_000_000_000u64].map(Value::from));
    each(
        "/links/0/buffer",
        [json!({"packets": 0}), json!({"bytes": 0}), json!({"packets": 1_000_000_000_000u64})],
    );
    each("/links/0/loss", [0.5, 0.999_999].map(Value::from));
    let rows = ["bernoulli", "duplicate", "gilbert_elliott", "jitter", "reorder"]
        .map(|name| json!([{"name": name}]));
    each("/links/0/impairments", rows.iter().cloned());
    each("/links/0/ingress", [json!([{"name": "policer"}])]);
    let delays = [0, 1_000_000_000_000_000u64]
        .map(|delay| json!([{"at_ps": 2_000_000_000_000u64, "delay_ps": delay}]));
    each("/links/0/delays", delays);
    each("/links/0/losses", [json!([{"at_ps": 2_000_000_000_000u64, "loss": 0.999_999}])]);
    each("/edges/0/buffer_bytes", [0, 1_000_000_000_000u64].map(Value::from));
    each("/links/1/rate_bps", [1, 7, FASTEST_BPS].map(Value::from));
    let at_once = |key: &str| ["/links/0", "/links/1", "/edges/0"].map(|place| format!("{place}/{key}"));
    let zero = at_once("delay_ps").map(|pointer| (pointer, json!(0)));
    runs(&zero.each_ref().map(|(pointer, value)| (pointer.as_str(), value.clone())));
}

#[test]
fn traces_that_end() {
    let all = |name: &str, params: Value| json!([{"name": name, "params": params}]);
    let impairments = [
        json!([]),
        all("bernoulli", json!({"loss": 0.999})),
        all("duplicate", json!({"share": 1.0})),
        all("gilbert_elliott", json!({"to_bad": 1.0})),
        all("jitter", json!({"order": "free"})),
        all("reorder", json!({"share": 1.0})),
        json!(vec![json!({"name": "duplicate", "params": {"share": 1.0}}); 4]),
    ];
    let queues = [json!(null), json!({"name": "codel"}), json!({"name": "fq-codel"}), json!({"name": "red"})];
    let direct = json!([{"node": 0, "hosts": 9}]);
    for (impairments, queue) in
        impairments.iter().flat_map(|row| queues.iter().map(move |queue| (row, queue)))
    {
        runs(&[
            ("/links/0/trace", json!({"list": "short"})),
            ("/links/0/impairments", impairments.clone()),
            ("/links/0/queue", queue.clone()),
            ("/links/1/impairments", impairments.clone()),
            ("/traffic/2/sources", direct.clone()),
        ]);
    }
}

#[test]
fn packets_and_windows() {
    each("/transports/0/segment_bytes", [1, 65_495].map(Value::from));
    each("/transports/0/ack_bytes", [1, 65_535].map(Value::from));
    each("/transports/0/initial_window", [1.0, 1.5, 100_000.0].map(Value::from));
    each("/transports/0/initial_ssthresh", [json!(1.0), json!(1e9)]);
    each("/transports/0/receive_window", [1, u32::MAX].map(Value::from));
    each("/transports/0/quick_acks", [json!(u32::MAX)]);
    let slow = json!({"slow_start_gain": 0.01, "gain": 0.01});
    each("/transports/0/pacing", [slow, json!({"slow_start_gain": 100, "gain": 100})]);
    runs(&[("/transports", json!(vec![transport(); 255])), ("/traffic/0/transport", json!(254))]);
}

#[test]
fn timers() {
    let longest = 100 * DAY_PS;
    let rto = |ps: u64| {
        [("/transports/0/min_rto_ps", json!(ps)), ("/transports/0/max_rto_ps", json!(ps.max(DAY_PS)))]
    };
    runs(&rto(1_000_000));
    runs(&rto(longest));
    each("/transports/0/initial_rto_ps", [1_000_000, longest].map(Value::from));
    each("/transports/0/syn_rto_ps", [1_000_000, DAY_PS].map(Value::from));
    each("/transports/0/syn_tries", [1, 255].map(Value::from));
    each("/transports/0/delayed_ack_ps", [0, 1_000_000_000_000_000u64].map(Value::from));
    for clock in ["clock_ps", "timestamp_clock_ps"] {
        each(&format!("/transports/0/{clock}"), [1, 1_000_000_000_000_000u64].map(Value::from));
    }
}

#[test]
fn traffic() {
    runs(&[("/traffic/0/start_ps", json!(100 * DAY_PS)), ("/traffic/0/packets", json!(4_294_967_293u64))]);
    runs(&[("/traffic/1/flows_per_s", json!(1e-5)), ("/traffic/1/stop_ps", json!(100 * DAY_PS))]);
    each("/traffic/1/flows_per_s", [json!(1e8)]);
    each("/traffic/2/think_s", [1e-9, 1e5].map(Value::from));
    each("/traffic/2/at_once", [0.0, 1.0].map(Value::from));
    let pareto = |mean: f64, shape: f64| json!({"kind": "pareto", "mean_packets": mean, "shape": shape});
    each("/traffic/2/size", [pareto(1e-300, 1000.0), pareto(4e9, 1.000_000_1)]);
    for (key, values) in [("on_s", [1e-9, 1e5]), ("off_s", [1e-4, 1e5]), ("shape", [1.01, 1000.0])] {
        each(&format!("/traffic/4/{key}"), values.map(Value::from));
    }
    runs(&[("/traffic/4/start_ps", json!(100 * DAY_PS)), ("/traffic/4/stop_ps", json!(100 * DAY_PS))]);
    each(
        "/traffic/2/receivers",
        [json!([{"node": 0, "hosts": 3}]), json!([{"node": 0, "edge": 0, "hosts": 3}])],
    );
}

#[test]
fn measurement() {
    let whole = 10_000_000_000_000u64;
    for duration in [3000, 1_000_000_000_001u64] {
        runs(&[("/measure/periods", json!([[1000, 2000], [2000, 3000]])), ("/duration_ps", json!(duration))]);
    }
    each("/measure/warmup_ps", [0, whole / 2, whole].map(Value::from));
    let periods = [json!([]), json!([[0, 1], [1, 3]]), json!([[0, 1000], [1000, 9999]])];
    for periods in periods {
        runs(&[("/measure/periods", periods), ("/measure/interval_ps", json!(100))]);
    }
    each("/measure/interval_ps", [json!(100 * DAY_PS)]);
    each("/measure/series/interval_ps", [json!(100 * DAY_PS), json!(1_000_000_000)]);
    each("/seed", [json!(u64::MAX)]);
}

#[test]
fn nearly_nothing() {
    let mut plan = plan();
    for (pointer, value) in [
        ("/nodes", json!([{"name": "alone"}])),
        ("/links", json!([])),
        ("/traffic", json!([])),
        ("/transports", json!([])),
        ("/laws", json!([])),
        ("/measure/series", json!(null)),
    ] {
        replace(&mut plan, pointer, value);
    }
    let mut simulation =
        Simulation::new(&plan.to_string(), &lists(), UserCode::default()).expect("an empty network is one");
    assert!(simulation.advance(60.0));
    assert_eq!(simulation.packet_hops(), 0);
}
