//! A valid plan passes; each invalid one is rejected at its place.

use headgate_algos::control::AnyController;
use headgate_model::control::ControllerRegistry;
use headgate_model::units::SECOND;
use headgate_netsim::devices::Arrays;
use serde_json::{Value, json};

use super::validate;
use crate::sample::{lists, plan, transport, with};

fn refusal(plan: &Value, lists: &Arrays) -> String {
    validate(&plan.to_string(), lists).expect_err("a refusal").to_string()
}

fn assert_refused(pointer: &str, value: Value, place: &str, says: &str) {
    let said = refusal(&with(pointer, value), &lists());
    assert!(said.starts_with(&format!("{place}: ")), "{pointer}: {said}");
    assert!(said.contains(says), "{pointer}: {said}");
}

#[test]
fn a_good_plan_passes_with_its_controllers() {
    let ready = validate(&plan().to_string(), &lists()).unwrap();
    assert_eq!(ready.choices.controllers.len(), 2);
    let fast = &ready.choices.controllers[1];
    assert_eq!(AnyController::cards()[fast.cca.index].name, "fast");
    assert_eq!((fast.cca.values[0], fast.cca.values[4]), (20.0, 1.0));
}

#[test]
fn a_chosen_slow_start_is_resolved_with_its_parameters() {
    let chosen = json!({"name": "search", "params": {"threshold": 0.3, "exit": "rollback"}});
    let ready = validate(&with("/laws/0/slow_start", chosen).to_string(), &lists()).unwrap();
    let start = ready.choices.controllers[0].slow_start.as_ref().expect("a slow start");
    assert_eq!(AnyController::slow_starts()[start.index].name, "search");
    assert_eq!(start.values, [0.3, 3.5, 1.0, 0.0]);
    assert_eq!(ready.choices.controllers[1].slow_start, None);
}

#[test]
fn a_wrong_slow_start_is_refused_at_its_place() {
    let at = "/laws/0/slow_start";
    assert_refused(at, json!({"name": "fast"}), "laws[0].slow_start.name", "'fast' is not a slow start");
    let unknown = json!({"name": "search", "params": {"thresh": 1}});
    assert_refused(at, unknown, "laws[0].slow_start.params", "no parameter 'thresh'");
    let large = json!({"name": "search", "params": {"threshold": 2}});
    assert_refused(at, large, "laws[0].slow_start.params.threshold", "from 0.01 to 1");
    let required = "'careful-resume' needs a number from 1 to 10000000 segments";
    assert_refused(at, json!({"name": "careful-resume"}), "laws[0].slow_start.params.saved_cwnd", required);
    let of_fast = json!({"name": "search"}); // FAST is driven by delay
    assert_refused("/laws/1/slow_start", of_fast, "laws[1].slow_start", "part of the algorithm");
}

#[test]
fn what_is_no_plan_is_refused() {
    for text in ["", "{", "[]", "{}", "null"] {
        let wrong = validate(text, &Arrays::new()).unwrap_err();
        assert_eq!(wrong.place, "plan", "{text}");
    }
    assert_refused("/frobnicate", json!(1), "plan", "unknown field");
    assert_refused("/links/0/rate_bps", json!(-1), "plan", "invalid value");
}

