//! From JSON to a plan that the engine can trust: whatever comes in, a plan runs or is refused in one
//! sentence that names the place.

mod law;
mod measure;
mod network;
mod path;
#[cfg(test)]
mod tests;
mod transport;

use headgate_model::check::{Checked, Wrong};
use headgate_netsim::choices::{Choices, Lists};
use headgate_netsim::plan::Plan;
use headgate_netsim::traffic::validate as traffic;

/// A plan that was checked, and what it chose as the engine builds it.
#[derive(Debug)]
pub struct Ready {
    pub plan: Plan,
    pub choices: Choices,
}

/// Reads and checks a plan and the arrays beside it.
pub fn validate(plan_json: &str, lists: &Lists) -> Checked<Ready> {
    let plan: Plan =
        serde_json::from_str(plan_json).map_err(|error| Wrong::new("plan", error.to_string()))?;
    network::check(&plan, lists)?;
    transport::check(&plan.transports)?;
    let choices = Choices { laws: law::choose(&plan.laws)?, ports: law::fit(&plan.links)? };
    traffic::validate(&plan.traffic, plan.context(lists))?;
    measure::check(&plan)?;
    Ok(Ready { plan, choices })
}
