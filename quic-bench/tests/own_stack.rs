//! The complete adapter of `examples/own_stack.rs` runs its scenario.

#[path = "../examples/own_stack.rs"]
mod own_stack;

use quic_bench::bench::run_all;
use quic_bench::expect::Verdict;
use quic_bench::{Scenario, Stack};

#[test]
fn the_toy_stack_runs_its_scenario() {
    let scenario = Scenario::from_toml(include_str!("../scenarios/own-stack.toml")).expect("a scenario");
    let stacks: [&dyn Stack; 1] = [&own_stack::Toy];
    let checked = scenario.check(&stacks).expect("good values");
    let report = run_all("own-stack", "", &checked, &stacks, 2).expect("runs");
    assert_eq!(report.judged[0].verdict, Verdict::Holds, "{report:?}");
}
