//! The path of a scenario: one bottleneck with a queue, delays and impairments, in one expression or in TOML.
//!
//! ```
//! use quic_bench::Path;
//!
//! let path = Path::new()
//!     .rate("50 Mbit/s")
//!     .rtt("40 ms")
//!     .buffer("1 BDP")
//!     .queue("fq-codel")
//!     .loss(0.001)
//!     .impairment("jitter")
//!     .change("10 s", "25 Mbit/s");
//! assert!(path.check().is_ok());
//! assert_eq!(Path::new().rate("50").check().unwrap_err().place, "rate");
//! ```

use headgate_algos::impairment::AnyImpairment;
use headgate_algos::queue::AnyQueue;
use headgate_model::impairment::Impairments;
use headgate_model::queue::Queues;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::units::{Buffer, SECOND, parse_buffer, parse_rate, parse_time};

/// Delay of the link of a sending host, picoseconds. It sets the windows of the engine, and so the longest
/// time by which a stack learns of an arrival too late.
pub(crate) const ACCESS_PS: u64 = 25_000_000;

/// The largest random delay of ACKs by default, picoseconds.
const MOST_JITTER_PS: u64 = 1_000_000_000;

/// The shortest allowed round trip, picoseconds.
const LEAST_RTT_PS: u64 = 1_000_000_000;

/// The longest allowed round trip, picoseconds.
const MOST_RTT_PS: u64 = 10 * SECOND;

/// Bytes of a full packet, for buffers in time and in BDP.
const FULL_PACKET: u64 = 1500;

/// A path as users write it. [`Self::check`] checks the values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// Rate of the bottleneck, "50 Mbit/s".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// Delay of each direction without queues, "20 ms"; or `rtt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<String>,
    /// Round trip without queues, "40 ms"; or `delay`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt: Option<String>,
    /// Buffer of the bottleneck: "1 BDP" (default), "100 packets", "1 MB", "50 ms" or "infinite".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<String>,
    /// Queue discipline of the bottleneck; absent = drop-tail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Device>,
    /// Loss probability of each packet after the queue, from 0 to 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub loss: f64,
    /// Impairments before the queue, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ingress: Vec<Device>,
    /// Impairments after the queue, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub impairments: Vec<Device>,
    /// Later rates of the bottleneck, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// The mean of a uniform random delay of ACKs, in order; absent = the time that the bottleneck takes for
    /// a packet. It prevents phase effects: without it, the arrivals of deterministic senders at a full
    /// drop-tail queue are locked to its departures, and the lock decides who loses packets (Floyd, Jacobson
    /// 1992). "0 s" = none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ack_jitter: Option<String>,
    /// The direction of the ACKs, as far as it differs: by default the same rate and delay, an infinite
    /// buffer, and no impairments but `ack_jitter`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<Reverse>,
}

/// A change of the rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The time, "10 s".
    pub at: String,
    /// The new rate, "25 Mbit/s".
    pub rate: String,
}

/// The direction of the ACKs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reverse {
    /// Its rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// Its buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<String>,
    /// Its loss probability.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub loss: f64,
    /// Its impairments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub impairments: Vec<Device>,
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

impl Path {
    /// Begins a path. A rate and a delay (or an RTT) must follow.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the rate of the bottleneck, "50 Mbit/s".
    #[must_use]
    pub fn rate(self, rate: &str) -> Self {
        Self { rate: Some(rate.into()), ..self }
    }

    /// Sets the delay of each direction, "20 ms".
    #[must_use]
    pub fn delay(self, delay: &str) -> Self {
        Self { delay: Some(delay.into()), ..self }
    }

    /// Sets the round trip without queues, "40 ms".
    #[must_use]
    pub fn rtt(self, rtt: &str) -> Self {
        Self { rtt: Some(rtt.into()), ..self }
    }

    /// Sets the buffer: "1 BDP", "100 packets", "1 MB", "50 ms" or "infinite".
    #[must_use]
    pub fn buffer(self, buffer: &str) -> Self {
        Self { buffer: Some(buffer.into()), ..self }
    }

    /// Sets the queue discipline, such as "codel".
    #[must_use]
    pub fn queue(self, queue: impl Into<Device>) -> Self {
        Self { queue: Some(queue.into()), ..self }
    }

    /// Sets the loss probability of each packet after the queue.
    #[must_use]
    pub fn loss(self, loss: f64) -> Self {
        Self { loss, ..self }
    }

    /// Adds an impairment before the queue, such as "policer".
    #[must_use]
    pub fn ingress(mut self, device: impl Into<Device>) -> Self {
        self.ingress.push(device.into());
        self
    }

    /// Adds an impairment after the queue, such as "jitter", "reorder" or "gilbert_elliott".
    #[must_use]
    pub fn impairment(mut self, device: impl Into<Device>) -> Self {
        self.impairments.push(device.into());
        self
    }

