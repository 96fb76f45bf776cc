//! Validation of a link's traces, and of its changes of delay, rate and loss.

use headgate_model::check::{LONGEST_DELAY_S, LONGEST_RUN_S, PlanPath, Result};
use headgate_model::plan::{Buffer, Link, Outage, Trace};
use headgate_model::units::SECOND;
use headgate_netsim::devices::Arrays;

/// Largest number of outages of a link.
const MOST_OUTAGES: u64 = 1_000_000;

pub fn check(link: &Link, lists: &Arrays, at: &PlanPath) -> Result {
    delays(link, at)?;
    losses(link, at)?;
    outages(&link.outages, at)?;
    link.trace.as_ref().map_or(Ok(()), |trace| traced(link, trace, lists, at))
}

fn delays(link: &Link, at: &PlanPath) -> Result {
    let rising = link.delays.windows(2).all(|pair| pair[0].at_ps < pair[1].at_ps);
    at.ensure(rising, "delays", || "the times of the delays must rise".to_string())?;
    link.delays.iter().try_for_each(|change| at.span("delays", change.delay_ps, LONGEST_DELAY_S))
}

fn losses(link: &Link, at: &PlanPath) -> Result {
    let rising = link.losses.windows(2).all(|pair| pair[0].at_ps < pair[1].at_ps);
    at.ensure(rising, "losses", || "the times of the losses must rise".to_string())?;
    link.losses.iter().try_for_each(|change| loss("losses", change.loss, at))
}

fn outages(outages: &[Outage], at: &PlanPath) -> Result {
    at.count("outages", outages.len() as u64, (0, MOST_OUTAGES), "outages")?;
    for outage in outages {
        at.span("outages", outage.until_ps, LONGEST_RUN_S)?;
        at.ensure(outage.at_ps < outage.until_ps, "outages", || {
            format!(
                "an outage from {} to {} ps is not allowed; it must end after it begins",
                outage.at_ps, outage.until_ps
            )
        })?;
    }
    let apart = outages.windows(2).all(|pair| pair[0].until_ps <= pair[1].at_ps);
    at.ensure(apart, "outages", || "an outage must begin after the end of the one before".to_string())
}

fn traced(link: &Link, trace: &Trace, lists: &Arrays, at: &PlanPath) -> Result {
    let times = lists.get(&trace.list).map_or(&[][..], Vec::as_slice);
    at.ensure(!times.is_empty(), "trace", || format!("the list '{}' is missing or empty", trace.list))?;
    let rising = times[0] > 0 && times.is_sorted();
    at.ensure(rising, "trace", || "its times must rise, and the first must be after 0".to_string())?;
    let last = times[times.len() - 1];
    let latest = last.max(trace.period_ps.unwrap_or(0));
    at.ensure(latest <= LONGEST_RUN_S * SECOND, "trace", || {
        format!("a time of {} s is not allowed; a trace must end by {LONGEST_RUN_S} s", latest / SECOND)
    })?;
    let ends = trace.period_ps.is_none_or(|period| last <= period);
    at.ensure(ends, "trace", || "its times must lie within its period".to_string())?;
    let clash = !link.changes.is_empty() || matches!(link.buffer, Buffer::Bytes(_));
    at.ensure(!clash, "trace", || {
        "a link with a trace must have a buffer in packets, and no changes of its rate".to_string()
    })
}

/// Checks a loss probability.
pub fn loss(key: &str, loss: f64, at: &PlanPath) -> Result {
    at.ensure((0.0..=1.0).contains(&loss), key, || {
        format!("{loss} is not allowed; a loss probability must be from 0 to 1")
    })
}