#[test]
fn networks() {
    let hops: Vec<Value> = (0..2001).map(|i| json!({"name": i.to_string()})).collect();
    assert_refused("/nodes", json!([]), "nodes", "from 1 to 2000 routers");
    assert_refused("/nodes", json!(hops), "nodes", "2001 is not allowed");
    assert_refused(
        "/nodes/0/class",
        json!("a/b"),
        "nodes[0].class",
        "at most 40 characters, none of them '/'",
    );
    assert_refused("/nodes/0/class", json!("x".repeat(41)), "nodes[0].class", "at most 40 characters");
    assert_refused("/edges/0/class", json!("a\nb"), "edges[0].class", "is not a class");
    assert_refused("/links/1/from", json!(3), "links[1].from", "numbered 0 to 2");
    assert_refused("/links/1/to", json!(9), "links[1].to", "no router 9");
    assert_refused("/links/0/to", json!(0), "links[0].to", "to itself");
    assert_refused("/links/0/rate_bps", json!(0), "links[0].rate_bps", "from 1 to 100000000000000 bit/s");
    assert_refused("/links/0/delay_ps", json!(u64::MAX), "links[0].delay_ps", "from 0 to 1000 s");
    assert_refused("/links/0/loss", json!(1.5), "links[0].loss", "from 0 to 1");
    let change = |at: u64, rate: u64| json!({"at_ps": at, "rate_bps": rate});
    assert_refused("/links/0/changes", json!([change(5, 9), change(5, 9)]), "links[0].changes", "rise");
    assert_refused("/links/0/changes", json!([change(5, 0)]), "links[0].changes", "bit/s");
    assert_refused("/links/0/lose", json!([0, 3]), "links[0].lose", "the first packet is 1");
    assert_refused("/links/0/lose", json!([3, 3]), "links[0].lose", "rise");
    assert_refused("/links/0/loss", json!(-0.1), "links[0].loss", "from 0 to 1");
    let outage =
        |at: u64, until: u64| json!({"at_ps": at, "until_ps": until, "queue": "drop", "in_flight": "lose"});
    let outages = |spans: &[(u64, u64)]| json!(spans.iter().map(|s| outage(s.0, s.1)).collect::<Vec<_>>());
    assert_refused("/links/0/outages", outages(&[(5, 5)]), "links[0].outages", "must end after it begins");
    assert_refused("/links/0/outages", outages(&[(5, 9), (8, 10)]), "links[0].outages", "after the end of");
    assert_refused("/links/0/outages", outages(&[(5, u64::MAX)]), "links[0].outages", "8640000 s");
    let apart = with("/links/0/outages", outages(&[(0, 5), (5, 9)]));
    assert!(validate(&apart.to_string(), &lists()).is_ok());
    assert_refused("/links/0/buffer", json!({"packets": u64::MAX}), "links[0].buffer", "infinite");
    assert_refused("/edges/0/rate_bps", json!(0), "edges[0].rate_bps", "bit/s");
    assert_refused("/edges/0/delay_ps", json!(2_000_000_000_000_000u64), "edges[0].delay_ps", "1000 s");
}

#[test]
fn impairments() {
    let row = |many: usize, name: &str| json!(vec![json!({"name": name}); many]);
    for name in ["duplicate", "jitter", "reorder"] {
        let says = format!(
            "'{name}' cannot act before the queue; only bernoulli, ecn-bleach, ecn-mangle, gilbert_elliott, policer \
             can; write it under impairments"
        );
        assert_refused("/links/0/ingress", row(1, name), "links[0].ingress", &says);
    }
    let says = "17 is not allowed; it must be from 0 to 16 impairments";
    assert_refused("/links/0/impairments", row(17, "duplicate"), "links[0].impairments", says);
    assert!(validate(&with("/links/0/impairments", row(16, "duplicate")).to_string(), &lists()).is_ok());
}

