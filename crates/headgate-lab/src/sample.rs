//! A plan for tests: every kind of traffic on a small network.

use headgate_netsim::devices::Arrays;
use serde_json::{Value, json};

pub fn transport() -> Value {
    json!({
        "name": "default", "segment_bytes": 1460, "header_bytes": 40, "ack_bytes": 40, "syn_bytes": 40,
        "initial_window": 10.0, "initial_ssthresh": null, "receive_window": null,
        "min_rto_ps": 200_000_000_000u64, "initial_rto_ps": 1_000_000_000_000u64,
        "max_rto_ps": 60_000_000_000_000u64, "syn_tries": 6, "syn_rto_ps": 1_000_000_000_000u64, "syn_backoff": true,
        "recovery": "sack", "limited_transmit": true, "prr": true, "rack_tlp": false, "count": "segments",
        "window_validation": true, "delayed_ack": true, "delayed_ack_ps": 40_000_000_000u64,
        "quick_acks": 0, "rtt": "timestamps", "clock_ps": 0, "pacing": null
    })
}

pub fn link(from: u32, to: u32) -> Value {
    json!({
        "name": format!("{from}-{to}"), "from": from, "to": to, "rate_bps": 10_000_000,
        "delay_ps": 5_000_000_000u64, "buffer": {"packets": 50}, "loss": 0.0
    })
}

/// Two routers that reach each other and a third that only receives; one item of each kind of traffic.
pub fn plan() -> Value {
    let size = json!({"kind": "pareto", "mean_packets": 30.0, "shape": 1.5});
    let (left, right) = (json!([{"node": 0, "edge": 0, "hosts": 9}]), json!([{"node": 1, "hosts": 9}]));
    json!({
        "seed": 1, "duration_ps": 10_000_000_000_000u64,
        "nodes": [{"name": "left", "class": "D"}, {"name": "right", "class": "F"}, {"name": "sink"}],
        "links": [link(0, 1), link(1, 0), link(1, 2)],
        "edges": [{"name": "host", "rate_bps": 1_000_000_000, "delay_ps": 1000}],
        "transports": [transport()],
        "laws": [{"name": "reno"}, {"name": "fast", "params": {"alpha": 20, "variant": "simple"}}],
        "traffic": [
            {"kind": "flows", "name": "one", "count": 1, "law": 0, "transport": 0,
             "sources": [{"node": 0, "edge": 0}], "receivers": [{"node": 1}], "start_ps": 0},
            {"kind": "poisson", "name": "many", "law": 1, "transport": 0, "sources": left, "receivers": right,
             "flows_per_s": 5.0, "size": size, "start_ps": 0, "stop_ps": 1000},
            {"kind": "web", "name": "users", "law": 0, "transport": 0, "sources": left, "receivers": right,
             "think_s": 1.0, "size": size, "at_once": 0.5,
             "kinds": [{"file": 1, "share": 0.2, "size": {"kind": "fixed", "packets": 90.0}}],
             "laws": [{"law": 0, "share": 0.5}, {"law": 1, "share": 0.5}],
             "patience": {"share": 0.5, "check_ps": 500_000_000_000u64, "floor_per_s": 90.0},
             "surge": {"class": "D", "share": 0.5, "from_ps": 1_000_000_000_000u64,
                       "until_ps": 3_000_000_000_000u64, "file": 0, "size": size}},
            {"kind": "replay", "name": "list", "key": "list", "law": 0, "transport": 0,
             "places": [{"node": 0}, {"node": 1}, {"node": 2}], "source": 0, "receiver": 1},
            {"kind": "on_off", "name": "switches", "law": 0, "transport": 0, "sources": left, "receivers": right,
             "on_s": 0.5, "off_s": 1.5, "shape": 1.5, "start_ps": 0, "stop_ps": 10_000_000_000_000u64},
            {"kind": "bursts", "name": "videos", "count": 2, "law": 0, "transport": 0,
             "sources": [{"node": 0, "edge": 0}], "receivers": [{"node": 1}], "start_ps": 0,
             "stop_ps": 10_000_000_000_000u64, "size": size, "interval": {"kind": "fixed", "ps": 2_000_000_000_000u64}}
        ],
        "files": ["jumbo", "document"],
        "measure": {
            "warmup_ps": 1000, "periods": [[1000, 2000], [2000, 9_000_000_000_000u64]],
            "interval_ps": 20_000_000_000u64, "flows": "all",
            "series": {"interval_ps": 100_000_000_000u64, "flows": [0], "links": [0, 2]}
        }
    })
}

pub fn lists() -> Arrays {
    let columns = [
        ("start_ps", [5u64, 1]),
        ("packets", [1, 4_294_967_293]),
        ("source", [0, 1]),
        ("receiver", [1, 0]),
        ("law", [1, 0]),
    ];
    columns.into_iter().map(|(name, column)| (format!("list.{name}"), column.to_vec())).collect()
}

/// The plan with one value replaced, at a JSON pointer.
pub fn with(pointer: &str, value: Value) -> Value {
    let mut plan = plan();
    replace(&mut plan, pointer, value);
    plan
}

pub fn replace(plan: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    match plan.pointer_mut(parent).expect("a place in the plan") {
        Value::Object(map) => drop(map.insert(key.to_owned(), value)),
        Value::Array(items) => items[key.parse::<usize>().expect("an index")] = value,
        _ => panic!("{parent} holds no values"),
    }
}
