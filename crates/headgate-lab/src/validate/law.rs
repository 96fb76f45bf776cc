//! From the names and words of the plan to the numbers that a law is built from.

use headgate_algos::control::AnyLaw;
use headgate_model::control::Registry;
use headgate_model::params::{Card, Param};
use headgate_model::plan::{LawChoice, Value};
use headgate_netsim::setup::Choice;

use super::range::Spot;
use crate::error::{Checked, Wrong};

pub fn choose(laws: &[LawChoice]) -> Checked<Vec<Choice>> {
    // Users' own laws are those beyond the cards, in the order of the plan.
    let mut own = AnyLaw::cards().len()..;
    let choose = |(i, law): (usize, &LawChoice)| match law.own {
        Some(_) => Ok(Choice { index: own.next().expect("endless"), values: Vec::new() }),
        None => choice(law, &Spot::item("laws", i)),
    };
    laws.iter().enumerate().map(choose).collect()
}

fn choice(law: &LawChoice, at: &Spot) -> Checked<Choice> {
    let cards = AnyLaw::cards();
    let known = |card: &&Card| card.name == law.name || card.aliases.contains(&law.name.as_str());
    let index = cards.iter().position(known).ok_or_else(|| unknown_law(law, cards, at))?;
    let params = cards[index].params;
    if let Some(name) = law.params.keys().find(|name| params.iter().all(|p| p.name != **name)) {
        return Err(unknown_param(name, cards[index], at));
    }
    let values: Checked<Vec<f64>> = params.iter().map(|param| value(param, law, at)).collect();
    Ok(Choice { index, values: values? })
}

fn unknown_law(law: &LawChoice, cards: &[&Card], at: &Spot) -> Wrong {
    let known = listed(cards.iter().map(|card| card.name));
    Wrong::new(at.key("name"), format!("'{}' is not a law; known: {known}", law.name))
}

fn unknown_param(name: &str, card: &Card, at: &Spot) -> Wrong {
    let known = listed(card.params.iter().map(|param| param.name));
    let says = format!("'{}' has no parameter '{name}'; its parameters: {known}", card.name);
    Wrong::new(at.key("params"), says)
}

fn value(param: &Param, law: &LawChoice, at: &Spot) -> Checked<f64> {
    let key = || format!("params.{}", param.name);
    match law.params.get(param.name) {
        None => Ok(param.default),
        Some(Value::Number(x)) if param.choices.is_empty() => {
            at.number(&key(), *x, (param.low, param.high), param.unit).map(|()| *x)
        }
        Some(Value::Word(word)) if !param.choices.is_empty() => {
            let found = param.choices.iter().position(|choice| choice == word);
            found.map(|i| i as f64).ok_or_else(|| mismatch(param, &format!("'{word}'"), at))
        }
        Some(Value::Word(word)) => Err(mismatch(param, &format!("'{word}'"), at)),
        Some(Value::Number(x)) => Err(mismatch(param, &x.to_string(), at)),
    }
}

fn mismatch(param: &Param, given: &str, at: &Spot) -> Wrong {
    let allowed = match param.choices {
        [] => format!("a number from {} to {} {}", param.low, param.high, param.unit),
        words => format!("one of {}", listed(words.iter().copied())),
    };
    let says = format!("{given} is not allowed; it is {}", allowed.trim_end());
    Wrong::new(at.key(&format!("params.{}", param.name)), says)
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