#[test]
fn transports() {
    let refused = |key: &str, value: Value, says: &str| {
        assert_refused(&format!("/transports/0/{key}"), value, &format!("transports[0].{key}"), says);
    };
    refused("segment_bytes", json!(0), "1 to 65535 B");
    refused("header_bytes", json!(65_535), "make 66995 B");
    refused("ack_bytes", json!(0), "1 to 65535 B");
    refused("syn_bytes", json!(0), "1 to 65535 B");
    refused("initial_window", json!(0.5), "from 1 to 100000 segments");
    refused("initial_ssthresh", json!(0.0), "no bound");
    refused("receive_window", json!(0), "no bound");
    refused("min_rto_ps", json!(999_999), "from 0.000001 to 8640000 s");
    refused("min_rto_ps", json!(61_000_000_000_000u64), "61 s, is above the greatest, 60 s");
    refused("max_rto_ps", json!(u64::MAX), "8640000 s");
    refused("initial_rto_ps", json!(999_999), "from 0.000001 to 8640000 s");
    refused("syn_tries", json!(0), "1 to 255");
    refused("syn_rto_ps", json!(u64::MAX), "8640000 s");
    refused("syn_rto_ps", json!(999_999), "from 0.000001 to 8640000 s");
    let slow = json!(1_000_000_000_000_000_000u64);
    assert_refused("/transports/0/syn_rto_ps", slow, "transports[0].syn_tries", "take fewer");
    refused("delayed_ack_ps", json!(u64::MAX), "1000 s");
    refused("clock_ps", json!(u64::MAX), "1000 s");
    refused("timestamp_clock_ps", json!(u64::MAX), "1000 s");
    refused("ecn_codepoint", json!("ce"), "ect0 or ect1");
    let pacing = json!({"slow_start_gain": 2.0, "gain": 0.0});
    assert_refused("/transports/0/pacing", pacing, "transports[0].pacing.gain", "0.01 to 100");
    assert_refused("/transports", json!(vec![transport(); 256]), "transports", "256 is not allowed");
}

fn names() -> String {
    AnyController::cards().iter().map(|card| card.name).collect::<Vec<_>>().join(", ")
}

#[test]
fn controllers() {
    assert_refused("/laws/0/name", json!("renoo"), "laws[0].name", &format!("known: {}", names()));
    let refused = |key: &str, value: Value, place: &str, says: &str| {
        assert_refused(&format!("/laws/1/params/{key}"), value, place, says);
    };
    refused("beta", json!(1), "laws[1].params", "'fast' has no parameter 'beta'");
    refused("alpha", json!(0), "laws[1].params.alpha", "from 1 to 100000 segments");
    refused("alpha", json!("many"), "laws[1].params.alpha", "a number from");
    refused("variant", json!(1), "laws[1].params.variant", "one of paper, simple, ns2");
    refused("variant", json!("linux"), "laws[1].params.variant", "one of paper, simple, ns2");
    let vegas = |alpha: u32, beta: u32| json!({"name": "vegas", "params": {"alpha": alpha, "beta": beta}});
    assert_refused("/laws/0", vegas(4, 2), "laws[0].params.beta", "2 is below 'alpha', which is 4");
    for allowed in [vegas(4, 0), vegas(0, 2), vegas(4, 4)] {
        assert!(validate(&with("/laws/0", allowed).to_string(), &lists()).is_ok());
    }
}

#[test]
fn measurement() {
    let long = 100_000_000_000_000u64;
    assert_refused("/duration_ps", json!(0), "duration_ps", "above 0 s");
    assert_refused("/duration_ps", json!(u64::MAX), "duration_ps", "8640000 s");
    assert_refused(
        "/measure/warmup_ps",
        json!(long),
        "measure.warmup_ps",
        "ends at 100 s; it must end within the run",
    );
    assert_refused("/measure/interval_ps", json!(0), "measure.interval_ps", "above 0 s");
    assert_refused("/measure/interval_ps", json!(u64::MAX), "measure.interval_ps", "8640000 s");
    let whole =
        json!({"warmup_ps": 0, "periods": [[0, 10_000_000_000_000u64]], "interval_ps": 1, "flows": "all"});
    assert_refused("/measure", whole, "measure.interval_ps", "gives 10000000000000 samples");
    assert_refused("/measure/periods/0", json!([5, 5]), "measure.periods[0]", "after it starts");
    assert_refused("/measure/periods/1", json!([1999, 2500]), "measure.periods[1]", "must not overlap");
    assert_refused("/measure/periods/1", json!([2000, long]), "measure.periods[1]", "within the run");
    let series = |key: &str, value: Value, place: &str, says: &str| {
        assert_refused(&format!("/measure/series/{key}"), value, place, says);
    };
    series("interval_ps", json!(0), "measure.series.interval_ps", "above 0 s");
    series("interval_ps", json!(u64::MAX), "measure.series.interval_ps", "8640000 s");
    series("interval_ps", json!(1), "measure.series.interval_ps", "rows of series");
    series("links", json!([3]), "measure.series.links", "no link 3");
    series("flows", json!([0, 1]), "measure.series.flows", "1 is not the number of a single flow");
}

