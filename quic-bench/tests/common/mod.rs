//! Scenarios in Rust.

use quic_bench::bench::{Report, run_all};
use quic_bench::run::{RunResult, run};
use quic_bench::{Device, Flow, Path, Scenario, stacks};

/// A flow without an end.
#[allow(dead_code, reason = "not all tests use it")]
pub fn flow(name: &str, stack: &str, controller: impl Into<Device>) -> Flow {
    Flow {
        name: name.into(),
        stack: stack.into(),
        controller: controller.into(),
        start: None,
        size: None,
        count: 1,
        stagger: None,
        extra_rtt: None,
    }
}

/// A scenario of these flows.
#[allow(dead_code, reason = "not all tests use it")]
pub fn scenario(path: Path, duration: &str, flows: Vec<Flow>) -> Scenario {
    Scenario {
        about: String::new(),
        duration: duration.into(),
        from: None,
        seeds: 2,
        datagram: None,
        spread: None,
        expect: Vec::new(),
        path,
        flows,
    }
}

/// Runs a scenario with one seed.
#[allow(dead_code, reason = "not all tests use it")]
pub fn run_once(scenario: &Scenario, seed: u64) -> RunResult {
    let stacks = stacks::shipped();
    let checked = scenario.check(&stacks).unwrap_or_else(|error| panic!("{error}"));
    run(&checked, &stacks, seed).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs all seeds of a scenario.
#[allow(dead_code, reason = "not all tests use it")]
pub fn report(scenario: &Scenario, threads: usize) -> Report {
    let stacks = stacks::shipped();
    let checked = scenario.check(&stacks).unwrap_or_else(|error| panic!("{error}"));
    run_all("test", "", &checked, &stacks, threads).unwrap_or_else(|error| panic!("{error}"))
}

/// Every stack of this build with every controller.
#[allow(dead_code, reason = "not all tests use it")]
pub fn all_controllers() -> Vec<(&'static str, &'static str)> {
    let shipped = stacks::shipped();
    let of_stack = |stack: &&'static dyn quic_bench::Stack| {
        let name = stack.name();
        stack.controllers().iter().map(move |controller| (name, *controller)).collect::<Vec<_>>()
    };
    shipped.iter().flat_map(of_stack).chain([("headgate", "cubic"), ("headgate", "bbr3")]).collect()
}
