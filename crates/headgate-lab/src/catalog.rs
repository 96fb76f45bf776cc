//! The catalogue of algorithms, devices, records and columns, as JSON.

use headgate_algos::control::AnyController;
use headgate_algos::impairment::AnyImpairment;
use headgate_algos::media::AnyRateController;
use headgate_algos::queue::AnyQueue;
use headgate_algos::scheme::AnyRouter;
use headgate_model::control::{Controller, ControllerRegistry, Echo};
use headgate_model::feedback::Routers;
use headgate_model::impairment::Impairments;
use headgate_model::layout::{Field, RECORDS, Record};
use headgate_model::media::RateControllers;
use headgate_model::params::{Card, Marks, Param};
use headgate_model::queue::Queues;
use serde_json::{Value, json};

/// The names of algorithms in the NIST study (Mills, Filliben, Cho, Schwartz 2011): Headgate's name, the
/// study's acronym, and its number. FAST-AT was added later without a number.
const NIST: [(&str, &str, Option<u8>); 8] = [
    ("bic", "BIC", Some(1)),
    ("ctcp", "CTCP", Some(2)),
    ("fast", "FAST", Some(3)),
    ("hstcp", "HSTCP", Some(4)),
    ("htcp", "HTCP", Some(5)),
    ("scalable", "STCP", Some(6)),
    ("reno", "TCP", Some(7)),
    ("fast-at", "FAST-AT", None),
];

/// All algorithms of the registry, in its order.
pub fn catalog() -> String {
    AnyController::cards()
        .iter()
        .enumerate()
        .map(|(index, card)| sender(index, card))
        .collect::<Value>()
        .to_string()
}

/// All fluid models.
pub fn models() -> String {
    headgate_fluid::models::cards().iter().map(|card| device("fluid", card)).collect::<Value>().to_string()
}

/// The records that an algorithm receives, for algorithms in other languages.
pub fn layout() -> String {
    let field = |field: &Field| json!({"name": field.name, "kind": field.kind, "offset": field.offset});
    let record = |record: &Record| {
        let fields = record.fields.iter().map(field).collect::<Value>();
        json!({"name": record.name, "bytes": record.bytes, "fields": fields})
    };
    RECORDS.iter().map(record).collect::<Value>().to_string()
}

/// The definitions of the columns of each table.
pub fn columns() -> String {
    json!(crate::tables::meanings()).to_string()
}

/// All queue disciplines, routers, impairments, slow starts and rate controllers, each with its kind.
pub fn devices() -> String {
    let kinds = [
        ("queue", AnyQueue::cards()),
        ("feedback", AnyRouter::cards()),
        ("impairment", AnyImpairment::cards()),
        ("slow-start", AnyController::slow_starts()),
        ("media", AnyRateController::cards()),
    ];
    let all = kinds.iter().flat_map(|(kind, cards)| cards.iter().map(move |card| device(kind, card)));
    all.collect::<Value>().to_string()
}

/// The description of an algorithm, and its requirements on routers: their scheme, or their marks.
fn sender(index: usize, card: &Card) -> Value {
    let defaults: Vec<f64> = card.params.iter().map(|param| param.default).collect();
    let fresh = AnyController::build(index, &defaults);
    let mut said = controller(card);
    said["scheme"] = json!(fresh.scheme().map(|scheme| AnyRouter::cards()[scheme as usize].name));
    said["needs_marks"] = json!(fresh.echo() != Echo::None);
    said["ignores_marks"] =
        if fresh.answers_marks() { ignoring_choices(index, card.params, &defaults) } else { json!(true) };
    said
}

/// The choices of parameters with which an algorithm does not answer marks, by parameter.
fn ignoring_choices(index: usize, params: &[Param], defaults: &[f64]) -> Value {
    let ignores = |at: usize, choice: usize| {
        let mut values = defaults.to_vec();
        values[at] = choice as f64;
        !AnyController::build(index, &values).answers_marks()
    };
    let of_param = |(at, param): (usize, &Param)| {
        let words = param.choices.iter().enumerate().filter(|&(choice, _)| ignores(at, choice));
        let words = words.map(|(_, word)| json!(word)).collect::<Vec<_>>();
        (!words.is_empty()).then(|| (param.name.to_owned(), words.into()))
    };
    Value::Object(params.iter().enumerate().filter_map(of_param).collect())
}

fn device(kind: &str, card: &Card) -> Value {
    let mut said = controller(card);
    said["kind"] = json!(kind);
    said
}

fn controller(card: &Card) -> Value {
    json!({
        "name": card.name,
        "title": card.title,
        "aliases": card.aliases,
        "family": card.family,
        "rule": card.rule,
        "response": card.response,
        "references": card.references,
        "nist": nist(card.name),
        "params": card.params.iter().map(param).collect::<Value>(),
    })
}

fn nist(name: &str) -> Option<Value> {
    let found = NIST.iter().find(|(ours, ..)| *ours == name);
    found.map(|(_, acronym, number)| json!({"acronym": acronym, "number": number}))
}

fn param(param: &Param) -> Value {
    json!({
        "name": param.name,
        "default": default(param),
        "low": param.low,
        "high": param.high,
        "unit": param.unit,
        "source": param.source,
        "about": param.about,
        "choices": param.choices,
        "at_least": param.at_least,
        "marks": param.marks.map(|when| match when {
            Marks::IfOn => "if_on",
            Marks::Always => "always",
        }),
        "used_with": param.used_with.map(|other| json!({"name": other.name, "words": other.words})),
    })
}

/// The default of a parameter: a number, or the first word of a choice.
fn default(param: &Param) -> Value {
    param.choices.get(param.default as usize).map_or(json!(param.default), |word| json!(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn controllers() -> Vec<Value> {
        serde_json::from_str(&catalog()).expect("a list")
    }

    #[test]
    fn every_controller_of_the_registry_is_listed() {
        let names: Vec<_> = controllers().iter().map(|controller| controller["name"].clone()).collect();
        let registry: Vec<_> = AnyController::cards().iter().map(|card| json!(card.name)).collect();
        assert_eq!(names, registry);
    }

    #[test]
    fn the_study_calls_each_algorithm_by_an_acronym_and_a_number() {
        let of = |name: &str| {
            controllers()
                .into_iter()
                .find(|controller| controller["name"] == name)
                .map(|controller| controller["nist"].clone())
        };
        assert_eq!(of("scalable"), Some(json!({"acronym": "STCP", "number": 6})));
        assert_eq!(of("fast-at"), Some(json!({"acronym": "FAST-AT", "number": null})));
        assert_eq!(of("vegas"), Some(Value::Null));
    }

    #[test]
    fn a_choice_defaults_to_a_word_and_a_number_has_bounds() {
        for param in
            controllers().iter().flat_map(|controller| controller["params"].as_array().expect("params"))
        {
            let choices = param["choices"].as_array().expect("choices");
            if choices.is_empty() {
                let number = |key: &str| param[key].as_f64().expect("a finite number");
                assert!((number("low")..=number("high")).contains(&number("default")), "{param}");
            } else {
                assert!(choices.contains(&param["default"]), "{param}");
            }
        }
    }
}