#[test]
fn names_differ() {
    assert_refused("/traffic/2/name", json!("many"), "traffic[2].name", "'many' is taken");
    let mut several = with("/traffic/0/count", json!(11));
    for (name, taken) in [("one.10", true), ("one.11", false), ("one.01", false), ("one.", false)] {
        several["traffic"][1]["name"] = json!(name);
        let said = validate(&several.to_string(), &lists()).map_err(|wrong| wrong.to_string());
        let says =
            format!("traffic[1].name: '{name}' is the name of one of the flows 'one'; names must differ");
        assert_eq!(said.is_err(), taken, "{name}");
        assert!(said.is_ok() || said.unwrap_err() == says);
    }
    let mut late = with("/traffic/0/count", json!(2));
    late["traffic"][0]["stagger_ps"] = json!(u64::MAX);
    assert!(refusal(&late, &lists()).starts_with("traffic[0].stagger_ps: "));
    assert_refused("/links/1/name", json!("0-1"), "links[1].name", "'0-1' is taken");
    assert_refused("/measure/series/flows", json!([0, 0]), "measure.series.flows", "twice");
}

#[test]
fn traffic() {
    let refused = |key: &str, value: Value, place: &str, says: &str| {
        assert_refused(&format!("/traffic/{key}"), value, place, says);
    };
    refused("0/law", json!(2), "traffic[0].law", "numbered 0 to 1");
    refused("0/transport", json!(1), "traffic[0].transport", "numbered 0 to 0");
    refused("0/sources", json!([]), "traffic[0].sources", "at least one place");
    refused("0/sources/0", json!({"node": 5}), "traffic[0].sources[0].node", "no router 5");
    refused("0/sources/0", json!({"node": 0, "edge": 1}), "traffic[0].sources[0].edge", "no edge 1");
    refused("0/receivers/0", json!({"node": 2}), "traffic[0]", "from router 'left' to 'sink' and back");
    refused("0/count", json!(0), "traffic[0].count", "from 1 to 4294967295 flows");
    refused("0/count", json!(u32::MAX), "traffic", "from 0 to 4294967295 single flows");
    refused("0/count", json!(20_000_000), "traffic[0]", "at most 4194301");
    refused("0/packets", json!(0), "traffic[0].packets", "1 to 4294967293");
    refused("0/packets", json!(4_294_967_294u64), "traffic[0].packets", "1 to 4294967293");
    refused("0/start_ps", json!(u64::MAX), "traffic[0].start_ps", "8640000 s");
    refused("0/stop_ps", json!(0), "traffic[0].stop_ps", "after it starts");
    refused("0/stop_ps", json!(u64::MAX), "traffic[0].stop_ps", "8640000 s");
    let pause = |at: u64, until: u64| json!({"at_ps": at, "until_ps": until});
    refused("0/pauses", json!([pause(9, 9)]), "traffic[0].pauses", "in order and must not overlap");
    refused("0/pauses", json!([pause(5, 9), pause(8, 10)]), "traffic[0].pauses", "in order and");
    refused("0/pauses", json!([pause(0, 9)]), "traffic[0].pauses", "a flow starts at 0 s, during a pause");
    refused("0/pauses", json!([pause(5, u64::MAX)]), "traffic[0].pauses", "8640000 s");
    refused("1/flows_per_s", json!(0.0), "traffic[1].flows_per_s", "flows/s");
    refused("1/flows_per_s", json!(1e30), "traffic[1].flows_per_s", "1e30 is not allowed");
    refused("1/start_ps", json!(1001), "traffic[1].stop_ps", "before they start");
    refused("1/size/shape", json!(1.0), "traffic[1].size.shape", "above 1");
    refused("1/size/mean_packets", json!(0.0), "traffic[1].size.mean_packets", "above 0");
    refused("1/size", json!({"kind": "fixed", "packets": 0.5}), "traffic[1].size.packets", "from 1 to");
    refused("4/on_s", json!(0.0), "traffic[4].on_s", "from 1e-9 to 100000 s");
    refused("4/off_s", json!(1e6), "traffic[4].off_s", "from 1e-9 to 100000 s");
    refused("4/shape", json!(1.0), "traffic[4].shape", "above 1");
    refused("4/start_ps", json!(10_000_000_000_001u64), "traffic[4].stop_ps", "before they start");
    refused("4/sources", json!([]), "traffic[4].sources", "at least one host");
    refused("4/receivers", json!([{"node": 2, "hosts": 1}]), "traffic[4]", "from router 'left' to 'sink'");
    refused("5/interval", json!(null), "traffic[5].pause", "either a pause or an interval");
    refused("5/pause", json!({"kind": "fixed", "ps": 1}), "traffic[5].pause", "and not both");
    refused("5/interval", json!({"kind": "fixed", "ps": 0}), "traffic[5].interval.ps", "above 0 s");
    refused(
        "5/interval",
        json!({"kind": "exponential", "mean_s": 0.0}),
        "traffic[5].interval.mean_s",
        "from 1e-9",
    );
    refused("5/size/shape", json!(1.0), "traffic[5].size.shape", "above 1");
    refused("5/bursts", json!(0), "traffic[5].bursts", "from 1 to");
    refused("5/count", json!(0), "traffic[5].count", "connections");
    refused("5/receivers/0", json!({"node": 0}), "traffic[5]", "no link is between them");
    refused("2/think_s", json!(0.0), "traffic[2].think_s", "s");
    refused("2/at_once", json!(1.5), "traffic[2].at_once", "from 0 to 1");
    refused("2/sources", json!([]), "traffic[2].sources", "at least one host");
    refused("2/receivers/0/hosts", json!(0), "traffic[2].receivers[0].hosts", "at least one host");
    refused("2/sources/0/hosts", json!(1 << 24), "traffic[2]", "at most 4194301");
    refused("2/receivers/0/node", json!(2), "traffic[2]", "no route leads");
}

