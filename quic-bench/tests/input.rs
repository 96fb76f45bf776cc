//! Bad input gives an error with its place, the value and what is allowed, before anything runs.

mod common;

use quic_bench::stacks::shipped;
use quic_bench::{Device, Path, Scenario};

const GOOD: &str = r#"
about = "A test"
duration = "5 s"
from = "1 s"
seeds = 3
expect = ["goodput of a >= 0.5 of rate"]

[path]
rate = "20 Mbit/s"
rtt = "40 ms"
buffer = "1 BDP"
queue = { name = "codel", target = "5 ms" }
impairments = ["jitter"]
changes = [{ at = "2 s", rate = "10 Mbit/s" }]

[[flows]]
name = "a"
stack = "headgate"
controller = { name = "bbr3", variant = "draft" }
"#;

fn refuse(text: &str) -> String {
    let scenario =
        Scenario::from_toml(text).and_then(|scenario| scenario.check(&shipped()).map(|_| scenario));
    scenario.expect_err(text).to_string()
}

fn is_good(text: &str) -> bool {
    Scenario::from_toml(text).is_ok_and(|scenario| scenario.check(&shipped()).is_ok())
}

#[test]
fn the_error_names_the_place_the_value_and_what_is_allowed() {
    assert!(is_good(GOOD));
    for (old, new, words) in [
        ("5 s", "5", &["duration", "'5'", "'ms'"][..]),
        ("\"5 s\"", "5", &["line 3", "duration", "string"]),
        ("from = \"1 s\"", "from = \"9 s\"", &["from", "before the end"]),
        ("seeds = 3", "seeds = 0", &["seeds", "0", "1 to 10000"]),
        ("seeds = 3", "seeds = -3", &["line 5", "seeds"]),
        ("seeds = 3", "sede = 3", &["line 5", "unknown field `sede`", "`seeds`"]),
        ("rate = \"20 Mbit/s\"\n", "", &["path.rate", "missing"]),
        ("20 Mbit/s", "20 Mbit", &["path.rate", "'20 Mbit'", "'Mbit/s'"]),
        ("rtt = \"40 ms\"", "rtt = \"0 ms\"", &["path.rtt", "1 ms to 10 s"]),
        ("rtt = \"40 ms\"", "rtt = \"40 ms\"\ndelay = \"20 ms\"", &["path.rtt", "write one of them"]),
        ("buffer = \"1 BDP\"", "buffer = \"big\"", &["path.buffer", "'big'", "'1 BDP'"]),
        ("buffer = \"1 BDP\"", "bufer = \"1 BDP\"", &["unknown field `bufer`", "`buffer`"]),
        ("name = \"codel\"", "name = \"codle\"", &["path.queue", "'codle'", "'codel'"]),
        ("target", "traget", &["path.queue.traget", "'traget'", "'target"]),
        ("target = \"5 ms\"", "target = \"5 MB\"", &["path.queue.target", "'5 MB'", "'ms'"]),
        ("buffer = \"1 BDP\"", "ack_jitter = \"5\"", &["path.ack_jitter", "'5'"]),
        ("[\"jitter\"]", "[\"jitter\", \"shake\"]", &["path.impairments[1]", "'shake'", "'reorder'"]),
        ("at = \"2 s\"", "at = \"soon\"", &["path.changes[0].at", "'soon'"]),
        ("stack = \"headgate\"", "stack = \"tcp\"", &["flows[0].stack", "'tcp'", "'headgate'"]),
        ("name = \"bbr3\"", "name = \"bbr9\"", &["flows[0].controller", "'bbr9'", "'cubic'"]),
        ("\"draft\"", "\"daft\"", &["flows[0].controller.variant", "'daft'", "'draft'"]),
        ("name = \"a\"", "name = \"a b\"", &["flows[0].name", "'a b'", "letters"]),
        ("goodput of a", "goodput of b", &["expect[0]", "'b' is not a flow", "'a'"]),
    ] {
        assert!(GOOD.contains(old), "{old}");
        let message = refuse(&GOOD.replacen(old, new, 1));
        for word in words {
            assert!(message.contains(word), "{new}: {message}");
        }
    }
}

#[test]
#[cfg(feature = "quinn")]
fn controllers_of_a_stack_are_names() {
    let quinn = GOOD.replace("\"headgate\"", "\"quinn\"");
    let message = refuse(&quinn);
    assert!(message.contains("'bbr3' is not one of quinn; it must be 'cubic', 'reno' or 'bbr'"), "{message}");
    assert!(is_good(&quinn.replace("{ name = \"bbr3\", variant = \"draft\" }", "\"reno\"")));
}

/// Every deletion, and every replacement by one of a few characters, is read or refused, and never a panic.
#[test]
fn no_text_panics() {
    let characters: Vec<char> = GOOD.chars().collect();
    for at in 0..characters.len() {
        for put in [None, Some('0'), Some('-'), Some('"'), Some('é'), Some('[')] {
            let mut text = characters.clone();
            text.splice(at..=at, put);
            is_good(&text.into_iter().collect::<String>());
        }
    }
}

#[test]
fn a_scenario_survives_toml() {
    let read = Scenario::from_toml(GOOD).expect("a scenario");
    let text = read.to_toml().expect("TOML");
    assert_eq!(Scenario::from_toml(&text).unwrap_or_else(|error| panic!("{error}\n{text}")), read);
}

#[test]
fn a_path_in_rust_is_that_of_toml() {
    let path = Path::new()
        .rate("20 Mbit/s")
        .rtt("40 ms")
        .buffer("1 BDP")
        .queue(Device::new("codel").set("target", "5 ms"))
        .impairment("jitter")
        .change("2 s", "10 Mbit/s");
    assert_eq!(path, Scenario::from_toml(GOOD).expect("a scenario").path);
}

#[test]
fn the_rate_over_time() {
    let path = Path::new().rate("20 Mbit/s").rtt("40 ms").change("2 s", "10 Mbit/s").check().expect("a path");
    let second = 1_000_000_000_000;
    assert_eq!([0, 2, 3].map(|s| path.rate_at(s * second)), [20_000_000, 10_000_000, 10_000_000]);
    assert_eq!(path.mean_rate([0, 4 * second]), 15e6);
}
