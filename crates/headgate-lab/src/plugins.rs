//! External code in a run. External versions of Reno and threshold marking give the digests of the built-in
//! ones; their faults end the run.

use std::sync::Arc;

use headgate_algos::plugin::{
    Controllers, DisciplineEvent, DisciplineTraits, Disciplines, Event, External, PluginError, Runtime,
    State, Traits,
};
use headgate_model::control::{Path, Window};
use headgate_model::queue::{Backlog, Decision};
use serde_json::{Value, json};

use crate::sample::{lists, plan};
use crate::simulation::Simulation;
use crate::user_code::UserCode;

/// External code whose state is the number of its calls. After `fails_after` calls it sets an invalid value.
struct Outside {
    fails_after: u64,
}

impl Outside {
    fn fails(&self, state: &mut [u64]) -> bool {
        state[0] += 1;
        state[0] > self.fails_after
    }
}

/// The methods that all external code here shares.
macro_rules! keeps_a_count {
    () => {
        fn initial_state(&self) -> Result<State, PluginError> {
            Ok([0].into())
        }

        fn keep(&self, state: &[u64]) -> Result<Vec<u8>, PluginError> {
            Ok(state[0].to_le_bytes().to_vec())
        }

        fn restore(&self, kept: &[u8]) -> Result<State, PluginError> {
            Ok([u64::from_le_bytes(kept.try_into().expect("eight bytes"))].into())
        }
    };
}

/// Reno.
impl External<Controllers> for Outside {
    fn traits(&self) -> Traits {
        Traits::default()
    }

    fn call(
        &self,
        event: &Event<'_>,
        state: &mut [u64],
        _path: &Path,
        window: &mut Window,
    ) -> Result<(), PluginError> {
        match event {
            Event::Ack(ack) if ack.cwnd_limited => {
                let left = window.slow_start(ack.acked);
                window.cwnd += left / window.cwnd;
                if self.fails(state) {
                    window.cwnd = f64::NAN;
                }
            }
            Event::Congestion(event) => window.ssthresh = (f64::from(event.in_flight) / 2.0).max(2.0),
            _ => {}
        }
        Ok(())
    }

    keeps_a_count!();
}

/// Drops at random, with a probability that increases with the waiting packets.
impl External<Disciplines> for Outside {
    fn traits(&self) -> DisciplineTraits {
        DisciplineTraits { on_departure: false, ranks: false, tick_s: 0.0 }
    }

    fn call(
        &self,
        event: &DisciplineEvent<'_>,
        state: &mut [u64],
        port: &Backlog,
        decision: &mut Decision,
    ) -> Result<(), PluginError> {
        assert!(matches!(event, DisciplineEvent::Arrival(_)));
        if decision.draw() <= port.packets / 1000.0 {
            decision.verdict = 2;
        }
        if self.fails(state) {
            decision.verdict = 3;
        }
        Ok(())
    }

    keeps_a_count!();
}

/// The sample plan with this algorithm in place of each of its algorithms.
fn with_controller(controller: Value) -> String {
    let mut plan = plan();
    let count = plan["laws"].as_array().expect("laws").len();
    plan["laws"] = vec![controller; count].into();
    plan.to_string()
}

/// The sample plan with this discipline at each of its links.
fn with_queue(queue: Value) -> String {
    let mut plan = plan();
    for link in plan["links"].as_array_mut().expect("links") {
        link["queue"] = queue.clone();
    }
    plan.to_string()
}

fn mine() -> Value {
    json!({"name": "mine", "own": "hash"})
}

fn controllers(fails_after: u64) -> UserCode {
    let host =
        || Arc::new(Runtime::<Controllers>::new("mine.c:mine".to_owned(), Arc::new(Outside { fails_after })));
    UserCode { controllers: (0..8).map(|_| host()).collect(), ..UserCode::default() }
}

fn disciplines(fails_after: u64) -> UserCode {
    let external = Arc::new(Outside { fails_after });
    UserCode {
        disciplines: vec![Arc::new(Runtime::new("mine.c:mine".to_owned(), external))],
        ..UserCode::default()
    }
}

fn start(plan: &str, user_code: UserCode) -> Simulation {
    Simulation::new(plan, &lists(), user_code).expect("a good plan")
}

fn digest(mut run: Simulation) -> String {
    while !run.advance(1.0) {}
    assert!(run.fault().is_none());
    run.results().digest
}

/// The digest of a run that was saved and resumed.
fn resumed(plan: &str, user_code: fn(u64) -> UserCode) -> String {
    let mut run = start(plan, user_code(u64::MAX));
    while run.time_s() < 4.0 {
        run.advance(0.0);
    }
    let mut bytes = Vec::new();
    run.snapshot(&mut bytes).expect("a state").expect("bytes");
    digest(Simulation::resume(plan, &lists(), user_code(u64::MAX), &bytes).expect("its own snapshot"))
}

#[test]
fn reno_from_outside_gives_the_digest_of_ours() {
    let ours = start(&with_controller(json!({"name": "reno"})), UserCode::default());
    assert_eq!(digest(start(&with_controller(mine()), controllers(u64::MAX))), digest(ours));
}

#[test]
fn a_discipline_from_outside_decides_at_every_port() {
    let without = start(&plan().to_string(), UserCode::default());
    let run = start(&with_queue(mine()), disciplines(u64::MAX));
    assert_ne!(digest(run), digest(without));
}

#[test]
fn a_resumed_run_keeps_the_state_of_external_code() {
    let (controller, queue) = (with_controller(mine()), with_queue(mine()));
    assert_eq!(resumed(&controller, controllers), digest(start(&controller, controllers(u64::MAX))));
    assert_eq!(resumed(&queue, disciplines), digest(start(&queue, disciplines(u64::MAX))));
}

#[test]
fn the_first_fault_is_told_and_the_run_pauses() {
    let verdict = "verdict became 3; it must be KEEP (0), MARK (1) or DROP (2)";
    for (plan, own, place, says) in [
        (
            with_controller(mine()),
            controllers(20),
            "on_ack",
            "cwnd became NaN; it must be from 1 to 1e7 segments",
        ),
        (with_queue(mine()), disciplines(20), "on_arrival", verdict),
    ] {
        let mut run = start(&plan, own);
        assert!(!run.advance(60.0));
        let fault = run.fault().expect("a fault");
        assert_eq!(fault.name, "mine.c:mine");
        assert!(fault.place.starts_with(&format!("{place} at ")), "{}", fault.place);
        assert_eq!(fault.message, says);
        assert!(run.time_s() < 10.0);
    }
}

#[test]
fn what_nobody_gave_is_refused() {
    for (plan, says) in [
        (with_controller(mine()), "laws: there is no user-defined algorithm with number 0"),
        (with_queue(mine()), "links: there is no user-defined discipline with number 0"),
    ] {
        let refusal = Simulation::new(&plan, &lists(), UserCode::default()).err().expect("a refusal");
        assert_eq!(refusal.to_string(), says);
    }
}
