//! Scenarios: a path, flows, seeds and expectations, in TOML or in Rust.

use headgate_algos::control::AnyController;
use headgate_model::control::ControllerRegistry;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::device::Device;
use crate::error::{Error, Result, list};
use crate::expect::Expectation;
use crate::path::{CheckedPath, Path};
use crate::stack::Stack;
use crate::units::{SECOND, parse_size, parse_time};

/// The stack whose flows the engine simulates itself: QUIC of RFC 9000 and 9002, with any controller of
/// Headgate.
pub const HEADGATE: &str = "headgate";

/// The most flows of a scenario.
const MOST_FLOWS: u64 = 1000;

/// The most seeds.
const MOST_SEEDS: u64 = 10_000;

/// The longest run, picoseconds.
const LONGEST: u64 = 3600 * SECOND;

/// A scenario as users write it. [`Self::check`] checks the values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its question, in one sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The longest simulated time of a run, "20 s". A run ends sooner if all flows have sizes and finished.
    pub duration: String,
    /// Goodput, shares and queues count from this time on, "5 s"; absent = from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Number of runs. Their seeds are 1, 2, 3 and so on.
    #[serde(default = "ten")]
    pub seeds: u64,
    /// Bytes of the UDP payload of a full packet, of all flows; absent = "1452 B".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datagram: Option<String>,
    /// Each flow starts up to this much later than it says, by its seed; absent = one round trip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<String>,
    /// Expectations, such as "goodput of a >= 0.9 of rate".
    #[serde(default)]
    pub expect: Vec<String>,
    /// The path.
    pub path: Path,
    /// The flows.
    pub flows: Vec<Flow>,
}

fn ten() -> u64 {
    10
}

fn one() -> u64 {
    1
}

/// One or several equal flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// The name in expectations and results.
    pub name: String,
    /// The stack: `headgate`, or one that the bench was built with.
    pub stack: String,
    /// The controller. Those of `headgate` may have parameters.
    pub controller: Device,
    /// When the flow begins, "1 s"; absent = at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Bytes to transfer, "10 MB"; absent = until the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// Number of flows.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u64,
    /// Time between their starts, "100 ms".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stagger: Option<String>,
    /// The additional round trip without queues, "20 ms".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra_rtt: Option<String>,
}

fn is_one(count: &u64) -> bool {
    *count == 1
}

impl Scenario {
    /// Reads TOML. Unknown keys are refused.
    ///
    /// # Errors
    /// If the text is no scenario; the message contains the line.
    pub fn from_toml(text: &str) -> Result<Self> {
        toml::from_str(text).map_err(|error| Error::new("", error.to_string().trim_end()))
    }

    /// Writes TOML that [`Self::from_toml`] reads.
    ///
    /// # Errors
    /// If a number of the scenario is not one of TOML.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string(self).map_err(|error| Error::new("", error.to_string()))
    }

    /// Checks all values, for these stacks.
    ///
    /// # Errors
    /// If a value is not allowed: its place, the value, and what is allowed.
    pub fn check(&self, stacks: &[&dyn Stack]) -> Result<CheckedScenario> {
        let path = self.path.check().map_err(|error| error.within("path"))?;
        let duration_ps = time("duration", Some(&self.duration), 0)?;
        if !(1..=LONGEST).contains(&duration_ps) {
            return Err(Error::new(
                "duration",
                format!("'{}' is not allowed; it must be above 0 s, at most 3600 s", self.duration),
            ));
        }
        let from_ps = time("from", self.from.as_ref(), 0)?;
        if from_ps >= duration_ps {
            return Err(Error::new("from", "it must be before the end of the run, which duration states"));
        }
        range("seeds", self.seeds, MOST_SEEDS)?;
        let datagram = self.datagram.as_deref().unwrap_or("1452 B");
        let datagram_bytes = parse_size(datagram).map_err(|error| error.within("datagram"))?;
        if !(1200..=9000).contains(&datagram_bytes) {
            return Err(Error::new(
                "datagram",
                format!("'{datagram}' is not allowed; it must be from 1200 B to 9000 B"),
            ));
        }
        let spread_ps = time("spread", self.spread.as_ref(), path.rtt_ps)?;
        let flows = self.check_flows(stacks, duration_ps)?;
        let expectations = self.check_expectations(&path)?;
        Ok(CheckedScenario {
            path,
            duration_ps,
            from_ps,
            seeds: self.seeds,
            datagram_bytes: datagram_bytes as u16,
            spread_ps,
            flows,
            expectations,
        })
    }

    fn check_flows(&self, stacks: &[&dyn Stack], duration_ps: u64) -> Result<Vec<CheckedFlow>> {
        if self.flows.is_empty() {
            return Err(Error::new("flows", "there are none; write at least one [[flows]]"));
        }
        let mut checked: Vec<CheckedFlow> = Vec::new();
        for (i, flow) in self.flows.iter().enumerate() {
            let place = format!("flows[{i}]");
            let is_taken = checked.iter().any(|other| other.name == flow.name);
            let flow = flow.check(stacks, duration_ps).map_err(|error| error.within(&place))?;
            if is_taken {
                return Err(Error::new(
                    place + ".name",
                    format!("'{}' is taken; names must differ", flow.name),
                ));
            }
            checked.push(flow);
        }
        range("flows", checked.iter().map(|flow| flow.count).sum(), MOST_FLOWS)?;
        Ok(checked)
    }

    fn check_expectations(&self, path: &CheckedPath) -> Result<Vec<Expectation>> {
        let names: Vec<&str> = self.flows.iter().map(|flow| flow.name.as_str()).collect();
        let parse = |(i, text): (usize, &String)| {
            Expectation::parse(text, &names, path).map_err(|error| error.within(&format!("expect[{i}]")))
        };
        self.expect.iter().enumerate().map(parse).collect()
    }
}

