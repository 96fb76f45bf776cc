//! All seeds of a scenario, and the verdicts on its expectations.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::estimate::{Estimate, estimate};
use crate::expect::{Measure, Verdict};
use crate::run::{RunResult, run};
use crate::scenario::CheckedScenario;
use crate::stack::Stack;

/// The verdict on one expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The sentence.
    pub text: String,
    /// The measure over the seeds.
    pub estimate: Estimate,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is undecided, if there is no interval.
    pub reason: Option<String>,
}

/// The results of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The name: that of the file.
    pub name: String,
    /// Its question.
    pub about: String,
    /// The name, stack and controller of each group of flows.
    pub flows: Vec<[String; 3]>,
    /// The runs, in the order of their seeds.
    pub runs: Vec<RunResult>,
    /// The verdicts, in the order of the file.
    pub judged: Vec<Judged>,
}

impl Report {
    /// The digest of all runs.
    pub fn digest(&self) -> u64 {
        self.runs
            .iter()
            .fold(0, |all, run| (all ^ run.digest).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29))
    }

    /// Estimates a measure over the seeds.
    pub fn estimate(&self, measure: &Measure) -> Estimate {
        estimate(&self.values(measure))
    }

    fn values(&self, measure: &Measure) -> Vec<f64> {
        self.runs.iter().map(|run| measure.value(run)).collect()
    }

    /// Counts the expectations with a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.judged.iter().filter(|judged| judged.verdict == verdict).count()
    }
}

/// Runs all seeds on this many threads. Results do not depend on the number.
///
/// # Errors
/// If a run fails: the error of the first such seed.
pub fn run_all(
    name: &str,
    about: &str,
    scenario: &CheckedScenario,
    stacks: &[&dyn Stack],
    threads: usize,
) -> Result<Report> {
    let runs = run_seeds(scenario, stacks, threads)?;
    let flows =
        scenario.flows.iter().map(|flow| [&flow.name, &flow.stack, &flow.controller].map(Clone::clone));
    let (name, about, flows) = (name.to_owned(), about.to_owned(), flows.collect());
    let mut report = Report { name, about, flows, runs, judged: Vec::new() };
    report.judged = scenario
        .expectations
        .iter()
        .map(|expectation| {
            let values = report.values(&expectation.measure);
            let estimate = estimate(&values);
            let (text, verdict) = (expectation.text.clone(), expectation.judge(&estimate));
            Judged { text, estimate, verdict, reason: reason(&values, &estimate) }
        })
        .collect();
    Ok(report)
}

/// Says why there is no interval.
fn reason(values: &[f64], estimate: &Estimate) -> Option<String> {
    let missing = values.iter().filter(|value| !value.is_finite()).count();
    let n = values.len();
    match estimate.interval {
        Some(_) => None,
        None if missing > 0 => {
            Some(format!("the value is missing in {missing} of {n} runs, such as a flow that did not finish"))
        }
        None if n < 2 => Some("the spread of one run is unknown; use more seeds".into()),
        None => Some(format!("all {n} runs give the same value, so the spread is unknown")),
    }
}

fn run_seeds(scenario: &CheckedScenario, stacks: &[&dyn Stack], threads: usize) -> Result<Vec<RunResult>> {
    let count = scenario.seeds as usize;
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(count)));
    let work = || loop {
        let n = next.fetch_add(1, Relaxed);
        if n >= count {
            return;
        }
        let result = run(scenario, stacks, n as u64 + 1);
        if result.is_err() {
            next.store(count, Relaxed);
        }
        results.lock().unwrap_or_else(PoisonError::into_inner).push((n, result));
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, count) {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(n, _)| *n);
    let runs: Result<Vec<RunResult>> = results.into_iter().map(|(_, result)| result).collect();
    let runs = runs?;
    if runs.len() < count { Err(Error::new("", "a run ended without a result")) } else { Ok(runs) }
}
