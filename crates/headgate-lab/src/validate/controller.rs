//! Resolves names and words of the plan to the numbers from which algorithms, queues and routers are created.

use headgate_algos::control::AnyController;
use headgate_algos::impairment::AnyImpairment;
use headgate_algos::media::AnyRateController;
use headgate_algos::queue::AnyQueue;
use headgate_algos::scheme::AnyRouter;
use headgate_model::check::{PlanError, PlanPath, Result};
use headgate_model::control::ControllerRegistry;
use headgate_model::feedback::Routers;
use headgate_model::impairment::Impairments;
use headgate_model::media::RateControllers;
use headgate_model::params::{Card, Param};
use headgate_model::plan::{ControllerChoice, DeviceChoice, Link, Value};
use headgate_model::queue::Queues;
use headgate_netsim::devices::{PortDevices, ResolvedController, ResolvedDevice};
use headgate_netsim::traffic::Traffic;
use std::collections::BTreeMap;

/// Largest number of impairments in a chain; each can double the copies of a packet.
const MOST_IMPAIRMENTS: u64 = 16;

/// Families of algorithms that grow exponentially below `ssthresh`, so that the slow start is replaceable.
const SLOW_STARTING: [&str; 2] = ["loss", "hybrid"];

pub fn choose(controllers: &[ControllerChoice]) -> Result<Vec<ResolvedController>> {
    // User-defined algorithms follow the cards, in the order of the plan.
    let mut own = AnyController::cards().len()..;
    let choose = |(i, controller): (usize, &ControllerChoice)| {
        let at = PlanPath::item("laws", i);
        let cca = match controller.own {
            Some(_) => ResolvedDevice { index: own.next().expect("endless"), values: Vec::new() },
            None => choice(controller, &at)?,
        };
        let slow_start = choose_slow_start(controller, &cca, &at)?;
        Ok(ResolvedController { cca, slow_start })
    };
    controllers.iter().enumerate().map(choose).collect()
}

/// Resolves the slow start of an algorithm, if the plan replaces it.
fn choose_slow_start(
    controller: &ControllerChoice,
    cca: &ResolvedDevice,
    at: &PlanPath,
) -> Result<Option<ResolvedDevice>> {
    let Some(start) = &controller.slow_start else { return Ok(None) };
    let card = AnyController::cards().get(cca.index);
    if let Some(card) = card.filter(|card| !SLOW_STARTING.contains(&card.family)) {
        let says = format!("the slow start of '{}' is part of the algorithm; it cannot be chosen", card.name);
        return Err(PlanError::new(at.key("slow_start"), says));
    }
    let at = PlanPath::new(at.key("slow_start"));
    DeviceRequest { kind: "a slow start", name: &start.name, params: &start.params }
        .choose(AnyController::slow_starts(), &at)
        .map(Some)
}

/// Resolves the devices at the port of each link.
pub fn resolve_devices(links: &[Link]) -> Result<Vec<PortDevices>> {
    let mut own = Vec::new();
    links.iter().enumerate().map(|(i, link)| fitted(link, &mut own, &PlanPath::item("links", i))).collect()
}

/// Resolves the rate controllers of media, for each kind of traffic.
pub fn resolve_rate_controllers(traffic: &[Traffic]) -> Result<Vec<Option<ResolvedDevice>>> {
    let resolve = |(i, item): (usize, &Traffic)| {
        let at = PlanPath::new(PlanPath::item("traffic", i).key("rate_controller"));
        let of = |choice: &DeviceChoice| {
            DeviceRequest { kind: "a rate controller", name: &choice.name, params: &choice.params }
                .choose(AnyRateController::cards(), &at)
        };
        item.rate_controller().map(of).transpose()
    };
    traffic.iter().enumerate().map(resolve).collect()
}

/// Resolves the devices of one link; `own` are the user-defined disciplines so far.
fn fitted<'a>(link: &'a Link, own: &mut Vec<&'a DeviceChoice>, at: &PlanPath) -> Result<PortDevices> {
    let listed = |choice: &DeviceChoice, kind, cards: &[&Card], key| {
        DeviceRequest { kind, name: &choice.name, params: &choice.params }
            .choose(cards, &PlanPath::new(at.key(key)))
    };
    let queue = link.queue.as_ref().map(|choice| match choice.own {
        Some(_) => Ok(own_queue(choice, own)),
        None => listed(choice, "a queue discipline", AnyQueue::cards(), "queue"),
    });
    let feedback = link
        .feedback
        .as_ref()
        .map(|choice| listed(choice, "a router's scheme", AnyRouter::cards(), "feedback"));
    let row = |choices: &[DeviceChoice], key| -> Result<Vec<ResolvedDevice>> {
        at.count(key, choices.len() as u64, (0, MOST_IMPAIRMENTS), "impairments")?;
        choices.iter().map(|choice| listed(choice, "an impairment", AnyImpairment::cards(), key)).collect()
    };
    Ok(PortDevices {
        queue: queue.transpose()?,
        feedback: feedback.transpose()?,
        ingress: before_queue(row(&link.ingress, "ingress")?, at)?,
        impairments: row(&link.impairments, "impairments")?,
    })
}