fn time(place: &str, text: Option<&String>, absent: u64) -> Result<u64> {
    text.map_or(Ok(absent), |text| parse_time(text)).map_err(|error| error.within(place))
}

fn range(place: &str, count: u64, most: u64) -> Result {
    let says = || Error::new(place, format!("{count} is not allowed; it must be from 1 to {most}"));
    if (1..=most).contains(&count) { Ok(()) } else { Err(says()) }
}

impl Flow {
    fn check(&self, stacks: &[&dyn Stack], duration_ps: u64) -> Result<CheckedFlow> {
        check_name(&self.name)?;
        range("count", self.count, MOST_FLOWS)?;
        let sender = self.check_sender(stacks)?;
        let start_ps = time("start", self.start.as_ref(), 0)?;
        let stagger_ps = time("stagger", self.stagger.as_ref(), 0)?;
        if start_ps.saturating_add(stagger_ps.saturating_mul(self.count - 1)) >= duration_ps {
            return Err(Error::new("start", "the last of these flows would begin after the end of the run"));
        }
        let size = self.size.as_ref().map(|size| parse_size(size).map_err(|error| error.within("size")));
        let size = size.transpose()?;
        if size == Some(0) {
            return Err(Error::new("size", "'0 B' is not allowed; it must be at least 1 B"));
        }
        let extra_rtt_ps = time("extra_rtt", self.extra_rtt.as_ref(), 0)?;
        if extra_rtt_ps > 10 * SECOND {
            return Err(Error::new("extra_rtt", "it is not allowed to be above 10 s"));
        }
        let (name, count, controller) = (self.name.clone(), self.count, self.controller.name().to_owned());
        let stack = self.stack.clone();
        Ok(CheckedFlow { name, stack, controller, sender, start_ps, size, count, stagger_ps, extra_rtt_ps })
    }

    fn check_sender(&self, stacks: &[&dyn Stack]) -> Result<Sender> {
        if self.stack == HEADGATE {
            let plan = self.controller.plan("a controller of Headgate", AnyController::cards());
            return Ok(Sender::Headgate(plan.map_err(|error| error.within("controller"))?));
        }
        let found = stacks.iter().position(|stack| stack.name() == self.stack).ok_or_else(|| {
            let names = list([HEADGATE].into_iter().chain(stacks.iter().map(|stack| stack.name())));
            let says = format!(
                "'{}' is not in this build; it contains {names} (features of Cargo add others)",
                self.stack
            );
            Error::new("stack", says)
        })?;
        let allowed = stacks[found].controllers();
        let name = self.controller.name();
        if !allowed.contains(&name) {
            let allowed = list(allowed.iter().copied());
            return Err(Error::new(
                "controller",
                format!("'{name}' is not one of {}; it must be {allowed}", self.stack),
            ));
        }
        if self.controller.has_params() {
            return Err(Error::new(
                "controller",
                format!("controllers of {} take no parameters here; write the name alone", self.stack),
            ));
        }
        Ok(Sender::Stack(found))
    }
}

/// Names are single words, so that expectations can contain them.
fn check_name(name: &str) -> Result {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !name.is_empty() && name.chars().all(is_word) && name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Ok(());
    }
    Err(Error::new(
        "name",
        format!(
            "'{name}' is not allowed; it must begin with a letter and contain letters, digits, '-', '_' and '.'"
        ),
    ))
}

/// The sender of the data of a flow.
#[derive(Clone, Debug, PartialEq)]
pub enum Sender {
    /// The engine, with this controller of the plan.
    Headgate(Value),
    /// A stack, by its number in the list of stacks.
    Stack(usize),
}

/// A group of flows whose values are allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedFlow {
    /// The name.
    pub name: String,
    /// The name of the stack.
    pub stack: String,
    /// The name of the controller.
    pub controller: String,
    /// The sender.
    pub sender: Sender,
    /// Start of the first, picoseconds.
    pub start_ps: u64,
    /// Bytes to transfer, or no end.
    pub size: Option<u64>,
    /// Number of flows.
    pub count: u64,
    /// Time between starts, picoseconds.
    pub stagger_ps: u64,
    /// Additional round trip, picoseconds.
    pub extra_rtt_ps: u64,
}

/// A scenario whose values are allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedScenario {
    /// The path.
    pub path: CheckedPath,
    /// End of a run, picoseconds.
    pub duration_ps: u64,
    /// Begin of measurement, picoseconds.
    pub from_ps: u64,
    /// Number of seeds.
    pub seeds: u64,
    /// UDP payload of a full packet, bytes.
    pub datagram_bytes: u16,
    /// The largest random delay of starts, picoseconds.
    pub spread_ps: u64,
    /// The flows.
    pub flows: Vec<CheckedFlow>,
    /// The expectations.
    pub expectations: Vec<Expectation>,
}
