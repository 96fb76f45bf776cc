//! What the laws say of themselves, as JSON.

use headgate_algos::control::AnyLaw;
use headgate_model::control::Registry;
use headgate_model::params::{Card, Param};
use serde_json::{Value, json};

/// All laws of the registry, in its order.
pub fn catalog() -> String {
    AnyLaw::cards().iter().map(|card| law(card)).collect::<Value>().to_string()
}

fn law(card: &Card) -> Value {
    json!({
        "name": card.name,
        "title": card.title,
        "aliases": card.aliases,
        "family": card.family,
        "law": card.law,
        "response": card.response,
        "references": card.references,
        "params": card.params.iter().map(param).collect::<Value>(),
    })
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
    })
}

/// A number, or the word that a choice begins with.
fn default(param: &Param) -> Value {
    param.choices.get(param.default as usize).map_or(json!(param.default), |word| json!(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laws() -> Vec<Value> {
        serde_json::from_str(&catalog()).expect("a list")
    }

    #[test]
    fn every_law_of_the_registry_is_listed() {
        let names: Vec<_> = laws().iter().map(|law| law["name"].clone()).collect();
        let registry: Vec<_> = AnyLaw::cards().iter().map(|card| json!(card.name)).collect();
        assert_eq!(names, registry);
    }

    #[test]
    fn a_choice_defaults_to_a_word_and_a_number_has_bounds() {
        for param in laws().iter().flat_map(|law| law["params"].as_array().expect("params")) {
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
