//! What Web users fetch, under which law, and when they give up.

use headgate_model::plan::{Kind, LawShare, Patience, Plan, Surge, Web};
use std::collections::BTreeSet;

use super::range::{LONGEST_RUN_S, Spot, different};
use super::traffic::sizes;
use crate::error::Checked;

/// Kinds of file are counted apart, for each law and class: more would be a table of noughts.
const MOST_FILES: usize = 32;

/// Shares that are written with six decimals add up to 1 within this.
const ROUNDING: f64 = 1e-6;

/// Segments a second; the least is one in ten days or so.
const FLOORS_PER_S: (f64, f64) = (1e-6, 1e12);

pub fn files(plan: &Plan) -> Checked {
    Spot::top().ensure(plan.files.len() <= MOST_FILES, "files", || {
        format!("{} kinds of file are too many; at most {MOST_FILES}", plan.files.len())
    })?;
    different("files", plan.files.iter().cloned())
}

pub fn check(plan: &Plan, web: &Web, at: &Spot) -> Checked {
    kinds(plan, &web.kinds, at)?;
    laws(plan, &web.laws, at)?;
    web.patience.as_ref().map_or(Ok(()), |patience| self::patience(patience, at))?;
    web.surge.as_ref().map_or(Ok(()), |surge| self::surge(plan, surge, at))
}

fn share(share: f64, key: &str, at: &Spot) -> Checked {
    at.number(key, share, (0.0, 1.0), "")
}

fn kinds(plan: &Plan, kinds: &[Kind], at: &Spot) -> Checked {
    for (i, kind) in kinds.iter().enumerate() {
        let at = Spot::new(at.key(&format!("kinds[{i}]")));
        at.index("file", kind.file, plan.files.len(), "kind of file")?;
        share(kind.share, "share", &at)?;
        sizes(kind.size, &at)?;
    }
    let total: f64 = kinds.iter().map(|kind| kind.share).sum();
    at.ensure(total <= 1.0 + ROUNDING, "kinds", || format!("the shares add up to {total}; at most 1"))
}

fn laws(plan: &Plan, laws: &[LawShare], at: &Spot) -> Checked {
    for (i, part) in laws.iter().enumerate() {
        let at = Spot::new(at.key(&format!("laws[{i}]")));
        at.index("law", part.law, plan.laws.len(), "law")?;
        share(part.share, "share", &at)?;
    }
    let classes: BTreeSet<&str> = laws.iter().map(|part| part.class.as_str()).collect();
    for class in classes {
        let total: f64 = laws.iter().filter(|part| part.class == class).map(|part| part.share).sum();
        at.ensure((total - 1.0).abs() <= ROUNDING, "laws", || {
            let of = if class.is_empty() { String::new() } else { format!(" of class {class}") };
            format!("the shares{of} add up to {total}; they add up to 1")
        })?;
    }
    Ok(())
}

fn patience(patience: &Patience, at: &Spot) -> Checked {
    let at = Spot::new(at.key("patience"));
    share(patience.share, "share", &at)?;
    at.positive_span("check_ps", patience.check_ps, LONGEST_RUN_S)?;
    at.number("floor_per_s", patience.floor_per_s, FLOORS_PER_S, "segments/s")
}

fn surge(plan: &Plan, surge: &Surge, at: &Spot) -> Checked {
    let at = Spot::new(at.key("surge"));
    share(surge.share, "share", &at)?;
    at.span("from_ps", surge.from_ps, LONGEST_RUN_S)?;
    at.span("until_ps", surge.until_ps, LONGEST_RUN_S)?;
    at.ensure(surge.from_ps < surge.until_ps, "until_ps", || "a surge ends after it begins".to_owned())?;
    at.index("file", surge.file, plan.files.len(), "kind of file")?;
    sizes(surge.size, &at)
}