/// Checks the chain before the queue: it may neither delay nor copy packets.
fn before_queue(row: Vec<ResolvedDevice>, at: &PlanPath) -> Result<Vec<ResolvedDevice>> {
    let name = |index: usize| AnyImpairment::cards()[index].name;
    if let Some(choice) = row.iter().find(|choice| !AnyImpairment::acts_at_once(choice.index)) {
        let able = (0..AnyImpairment::cards().len()).filter(|&index| AnyImpairment::acts_at_once(index));
        return Err(PlanError::new(
            at.key("ingress"),
            format!(
                "'{}' cannot act before the queue; only {} can; write it under impairments",
                name(choice.index),
                listed(able.map(name))
            ),
        ));
    }
    Ok(row)
}

/// User-defined disciplines follow the cards. Links with equal choices share one. Its values come with its
/// code.
fn own_queue<'a>(choice: &'a DeviceChoice, own: &mut Vec<&'a DeviceChoice>) -> ResolvedDevice {
    let place = own.iter().position(|known| *known == choice).unwrap_or_else(|| {
        own.push(choice);
        own.len() - 1
    });
    ResolvedDevice { index: AnyQueue::cards().len() + place, values: Vec::new() }
}

fn choice(controller: &ControllerChoice, at: &PlanPath) -> Result<ResolvedDevice> {
    DeviceRequest {
        kind: "a congestion control algorithm",
        name: &controller.name,
        params: &controller.params,
    }
    .choose(AnyController::cards(), at)
}

/// A name, and the parameters that differ from the defaults.
struct DeviceRequest<'a> {
    kind: &'a str,
    name: &'a str,
    params: &'a BTreeMap<String, Value>,
}

impl DeviceRequest<'_> {
    fn choose(&self, cards: &[&Card], at: &PlanPath) -> Result<ResolvedDevice> {
        let known = |card: &&Card| card.name == self.name || card.aliases.contains(&self.name);
        let index = cards.iter().position(known).ok_or_else(|| self.unknown(cards, at))?;
        let params = cards[index].params;
        if let Some(name) = self.params.keys().find(|name| params.iter().all(|p| p.name != **name)) {
            return Err(unknown_param(name, cards[index], at));
        }
        let values = params.iter().map(|param| self.value(param, at)).collect::<Result<Vec<f64>>>()?;
        check_together(params, &values, at)?;
        Ok(ResolvedDevice { index, values })
    }

    fn unknown(&self, cards: &[&Card], at: &PlanPath) -> PlanError {
        let known = listed(cards.iter().map(|card| card.name));
        PlanError::new(at.key("name"), format!("'{}' is not {}; known: {known}", self.name, self.kind))
    }

    fn value(&self, param: &Param, at: &PlanPath) -> Result<f64> {
        let key = || format!("params.{}", param.name);
        match self.params.get(param.name) {
            None if param.is_required() => {
                let says = format!("'{}' needs {}", self.name, allowed(param));
                Err(PlanError::new(at.key(&key()), says))
            }
            None => Ok(param.default),
            Some(Value::Number(x)) if param.choices.is_empty() => {
                at.number(&key(), *x, (param.low, param.high), param.shown_unit()).map(|()| *x)
            }
            Some(Value::Word(word)) if !param.choices.is_empty() => {
                let found = param.choices.iter().position(|choice| choice == word);
                found.map(|i| i as f64).ok_or_else(|| mismatch(param, &format!("'{word}'"), at))
            }
            Some(Value::Word(word)) => Err(mismatch(param, &format!("'{word}'"), at)),
            Some(Value::Number(x)) => Err(mismatch(param, &x.to_string(), at)),
            Some(Value::Truth(x)) => Err(mismatch(param, &x.to_string(), at)),
        }
    }
}

/// Rejects a parameter that is below another one, unless either is automatic.
fn check_together(params: &[Param], values: &[f64], at: &PlanPath) -> Result {
    let given = || params.iter().zip(values).filter(|(param, value)| !param.is_automatic(**value));
    for (param, value) in given() {
        for (other, least) in given().filter(|(other, _)| param.at_least.contains(&other.name)) {
            let says =
                || format!("{value} is below '{}', which is {least}; it must be at least that", other.name);
            at.ensure(value >= least, &format!("params.{}", param.name), says)?;
        }
    }
    Ok(())
}

fn unknown_param(name: &str, card: &Card, at: &PlanPath) -> PlanError {
    let known = listed(card.params.iter().map(|param| param.name));
    let says = format!("'{}' has no parameter '{name}'; its parameters: {known}", card.name);
    PlanError::new(at.key("params"), says)
}

fn mismatch(param: &Param, given: &str, at: &PlanPath) -> PlanError {
    let says = format!("{given} is not allowed; it must be {}", allowed(param));
    PlanError::new(at.key(&format!("params.{}", param.name)), says)
}

fn allowed(param: &Param) -> String {
    match param.choices {
        [] => format!("a number from {} to {} {}", param.low, param.high, param.shown_unit())
            .trim_end()
            .to_owned(),
        words => format!("one of {}", listed(words.iter().copied())),
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
