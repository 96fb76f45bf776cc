//! Controllers, queue disciplines and impairments as users write them: a name, or a table with a name and
//! parameters.

use headgate_model::params::{Card, Param};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

use crate::error::{Error, Result, list};
use crate::units::{parse_rate, parse_size, parse_time, split};

/// A name, or `{ name = "codel", target = "5 ms" }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Device {
    /// A name, with the defaults of all parameters.
    Name(String),
    /// A name and parameters.
    Table {
        /// The name.
        name: String,
        /// Parameters by name: numbers, words, or quantities with their units.
        #[serde(flatten)]
        params: BTreeMap<String, toml::Value>,
    },
}

impl Device {
    /// Makes a device without parameters.
    pub fn new(name: impl Into<String>) -> Self {
        Self::Name(name.into())
    }

    /// Sets a parameter: a number, a word or a quantity with its unit.
    #[must_use]
    pub fn set(self, key: &str, value: impl Into<toml::Value>) -> Self {
        let (name, mut params) = match self {
            Self::Name(name) => (name, BTreeMap::new()),
            Self::Table { name, params } => (name, params),
        };
        params.insert(key.to_owned(), value.into());
        Self::Table { name, params }
    }

    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Self::Name(name) | Self::Table { name, .. } => name,
        }
    }

    /// Whether it has parameters.
    pub fn has_params(&self) -> bool {
        matches!(self, Self::Table { params, .. } if !params.is_empty())
    }

    /// Returns the device of the plan.
    ///
    /// # Errors
    /// If the name or a parameter is unknown, or a value is not allowed.
    pub(crate) fn plan(&self, kind: &str, cards: &[&'static Card]) -> Result<Value> {
        let card = cards
            .iter()
            .find(|card| card.name == self.name() || card.aliases.contains(&self.name()))
            .ok_or_else(|| {
                let names = list(cards.iter().map(|card| card.name));
                Error::new("", format!("'{}' is not {kind}; it must be {names}", self.name()))
            })?;
        let mut values = Map::new();
        if let Self::Table { params, .. } = self {
            for (key, value) in params {
                let (param, value) = read_param(card, key, value).map_err(|error| error.within(key))?;
                values.insert(param.to_owned(), value);
            }
        }
        Ok(json!({"name": card.name, "params": values}))
    }
}

impl From<&str> for Device {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

fn read_param(card: &Card, key: &str, value: &toml::Value) -> Result<(&'static str, Value)> {
    let found = card.params.iter().find(|param| param.name == key).or_else(|| by_short_name(card, key));
    let Some(param) = found else {
        let names = list(card.params.iter().map(|param| param.name));
        let allowed = if names.is_empty() { "it takes none".into() } else { format!("it takes {names}") };
        return Err(Error::new("", format!("'{key}' is not a parameter of '{}'; {allowed}", card.name)));
    };
    let value = match value {
        toml::Value::Integer(number) => number_of(param, *number as f64)?,
        toml::Value::Float(number) => number_of(param, *number)?,
        toml::Value::String(word) if !param.choices.is_empty() => word_of(param, word)?,
        toml::Value::String(text) => number_of(param, read_quantity(param, text)?)?,
        other => return Err(refuse(param, &other.to_string())),
    };
    Ok((param.name, value))
}

/// Finds `target_s` by "target".
fn by_short_name(card: &Card, key: &str) -> Option<&'static Param> {
    const ENDINGS: [&str; 6] = ["_s", "_bytes", "_packets", "_mbps", "_bytes_s", "_hz"];
    card.params.iter().find(|param| ENDINGS.iter().any(|ending| param.name.strip_suffix(ending) == Some(key)))
}

fn number_of(param: &Param, number: f64) -> Result<Value> {
    let is_good = param.choices.is_empty() && (param.low..=param.high).contains(&number);
    if is_good { Ok(json!(number)) } else { Err(refuse(param, &number.to_string())) }
}

fn word_of(param: &Param, word: &str) -> Result<Value> {
    if param.choices.contains(&word) { Ok(json!(word)) } else { Err(refuse(param, word)) }
}

fn refuse(param: &Param, value: &str) -> Error {
    let allowed = match param.choices {
        [] => format!("a number from {} to {} {}", param.low, param.high, param.shown_unit()),
        words => list(words.iter().copied()),
    };
    Error::new("", format!("'{value}' is not allowed; it must be {}", allowed.trim_end()))
}

/// Reads a quantity as a number in the unit of a parameter.
fn read_quantity(param: &Param, text: &str) -> Result<f64> {
    let picoseconds = |text| parse_time(text).map(|ps| ps as f64 / 1e12);
    match param.unit {
        "s" => picoseconds(text),
        "min" => picoseconds(text).map(|seconds| seconds / 60.0),
        "bytes" => parse_size(text).map(|bytes| bytes as f64),
        "bytes/s" => parse_rate(text).map(|rate| rate as f64 / 8.0),
        "Mbit/s" => parse_rate(text).map(|rate| rate as f64 / 1e6),
        "packets" | "segments" => match split(text) {
            Some((number, "packets" | "segments" | "packet" | "segment")) => Ok(number),
            _ => Err(refuse(param, text)),
        },
        _ => Err(refuse(param, text)),
    }
}
