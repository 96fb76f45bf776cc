//! A guest in a run: Reno from outside gives the digest of ours; what it does wrong ends the run.

use std::sync::Arc;

use headgate_algos::plugin::{Event, ExternalController, ExternalRuntime, State, Traits};
use headgate_model::control::{Path, Window};
use serde_json::json;

use crate::sample::{lists, plan};
use crate::simulation::Simulation;

/// Reno, with the number of its ACKs as state. After so many it sets NaN.
struct Outside {
    fails_after: u64,
}

impl ExternalController for Outside {
    fn traits(&self) -> Traits {
        Traits::default()
    }

    fn fresh(&self) -> Result<State, String> {
        Ok([0].into())
    }

    fn call(
        &self,
        event: &Event<'_>,
        state: &mut [u64],
        _path: &Path,
        window: &mut Window,
    ) -> Result<(), String> {
        match event {
            Event::Ack(ack) if ack.cwnd_limited => {
                state[0] += 1;
                let left = window.slow_start(ack.acked);
                window.cwnd += left / window.cwnd;
                if state[0] > self.fails_after {
                    window.cwnd = f64::NAN;
                }
            }
            Event::Congestion(event) => window.ssthresh = (f64::from(event.in_flight) / 2.0).max(2.0),
            _ => {}
        }
        Ok(())
    }

    fn keep(&self, state: &[u64]) -> Result<Vec<u8>, String> {
        Ok(state[0].to_le_bytes().to_vec())
    }

    fn restore(&self, kept: &[u8]) -> Result<State, String> {
        Ok([u64::from_le_bytes(kept.try_into().expect("eight bytes"))].into())
    }
}

/// The sample plan with Reno for every law, ours or from outside.
fn json_with(law: serde_json::Value) -> String {
    let mut plan = plan();
    let count = plan["laws"].as_array().expect("laws").len();
    plan["laws"] = vec![law; count].into();
    plan.to_string()
}

fn outside() -> String {
    json_with(json!({"name": "mine", "own": "hash"}))
}

fn hosts(fails_after: u64) -> Vec<Arc<ExternalRuntime>> {
    let host = || Arc::new(ExternalRuntime::new("mine.c:mine".to_owned(), Arc::new(Outside { fails_after })));
    (0..8).map(|_| host()).collect()
}

fn start(fails_after: u64) -> Simulation {
    let run = Simulation::new(&outside(), &lists()).expect("a good plan");
    run.bind(hosts(fails_after)).expect("laws")
}

fn digest(mut run: Simulation) -> String {
    while !run.advance(1.0) {}
    assert!(run.fault().is_none());
    run.results().digest
}

#[test]
fn reno_from_outside_gives_the_digest_of_ours() {
    let ours = Simulation::new(&json_with(json!({"name": "reno"})), &lists()).expect("a good plan");
    assert_eq!(digest(start(u64::MAX)), digest(ours));
}

#[test]
fn a_resumed_run_goes_on_with_the_state_of_its_guests() {
    let mut run = start(u64::MAX);
    while run.time_s() < 4.0 {
        run.advance(0.0);
    }
    let mut bytes = Vec::new();
    run.snapshot(&mut bytes).expect("a state").expect("bytes");
    let resumed = Simulation::resume(&outside(), &lists(), &bytes).expect("its own snapshot");
    assert_eq!(digest(resumed.bind(hosts(u64::MAX)).expect("laws")), digest(start(u64::MAX)));
}

#[test]
fn the_first_fault_is_told_and_the_run_pauses() {
    let mut run = start(20);
    assert!(!run.advance(60.0));
    let fault = run.fault().expect("a fault");
    assert_eq!(fault.law, "mine.c:mine");
    assert!(fault.place.starts_with("on_ack at "), "{}", fault.place);
    assert_eq!(fault.says, "cwnd became NaN; it is a number from 1 to 1e7 segments");
    assert!(run.time_s() < 10.0);
}

#[test]
fn a_law_that_nobody_gave_is_refused() {
    let run = Simulation::new(&outside(), &lists()).expect("a good plan");
    assert_eq!(run.bind(Vec::new()).err().expect("a refusal").to_string(), "laws: there is no own law 0");
}