    /// Changes the rate at a time.
    #[must_use]
    pub fn change(mut self, at: &str, rate: &str) -> Self {
        self.changes.push(Change { at: at.into(), rate: rate.into() });
        self
    }

    /// Sets the mean of the random delay of ACKs, "0 s" for none.
    #[must_use]
    pub fn ack_jitter(self, mean: &str) -> Self {
        Self { ack_jitter: Some(mean.into()), ..self }
    }

    /// Sets the differences of the direction of the ACKs.
    #[must_use]
    pub fn reverse(self, reverse: Reverse) -> Self {
        Self { reverse: Some(reverse), ..self }
    }

    /// Checks all values.
    ///
    /// # Errors
    /// If a value is missing or not allowed.
    pub fn check(&self) -> Result<CheckedPath> {
        let rate_bps = self.read_rate()?;
        let rtt_ps = self.read_rtt()?;
        let changes = self.read_changes()?;
        let buffer = self.buffer.as_deref().unwrap_or("1 BDP");
        let forward = Direction { rate_bps, rtt_ps, buffer, has_changes: !changes.is_empty() };
        let mut link = forward.link("forward", self.loss, (&self.ingress, &self.impairments))?;
        if let Some(queue) = self.queue.as_ref().filter(|queue| queue.name() != "drop-tail") {
            let queue = queue.plan("a queue discipline", AnyQueue::cards());
            link["queue"] = queue.map_err(|error| error.within("queue"))?;
        }
        link["changes"] =
            changes.iter().map(|[at_ps, rate]| json!({"at_ps": at_ps, "rate_bps": rate})).collect();
        let mut reverse = self.reverse.clone().unwrap_or_default();
        reverse.impairments.extend(self.phase_jitter(rate_bps)?);
        let back = reverse.link(rate_bps, rtt_ps).map_err(|error| error.within("reverse"))?;
        let copies = |devices: &[Device]| devices.iter().any(|device| device.name() == "duplicate");
        let has_copies = copies(&self.impairments) || copies(&reverse.impairments);
        Ok(CheckedPath { rate_bps, rtt_ps, changes, has_copies, links: [link, back] })
    }

    fn read_rate(&self) -> Result<u64> {
        let rate = self.rate.as_ref();
        let rate = rate.ok_or_else(|| Error::new("rate", "it is missing; write rate = \"50 Mbit/s\""))?;
        parse_rate(rate).map_err(|error| error.within("rate"))
    }

    fn read_rtt(&self) -> Result<u64> {
        let (key, rtt_ps) = match (&self.rtt, &self.delay) {
            (Some(rtt), None) => ("rtt", parse_time(rtt)),
            (None, Some(delay)) => ("delay", parse_time(delay).map(|ps| 2 * ps)),
            (None, None) => {
                return Err(Error::new("rtt", "it is missing; write rtt = \"40 ms\" or delay = \"20 ms\""));
            }
            _ => return Err(Error::new("rtt", "rtt and delay are both given; write one of them")),
        };
        let rtt_ps = rtt_ps.map_err(|error| error.within(key))?;
        if !(LEAST_RTT_PS..=MOST_RTT_PS).contains(&rtt_ps) {
            let says = format!(
                "a round trip of {} ms is not allowed; it must be from 1 ms to 10 s",
                rtt_ps as f64 / 1e9
            );
            return Err(Error::new(key, says));
        }
        Ok(rtt_ps)
    }

    /// The impairment of `ack_jitter`.
    fn phase_jitter(&self, rate_bps: u64) -> Result<Option<Device>> {
        let default = (FULL_PACKET * 8 * SECOND / rate_bps).min(MOST_JITTER_PS);
        let given = self.ack_jitter.as_deref().map(parse_time).transpose();
        let mean_ps = given.map_err(|error| error.within("ack_jitter"))?.unwrap_or(default);
        if mean_ps > SECOND {
            return Err(Error::new("ack_jitter", "it is not allowed to be above 1 s"));
        }
        let jitter = Device::new("jitter").set("mean_s", mean_ps as f64 / 1e12);
        let jitter = jitter.set("distribution", "uniform").set("order", "kept");
        Ok((mean_ps > 0).then_some(jitter))
    }

    fn read_changes(&self) -> Result<Vec<[u64; 2]>> {
        let mut changes: Vec<[u64; 2]> = Vec::new();
        for (i, change) in self.changes.iter().enumerate() {
            let place = |key| format!("changes[{i}].{key}");
            let at_ps = parse_time(&change.at).map_err(|error| error.within(&place("at")))?;
            let rate = parse_rate(&change.rate).map_err(|error| error.within(&place("rate")))?;
            if changes.last().is_some_and(|[before, _]| *before >= at_ps) {
                return Err(Error::new(
                    place("at"),
                    format!("'{}' is not after the change before it", change.at),
                ));
            }
            changes.push([at_ps, rate]);
        }
        Ok(changes)
    }
}

