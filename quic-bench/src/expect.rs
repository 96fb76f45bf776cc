//! Expectations, and their verdicts by intervals.
//!
//! ```text
//! goodput of a >= 0.9 of rate
//! goodput of a / goodput of b between 0.5 and 2
//! completion of a <= 5 s
//! share of a between 0.4 and 0.6
//! retransmissions of a <= 2 %
//! queue mean <= 20 ms
//! fairness >= 0.9
//! ```

use crate::error::{Error, Result, list};
use crate::estimate::Estimate;
use crate::path::CheckedPath;
use crate::run::RunResult;
use crate::units::{parse_rate, parse_time};

/// A quantity that is measured in each run.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// Mean goodput of the flows of a group, bit/s.
    Goodput(usize),
    /// Mean completion time of the flows of a group, seconds.
    Completion(usize),
    /// Share of a group in the bytes of all flows.
    Share(usize),
    /// Share of the packets of a group that were declared lost.
    Retransmissions(usize),
    /// Mean wait in the queue of the bottleneck, seconds.
    QueueMean,
    /// 99th percentile of the sampled queue, seconds.
    QueueP99,
    /// Jain's index of the goodputs of all flows.
    Fairness,
    /// The first divided by the second, in each run.
    Ratio(Box<[Measure; 2]>),
}

/// The dimension of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Rate,
    Time,
    Share,
    Ratio,
}

impl Measure {
    fn unit(&self) -> Unit {
        match self {
            Self::Goodput(_) => Unit::Rate,
            Self::Completion(_) | Self::QueueMean | Self::QueueP99 => Unit::Time,
            Self::Share(_) | Self::Retransmissions(_) => Unit::Share,
            Self::Fairness | Self::Ratio(_) => Unit::Ratio,
        }
    }

    /// Returns its value in a run; NaN if the run does not have it.
    pub fn value(&self, run: &RunResult) -> f64 {
        match self {
            Self::Goodput(group) => run.groups[*group].goodput_bps,
            Self::Completion(group) => run.groups[*group].completion_s,
            Self::Share(group) => run.groups[*group].share,
            Self::Retransmissions(group) => run.groups[*group].retransmissions,
            Self::QueueMean => run.queue_mean_s,
            Self::QueueP99 => run.queue_p99_s,
            Self::Fairness => run.fairness,
            Self::Ratio(pair) => pair[0].value(run) / pair[1].value(run),
        }
    }
}

/// A sentence that an interval can support or contradict: `low <= measure <= high`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// As the user wrote it.
    pub text: String,
    /// The measured quantity.
    pub measure: Measure,
    /// The least expected value.
    pub low: f64,
    /// The greatest expected value.
    pub high: f64,
}

/// The verdict on an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The whole interval is within the bounds.
    Holds,
    /// The whole interval is outside.
    Differs,
    /// The interval contains a bound, or the spread is unknown.
    Undecided,
}

impl Verdict {
    /// The word in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Differs => "differs",
            Self::Undecided => "undecided",
        }
    }
}

impl Expectation {
    /// Parses a sentence about flows with these names over a path.
    ///
    /// # Errors
    /// If the sentence is not understood; the message says what is.
    pub fn parse(text: &str, names: &[&str], path: &CheckedPath) -> Result<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut parser = Parser { words: &words, names, path };
        parser.sentence(text).map_err(|message| Error::new("", format!("\"{text}\": {message}")))
    }

    /// Judges an estimate.
    pub fn judge(&self, estimate: &Estimate) -> Verdict {
        match estimate.interval {
            Some([low, high]) if low >= self.low && high <= self.high => Verdict::Holds,
            Some([low, high]) if high < self.low || low > self.high => Verdict::Differs,
            _ => Verdict::Undecided,
        }
    }
}

type Parsed<T> = std::result::Result<T, String>;

struct Parser<'a> {
    words: &'a [&'a str],
    names: &'a [&'a str],
    path: &'a CheckedPath,
}