#[test]
fn hosts_without_a_link_between_them() {
    let flows = json!({
        "kind": "flows", "name": "one", "count": 3, "law": 0, "transport": 0,
        "sources": [{"node": 1}, {"node": 0}], "receivers": [{"node": 0}], "start_ps": 0
    });
    assert_refused("/traffic/0", flows, "traffic[0]", "both on router 'left' and no link");
    let pool = |node: u32| json!({"node": node, "hosts": 1});
    let mut plan = with("/traffic/2/sources", json!([pool(0), pool(1)]));
    plan["traffic"][2]["receivers"] = json!([pool(1)]);
    assert!(
        refusal(&plan, &lists()).starts_with("traffic[2]: source and receiver are both on router 'right'")
    );
    plan["traffic"][2]["receivers"] = json!([pool(0), pool(1)]);
    assert!(validate(&plan.to_string(), &lists()).is_ok(), "each source has a receiver elsewhere");
}

#[test]
fn flow_lists() {
    let refused = |name: &str, column: Option<Vec<u64>>, place: &str, says: &str| {
        let mut lists = lists();
        match column {
            Some(column) => lists.insert(format!("list.{name}"), column),
            None => lists.remove(&format!("list.{name}")),
        };
        let said = refusal(&plan(), &lists);
        assert!(said.starts_with(&format!("{place}: ")) && said.contains(says), "{said}");
    };
    refused("start_ps", None, "list.start_ps", "not among the arrays");
    refused("packets", None, "list.packets", "not among the arrays");
    refused("start_ps", Some(vec![]), "list.start_ps", "has no rows");
    refused("start_ps", Some(vec![0, u64::MAX]), "list.start_ps", "row 2: 18446744");
    refused("packets", Some(vec![0, 1]), "list.packets", "row 1: 0; a flow must have from 1 to 4294967293");
    refused("packets", Some(vec![1]), "list.packets", "1 rows; it must have 2, as start_ps has");
    refused("source", Some(vec![0, 3]), "list.source", "row 2: there is no place 3");
    refused("law", Some(vec![0, 1, 0]), "list.law", "3 rows");
    refused("law", Some(vec![0, 2]), "list.law", "numbered 0 to 1");
    refused("receiver", Some(vec![2, 0]), "traffic[3]", "no route leads");
    refused("receiver", Some(vec![0, 0]), "traffic[3]", "both on router 'left'");
    assert_refused("/traffic/3/source", json!(3), "traffic[3].source", "no place 3");
    assert_refused("/traffic/3/places/1/node", json!(7), "traffic[3].places[1].node", "no router 7");
}