impl Reverse {
    fn link(&self, rate_bps: u64, rtt_ps: u64) -> Result<Value> {
        let rate_bps = match &self.rate {
            Some(rate) => parse_rate(rate).map_err(|error| error.within("rate"))?,
            None => rate_bps,
        };
        let buffer = self.buffer.as_deref().unwrap_or("infinite");
        let back = Direction { rate_bps, rtt_ps, buffer, has_changes: false };
        back.link("reverse", self.loss, (&[], &self.impairments))
    }
}

/// The keys of both directions.
struct Direction<'a> {
    rate_bps: u64,
    rtt_ps: u64,
    buffer: &'a str,
    has_changes: bool,
}

impl Direction<'_> {
    fn link(&self, name: &str, loss: f64, (ingress, impairments): (&[Device], &[Device])) -> Result<Value> {
        if !(0.0..=1.0).contains(&loss) {
            return Err(Error::new("loss", format!("{loss} is not allowed; it must be from 0 to 1")));
        }
        let (from, to) = if name == "forward" { (0, 1) } else { (1, 0) };
        Ok(json!({
            "name": name, "from": from, "to": to, "rate_bps": self.rate_bps, "delay_ps": self.rtt_ps / 2 - ACCESS_PS,
            "buffer": self.capacity()?, "loss": loss,
            "ingress": chain(ingress, "ingress")?, "impairments": chain(impairments, "impairments")?,
        }))
    }

    /// A buffer in packets takes packets of any size. All others count bytes, so that flows with small
    /// packets get their share of it; if the rate changes, the engine needs packets, and they count full
    /// ones.
    fn capacity(&self) -> Result<Value> {
        let buffer = parse_buffer(self.buffer).map_err(|error| error.within("buffer"))?;
        let bytes =
            |seconds: f64| (self.rate_bps as f64 / 8.0 * seconds).round().max(FULL_PACKET as f64) as u64;
        let bytes = match buffer {
            Buffer::Infinite => return Ok(json!("infinite")),
            Buffer::Packets(packets) => return Ok(json!({"packets": packets})),
            Buffer::Bytes(bytes) => bytes.max(FULL_PACKET),
            Buffer::Time(ps) => bytes(ps as f64 / 1e12),
            Buffer::Bdp(multiple) => bytes(multiple * self.rtt_ps as f64 / 1e12),
        };
        let packets = bytes.div_ceil(FULL_PACKET);
        Ok(if self.has_changes { json!({"packets": packets}) } else { json!({"bytes": bytes}) })
    }
}

fn chain(devices: &[Device], key: &str) -> Result<Vec<Value>> {
    let plan = |(i, device): (usize, &Device)| {
        let planned = device.plan("an impairment", AnyImpairment::cards());
        planned.map_err(|error| error.within(&format!("{key}[{i}]")))
    };
    devices.iter().enumerate().map(plan).collect()
}

/// A path whose values are allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedPath {
    /// Rate at the start, bit/s.
    pub rate_bps: u64,
    /// Round trip without queues, picoseconds.
    pub rtt_ps: u64,
    /// Later rates: time in picoseconds, and bit/s.
    pub changes: Vec<[u64; 2]>,
    /// Whether an impairment copies packets.
    pub has_copies: bool,
    /// The links of the plan, forward and back.
    pub(crate) links: [Value; 2],
}

impl CheckedPath {
    /// Rate at a time in picoseconds, bit/s.
    pub fn rate_at(&self, time_ps: u64) -> u64 {
        self.changes.iter().rev().find(|[at, _]| *at <= time_ps).map_or(self.rate_bps, |[_, rate]| *rate)
    }

    /// Mean rate between two times in picoseconds, bit/s.
    pub fn mean_rate(&self, [from, to]: [u64; 2]) -> f64 {
        let inner = self.changes.iter().map(|[at, _]| *at).filter(|at| (from + 1..to).contains(at));
        let times: Vec<u64> = [from].into_iter().chain(inner).chain([to]).collect();
        let bits: f64 =
            times.windows(2).map(|pair| self.rate_at(pair[0]) as f64 * (pair[1] - pair[0]) as f64).sum();
        if to > from { bits / (to - from) as f64 } else { self.rate_at(from) as f64 }
    }

    /// Bytes of a window that never limits a sender on this path: four times the BDP, and 16 MiB for queues.
    pub fn ample_window(&self) -> u64 {
        let fastest = self.changes.iter().map(|[_, rate]| *rate).fold(self.rate_bps, u64::max);
        (4.0 * fastest as f64 / 8.0 * self.rtt_ps as f64 / 1e12) as u64 + (16 << 20)
    }
}
