//! Validation: JSON in, a plan that the engine can trust out. Every invalid plan is rejected in one sentence
//! that names the place.

mod controller;
mod measure;
mod network;
mod path;
#[cfg(test)]
mod tests;
mod transport;

use headgate_model::check::{PlanError, Result};
use headgate_netsim::devices::{Arrays, ResolvedDevices};
use headgate_netsim::plan::Plan;
use headgate_netsim::traffic::validate as traffic;

/// A valid plan, and its choices in the form that the engine uses.
#[derive(Debug)]
pub struct ValidPlan {
    pub plan: Plan,
    pub choices: ResolvedDevices,
}

/// Reads and checks a plan and its arrays.
///
/// # Errors
/// If the JSON or the plan is invalid.
pub fn validate(plan_json: &str, lists: &Arrays) -> Result<ValidPlan> {
    let plan: Plan =
        serde_json::from_str(plan_json).map_err(|error| PlanError::new("plan", error.to_string()))?;
    network::check(&plan, lists)?;
    transport::check(&plan.transports)?;
    let choices = ResolvedDevices {
        controllers: controller::choose(&plan.controllers)?,
        ports: controller::resolve_devices(&plan.links)?,
        rate_controllers: controller::resolve_rate_controllers(&plan.traffic)?,
    };
    traffic::validate(&plan.traffic, plan.context(lists))?;
    measure::check(&plan)?;
    Ok(ValidPlan { plan, choices })
}
