//! Validation of the measurements.

use headgate_model::check::{LONGEST_RUN_S, PlanPath, Result};
use headgate_model::plan::Series;
use headgate_model::units::seconds;
use headgate_netsim::plan::Plan;
use std::collections::BTreeSet;

/// Largest number of samples. Each visits every flow, so that more would take longer than the run itself.
const MOST_SAMPLES: u64 = 100_000_000;

/// Largest number of rows of all series together; they take some gigabytes.
const MOST_ROWS: u64 = 100_000_000;

pub fn check(plan: &Plan) -> Result {
    PlanPath::top().positive_span("duration_ps", plan.duration_ps, LONGEST_RUN_S)?;
    let (at, measure) = (PlanPath::new("measure"), &plan.measure);
    at.ensure(measure.warmup_ps <= plan.duration_ps, "warmup_ps", || {
        after_the_end("the warm-up", measure.warmup_ps, plan)
    })?;
    periods(plan)?;
    samples(&measure.periods, measure.interval_ps, &at)?;
    measure.series.as_ref().map_or(Ok(()), |chosen| series(chosen, plan))
}

fn after_the_end(what: &str, ps: u64, plan: &Plan) -> String {
    let (then, end) = (seconds(ps), seconds(plan.duration_ps));
    format!("{what} ends at {then} s; it must end within the run, at {end} s")
}

fn periods(plan: &Plan) -> Result {
    let mut before = 0;
    for (i, &[start, end]) in plan.measure.periods.iter().enumerate() {
        let at = PlanPath::item("measure.periods", i);
        at.holds(start < end, || "a period must end after it starts".to_owned())?;
        at.holds(start >= before, || "periods must be in order and must not overlap".to_owned())?;
        at.holds(end <= plan.duration_ps, || after_the_end("the period", end, plan))?;
        before = end;
    }
    Ok(())
}

/// Checks the samples. Without periods nothing is sampled, and no interval is needed.
fn samples(periods: &[[u64; 2]], interval_ps: u64, at: &PlanPath) -> Result {
    if periods.is_empty() {
        return Ok(());
    }
    at.positive_span("interval_ps", interval_ps, LONGEST_RUN_S)?;
    let samples: u64 = periods.iter().map(|[start, end]| (end - start) / interval_ps).sum();
    at.ensure(samples <= MOST_SAMPLES, "interval_ps", || {
        let interval = seconds(interval_ps);
        format!("{interval} s gives {samples} samples of the network; there may be at most {MOST_SAMPLES}")
    })
}

fn series(series: &Series, plan: &Plan) -> Result {
    let at = PlanPath::new("measure.series");
    at.positive_span("interval_ps", series.interval_ps, LONGEST_RUN_S)?;
    for &link in &series.links {
        at.index("links", link, plan.links.len(), "link")?;
    }
    flows(&series.flows, plan, &at)?;
    let each = (series.flows.len() + series.links.len()) as u64 + 1;
    let rows = (plan.duration_ps / series.interval_ps).saturating_mul(each);
    at.ensure(rows <= MOST_ROWS, "interval_ps", || {
        let interval = seconds(series.interval_ps);
        format!("{interval} s gives {rows} rows of series; there may be at most {MOST_ROWS}")
    })
}

/// Checks the flows with series, which must be single flows.
fn flows(chosen: &[u32], plan: &Plan, at: &PlanPath) -> Result {
    let mut single = Vec::new();
    let mut first = 0;
    for traffic in &plan.traffic {
        if traffic.is_single_flows() {
            single.push(first..first + traffic.names());
        }
        first += traffic.names();
    }
    let mut seen = BTreeSet::new();
    chosen.iter().try_for_each(|number| {
        let known = single.iter().any(|numbers| numbers.contains(number));
        at.ensure(known, "flows", || format!("{number} is not the number of a single flow"))?;
        at.ensure(seen.insert(number), "flows", || format!("flow {number} is chosen twice"))
    })
}
