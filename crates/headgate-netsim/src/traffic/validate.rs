//! The check of all traffic of a plan.

use headgate_model::check::{PlanPath, Result, different};
use std::collections::BTreeMap;

use super::check::{Check, MOST_NAMES};
use super::kinds::Traffic;
use super::plan_context::PlanContext;

/// Most kinds of file. Flows are counted separately for each kind, algorithm and class, and more kinds
/// would give a table of zeros.
const MOST_FILES: usize = 32;

/// Rejects traffic that cannot run.
pub fn validate(traffic: &[Traffic], context: PlanContext) -> Result {
    names(traffic)?;
    files(context.files)?;
    let mut check = Check::new(context);
    traffic.iter().enumerate().try_for_each(|(i, item)| item.check(&mut check, &PlanPath::item("traffic", i)))
}

/// Checks the names. Random streams are keyed by names, so two groups of traffic with the same name would
/// use the same random numbers.
fn names(traffic: &[Traffic]) -> Result {
    let all: u64 = traffic.iter().map(|item| u64::from(item.names())).sum();
    PlanPath::top().count("traffic", all, (0, MOST_NAMES), "single flows and other traffic")?;
    different("traffic", traffic.iter().map(|item| item.name().to_owned()))?;
    let counts: BTreeMap<&str, u32> = traffic.iter().map(|item| (item.name(), item.names())).collect();
    for (i, item) in traffic.iter().enumerate().filter(|(_, item)| item.names() == 1) {
        let (of, number) = item.name().rsplit_once('.').unwrap_or_default();
        let taken =
            number.parse().is_ok_and(|n: u32| n.to_string() == number && n < flows_of_name(&counts, of));
        let says = || format!("'{}' is the name of one of the flows '{of}'; names must differ", item.name());
        PlanPath::item("traffic", i).ensure(!taken, "name", says)?;
    }
    Ok(())
}

/// Returns the number of flows that share a name and are distinguished by number, or 0.
fn flows_of_name(counts: &BTreeMap<&str, u32>, name: &str) -> u32 {
    counts.get(name).copied().filter(|&count| count > 1).unwrap_or(0)
}

fn files(files: &[String]) -> Result {
    PlanPath::top().ensure(files.len() <= MOST_FILES, "files", || {
        format!("{} kinds of file are too many; there may be at most {MOST_FILES}", files.len())
    })?;
    different("files", files.iter().cloned())
}
