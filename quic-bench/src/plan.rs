//! The plan of the engine for one seed of a scenario.

use headgate_lab::validate::{ValidPlan, validate};
use headgate_netsim::devices::Arrays;
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::path::ACCESS_PS;
use crate::scenario::{CheckedFlow, CheckedScenario, Sender};
use crate::units::SECOND;

/// Rate of the links of hosts, bit/s: they only delay.
const ACCESS_BPS: u64 = 100_000_000_000;

/// Bytes of the headers of IPv4 and UDP.
pub const IP_AND_UDP: u64 = 28;

/// Bytes of a full packet of the simulated QUIC that are no stream data: IP, UDP, QUIC and the STREAM frame.
const HEADGATE_HEADER: u64 = 63;

/// Time between two samples of the queue, picoseconds.
const SAMPLE_PS: u64 = SECOND / 100;

/// One flow of a run.
#[derive(Clone, Debug)]
pub struct Start {
    /// Number of the group in the scenario.
    pub group: usize,
    /// When it begins, picoseconds.
    pub start_ps: u64,
    /// The live host of its sender, by its number in the plan.
    pub host: u32,
}

/// A plan, and its flows.
#[derive(Debug)]
pub struct Planned {
    /// The plan of the engine.
    pub plan: ValidPlan,
    /// Flows of stacks, in the order of the scenario.
    pub live: Vec<Start>,
    /// Flows of the engine, in the order of the plan.
    pub simulated: Vec<Start>,
    /// The live host of all receivers.
    pub receiver: u32,
    /// Bytes of the application in a full packet of the engine.
    pub segment_bytes: u64,
}

/// Makes the plan of a seed.
///
/// # Errors
/// If the engine refuses the plan: a value of the scenario is not allowed.
pub fn make(scenario: &CheckedScenario, seed: u64) -> Result<Planned> {
    let extras = distinct_extras(&scenario.flows);
    let starts = start_times(scenario, seed, &extras);
    let is_live = |start: &Start| matches!(scenario.flows[start.group].sender, Sender::Stack(_));
    let (live, simulated): (Vec<Start>, Vec<Start>) = starts.into_iter().partition(is_live);
    let segment_bytes = u64::from(scenario.datagram_bytes) + IP_AND_UDP - HEADGATE_HEADER;
    let plan = json!({
        "seed": seed, "duration_ps": scenario.duration_ps, "nodes": [{"name": "left"}, {"name": "right"}],
        "links": scenario.path.links, "edges": extras.iter().map(edge).collect::<Vec<_>>(),
        "transports": [transport(segment_bytes)],
        "laws": controllers(&scenario.flows),
        "traffic": traffic(scenario, &simulated, extras.len()),
        "measure": {
            "warmup_ps": scenario.from_ps, "periods": [[scenario.from_ps, scenario.duration_ps]],
            "interval_ps": scenario.duration_ps - scenario.from_ps, "flows": "all",
            "series": {"interval_ps": SAMPLE_PS.min(scenario.duration_ps), "flows": [], "links": [0]},
        },
    });
    let plan = validate(&plan.to_string(), &Arrays::default())
        .map_err(|error| Error::new("", format!("the engine refuses the scenario: {error}")))?;
    Ok(Planned { plan, live, simulated, receiver: extras.len() as u32, segment_bytes })
}

fn distinct_extras(flows: &[CheckedFlow]) -> Vec<u64> {
    let mut extras: Vec<u64> = flows.iter().map(|flow| flow.extra_rtt_ps).collect();
    extras.sort_unstable();
    extras.dedup();
    extras
}

fn edge(extra_ps: &u64) -> Value {
    json!({"name": format!("host-{extra_ps}"), "rate_bps": ACCESS_BPS, "delay_ps": ACCESS_PS + extra_ps / 2})
}

/// Starts of all flows, each delayed by a random time that depends on the seed and its number.
fn start_times(scenario: &CheckedScenario, seed: u64, extras: &[u64]) -> Vec<Start> {
    let mut starts = Vec::new();
    for (group, flow) in scenario.flows.iter().enumerate() {
        let host = extras.binary_search(&flow.extra_rtt_ps).unwrap_or(0) as u32;
        for n in 0..flow.count {
            let chance = mix(seed, starts.len() as u64);
            let delay = ((u128::from(scenario.spread_ps) * u128::from(chance)) >> 64) as u64;
            starts.push(Start { group, start_ps: flow.start_ps + n * flow.stagger_ps + delay, host });
        }
    }
    starts
}

/// Mixes a seed and a number (SplitMix64; Steele, Lea, Flood 2014).
pub fn mix(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn controllers(flows: &[CheckedFlow]) -> Vec<Value> {
    let of_flow = |flow: &CheckedFlow| match &flow.sender {
        Sender::Headgate(plan) => plan.clone(),
        Sender::Stack(_) => json!({"name": "reno"}), // unused
    };
    flows.iter().map(of_flow).collect()
}

fn traffic(scenario: &CheckedScenario, simulated: &[Start], senders: usize) -> Vec<Value> {
    let mut hosts: Vec<String> = (0..senders).map(|n| format!("sender-{n}")).collect();
    let mut places: Vec<Value> = (0..senders).map(|n| json!({"node": 0, "edge": n})).collect();
    hosts.push("receiver".into());
    places.push(json!({"node": 1}));
    let live =
        json!({"kind": "live", "name": "stacks", "law": 0, "transport": 0, "hosts": hosts, "places": places});
    let segment = u64::from(scenario.datagram_bytes) + IP_AND_UDP - HEADGATE_HEADER;
    let of_start = |(n, start): (usize, &Start)| {
        let flow = &scenario.flows[start.group];
        let mut flows = json!({
            "kind": "flows", "name": format!("flow-{n}"), "count": 1, "law": start.group,
            "transport": 0, "sources": [{"node": 0, "edge": start.host}],
            "receivers": [{"node": 1}], "start_ps": start.start_ps,
        });
        if let Some(size) = flow.size {
            flows["packets"] = json!(size.div_ceil(segment));
        }
        flows
    };
    [live].into_iter().chain(simulated.iter().enumerate().map(of_start)).collect()
}

/// The profile of QUIC (docs/reference/quic.md) with ECN, as the stacks use it.
fn transport(segment_bytes: u64) -> Value {
    json!({
        "name": "quic", "segment_bytes": segment_bytes,
        "header_bytes": HEADGATE_HEADER, "ack_bytes": 65, "syn_bytes": 1228, "initial_window": 10.0,
        "min_rto_ps": 200_000_000_000u64, "initial_rto_ps": SECOND, "max_rto_ps": 60 * SECOND, "syn_tries": 7,
        "syn_rto_ps": 999_000_000_000u64, "syn_backoff": true, "recovery": "sack", "limited_transmit": true,
        "prr": false, "rack_tlp": false, "tail_probe": true, "count": "segments", "window_validation": true,
        "delayed_ack": false, "quick_acks": 0, "delayed_ack_ps": 40_000_000_000u64, "after_idle": "keep",
        "rtt": "timestamps", "clock_ps": 0, "ecn": true, "pacing": {"slow_start_gain": 1.25, "gain": 1.25},
        "quic": {
            "packet_threshold": 3, "time_threshold": 1.125, "ack_every": 2, "ack_reordering": 1,
            "max_ack_delay_ps": 25_000_000_000u64,
        },
    })
}