const MEASURES: [&str; 7] = [
    "goodput of FLOW",
    "completion of FLOW",
    "share of FLOW",
    "retransmissions of FLOW",
    "queue mean",
    "queue p99",
    "fairness",
];

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn sentence(&mut self, text: &str) -> Parsed<Expectation> {
        let mut measure = self.measure()?;
        if self.words.first() == Some(&"/") {
            self.next();
            let below = self.measure()?;
            if below.unit() != measure.unit() {
                return Err("a ratio is of two measures of the same kind".into());
            }
            measure = Measure::Ratio(Box::new([measure, below]));
        }
        let unit = measure.unit();
        let (low, high) = match self.next() {
            Some(">=") => (self.bound(unit)?, f64::INFINITY),
            Some("<=") => (f64::NEG_INFINITY, self.bound(unit)?),
            Some("between") => {
                let low = self.bound(unit)?;
                if self.next() != Some("and") {
                    return Err("write 'between LOW and HIGH'".into());
                }
                (low, self.bound(unit)?)
            }
            other => {
                return Err(format!(
                    "'{}' is not allowed; write '>=', '<=' or 'between'",
                    other.unwrap_or("")
                ));
            }
        };
        if let Some(word) = self.next() {
            return Err(format!("'{word}' is too much; the sentence ends before it"));
        }
        if low > high {
            return Err("the lower bound is above the upper one".into());
        }
        Ok(Expectation { text: text.to_owned(), measure, low, high })
    }

    fn measure(&mut self) -> Parsed<Measure> {
        let word = self.next().unwrap_or("");
        Ok(match word {
            "goodput" => Measure::Goodput(self.of_flow()?),
            "completion" => Measure::Completion(self.of_flow()?),
            "share" => Measure::Share(self.of_flow()?),
            "retransmissions" => Measure::Retransmissions(self.of_flow()?),
            "fairness" => Measure::Fairness,
            "queue" => match self.next() {
                Some("mean") => Measure::QueueMean,
                Some("p99") => Measure::QueueP99,
                other => {
                    return Err(format!(
                        "'queue {}' is not allowed; write 'queue mean' or 'queue p99'",
                        other.unwrap_or("")
                    ));
                }
            },
            _ => return Err(format!("'{word}' is not a measure; write {}", list(MEASURES))),
        })
    }

    fn of_flow(&mut self) -> Parsed<usize> {
        if self.next() != Some("of") {
            return Err("write 'of' and the name of a flow after the measure".into());
        }
        let name = self.next().unwrap_or("");
        let found = self.names.iter().position(|known| *known == name);
        found
            .ok_or_else(|| format!("'{name}' is not a flow; it must be {}", list(self.names.iter().copied())))
    }

    /// Reads a bound: a number with its unit, or a multiple of the path's rate or RTT.
    fn bound(&mut self, unit: Unit) -> Parsed<f64> {
        let mut text = self.next().unwrap_or("").to_owned();
        if let (Some(&"of"), Some(&base)) = (self.words.first(), self.words.get(1)) {
            self.words = &self.words[2..];
            return self.multiple(&text, base, unit);
        }
        if let Some(&word) = self.words.first().filter(|word| !["and", "of"].contains(word)) {
            self.words = &self.words[1..];
            text = format!("{text} {word}");
        }
        match unit {
            Unit::Rate => parse_rate(&text).map(|rate| rate as f64).map_err(|error| error.message),
            Unit::Time => parse_time(&text).map(|ps| ps as f64 / 1e12).map_err(|error| error.message),
            Unit::Share => parse_share(&text),
            Unit::Ratio => number(&text),
        }
    }

    fn multiple(&self, factor: &str, base: &str, unit: Unit) -> Parsed<f64> {
        let factor = number(factor)?;
        match (base, unit) {
            ("rate", Unit::Rate) => Ok(factor * self.path.rate_bps as f64),
            ("rtt", Unit::Time) => Ok(factor * self.path.rtt_ps as f64 / 1e12),
            _ => Err(format!("'of {base}' is not allowed; a rate may be 'of rate', and a time 'of rtt'")),
        }
    }
}

fn number(text: &str) -> Parsed<f64> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("'{text}' is not allowed; write a number such as '0.9'"))
}

/// "2 %" or "0.02".
fn parse_share(text: &str) -> Parsed<f64> {
    match text.strip_suffix('%') {
        Some(percent) => number(percent.trim()).map(|number| number / 100.0),
        None => number(text),
    }
}

#[cfg(test)]
mod tests;
