//! The checks of Web users.

use headgate_model::check::{LONGEST_RUN_S, PlanPath, Result};

use super::plan::{FileKind, Patience, Surge, Web};
use crate::traffic::check::{Check, check_size};
use crate::traffic::mix::check_shares;
use crate::traffic::plan_context::PlanContext;

/// Allowed mean thinking times, seconds. Exponential times with the greatest mean still fit into 64 bits.
const THINKING_S: (f64, f64) = (1e-9, 100_000.0);

/// Tolerance for a sum of shares written with six decimals.
const ROUNDING: f64 = 1e-6;

/// Allowed floors, segments/s. The least one is a segment in about ten days.
const FLOORS_PER_S: (f64, f64) = (1e-6, 1e12);

/// Rejects Web users that cannot run.
pub fn check(web: &Web, check: &mut Check, at: &PlanPath) -> Result {
    check.controller_and_profile(web.controller, web.transport, at)?;
    at.number("think_s", web.think_s, THINKING_S, "s")?;
    at.number("at_once", web.at_once, (0.0, 1.0), "")?;
    check_size(web.size, at)?;
    kinds(&check.context, &web.kinds, at)?;
    check_shares(&web.controllers, &check.context, at)?;
    web.patience.as_ref().map_or(Ok(()), |patience| self::patience(patience, at))?;
    web.surge.as_ref().map_or(Ok(()), |surge| self::surge(&check.context, surge, at))?;
    check.paired_pools((&web.sources, &web.receivers), &web.receivers_of, at)
}

fn share(share: f64, key: &str, at: &PlanPath) -> Result {
    at.number(key, share, (0.0, 1.0), "")
}

fn kinds(context: &PlanContext, kinds: &[FileKind], at: &PlanPath) -> Result {
    for (i, kind) in kinds.iter().enumerate() {
        let at = PlanPath::new(at.key(&format!("kinds[{i}]")));
        at.index("file", kind.file, context.files.len(), "kind of file")?;
        share(kind.share, "share", &at)?;
        check_size(kind.size, &at)?;
    }
    let total: f64 = kinds.iter().map(|kind| kind.share).sum();
    at.ensure(total <= 1.0 + ROUNDING, "kinds", || {
        format!("the shares add up to {total}; they must add up to at most 1")
    })
}

fn patience(patience: &Patience, at: &PlanPath) -> Result {
    let at = PlanPath::new(at.key("patience"));
    share(patience.share, "share", &at)?;
    at.positive_span("check_ps", patience.check_ps, LONGEST_RUN_S)?;
    at.number("floor_per_s", patience.floor_per_s, FLOORS_PER_S, "segments/s")
}

fn surge(context: &PlanContext, surge: &Surge, at: &PlanPath) -> Result {
    let at = PlanPath::new(at.key("surge"));
    share(surge.share, "share", &at)?;
    at.span("from_ps", surge.from_ps, LONGEST_RUN_S)?;
    at.span("until_ps", surge.until_ps, LONGEST_RUN_S)?;
    at.ensure(surge.from_ps < surge.until_ps, "until_ps", || "a surge must end after it begins".to_owned())?;
    at.index("file", surge.file, context.files.len(), "kind of file")?;
    check_size(surge.size, &at)
}