#[test]
fn optional_columns_of_a_flow_list_may_be_absent() {
    let mut lists = lists();
    lists.remove("list.law");
    assert!(validate(&plan().to_string(), &lists).is_ok());
    lists.remove("list.source");
    let said = refusal(&plan(), &lists);
    assert!(said.contains("both on router 'left'"), "row 2 goes from the default to place 0: {said}");
    lists.remove("list.receiver");
    assert!(validate(&plan().to_string(), &lists).is_ok());
}

#[test]
fn habits() {
    let web = "traffic[2]";
    let refused = |key: &str, value: Value, place: &str, says: &str| {
        assert_refused(&format!("/traffic/2/{key}"), value, &format!("{web}.{place}"), says);
    };
    assert_refused("/files", json!(["a", "a"]), "files[1].name", "'a' is taken");
    let many: Vec<String> = (0..33).map(|i| i.to_string()).collect();
    assert_refused("/files", json!(many), "files", "at most 32");
    refused("kinds/0/file", json!(2), "kinds[0].file", "numbered 0 to 1");
    refused("kinds/0/share", json!(1.1), "kinds[0].share", "from 0 to 1");
    refused("kinds/0/size", json!({"kind": "fixed", "packets": 0}), "kinds[0].size.packets", "packets");
    let twice = json!([plan()["traffic"][2]["kinds"][0], plan()["traffic"][2]["kinds"][0]]);
    let heavy =
        json!([{"file": 0, "share": 0.7, "size": {"kind": "fixed", "packets": 9.0}}, twice[0], twice[1]]);
    refused("kinds", heavy, "kinds", "at most 1");
    refused("laws/1/law", json!(2), "laws[1].law", "numbered 0 to 1");
    refused("laws/1/share", json!(0.4), "laws", "add up to 0.9");
    refused("laws/1/class", json!("D"), "laws", "add up to 0.5");
    refused("patience/share", json!(-1), "patience.share", "from 0 to 1");
    refused("patience/check_ps", json!(0), "patience.check_ps", "above 0 s");
    refused("patience/floor_per_s", json!(0.0), "patience.floor_per_s", "segments/s");
    refused("surge/share", json!(2), "surge.share", "from 0 to 1");
    refused("surge/until_ps", json!(1), "surge.until_ps", "must end after it begins");
    refused("surge/file", json!(9), "surge.file", "kind of file");
    refused("surge/size/shape", json!(1.0), "surge.size.shape", "above 1");
}

#[test]
fn times_of_traces_end_with_the_longest_run() {
    let day = 86_400 * SECOND;
    let said = |times: Vec<u64>, period: Option<u64>| {
        let mut lists = lists();
        lists.insert("t".to_string(), times);
        let trace = json!({"list": "t", "period_ps": period});
        validate(&with("/links/0/trace", trace).to_string(), &lists).err().map(|wrong| wrong.to_string())
    };
    assert_eq!(said(vec![1, 100 * day], Some(100 * day)), None);
    assert_eq!(said(vec![1, 100 * day], None), None);
    for (times, period) in [
        (vec![100 * day + 1], None),
        (vec![u64::MAX], None),
        (vec![1], Some(100 * day + 1)),
        (vec![1], Some(u64::MAX)),
    ] {
        let wrong = said(times, period).expect("a refusal");
        assert!(wrong.starts_with("links[0].trace: a time of "), "{wrong}");
        assert!(wrong.ends_with("s is not allowed; a trace must end by 8640000 s"), "{wrong}");
    }
}
