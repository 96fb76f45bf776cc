//! A user's own law: the same callbacks and records as ours, and code that came from outside.
//!
//! The machine sees one more law of the registry. What the law is made of (a Python class, a table of
//! C functions) is known to its [`ExternalController`] alone; a flow's state is a block of words that the guest
//! fills and reads.

pub mod compiled;
mod gather;
mod runtime;

use std::fmt;
use std::sync::Arc;

use headgate_model::control::{Ack, Congestion, Controller, Echo, Path, Rate, Window};
use headgate_model::feedback::Words;
use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::control::reno;
use gather::Gathered;
pub use runtime::{Call, ExternalRuntime, Fault, Given};

/// The largest window that is taken for meant, segments: 1 Tbit/s over a round trip of 120 ms.
pub const MOST_CWND: f64 = 1e7;

/// What a law is, apart from its rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// `on_ack` once a round trip, with what its ACKs brought in all.
    pub per_round: bool,
    /// It sets the window also while losses are repaired (`Controller::keeps_window`).
    pub keeps_window: bool,
    /// It needs delivery rates (`Controller::wants_rate`).
    pub wants_rate: bool,
    /// The echo of marks that it cannot do without.
    pub echo: Echo,
}

/// One call of a law.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The connection is established, at this time in seconds.
    Start(f64),
    /// New data were acknowledged outside recovery.
    Ack(&'a Ack),
    /// Any other ACK.
    RecoveryAck(&'a Ack),
    /// A segment was found lost; what was known when it was sent.
    SegmentLost(&'a Rate),
    /// The window must shrink.
    Congestion(&'a Congestion),
    /// Recovery ended, at this time in seconds.
    Recovered(f64),
}

impl Event<'_> {
    fn callback(&self) -> &'static str {
        match self {
            Self::Start(_) => "on_start",
            Self::Ack(_) => "on_ack",
            Self::RecoveryAck(_) => "on_recovery_ack",
            Self::SegmentLost(_) => "on_segment_lost",
            Self::Congestion(_) => "on_congestion",
            Self::Recovered(_) => "on_recovered",
        }
    }

    fn given(&self) -> Given {
        match *self {
            Self::Start(now_s) | Self::Recovered(now_s) => Given::Time(now_s),
            Self::Ack(ack) | Self::RecoveryAck(ack) => Given::Ack(*ack),
            Self::SegmentLost(sent) => Given::Rate(*sent),
            Self::Congestion(event) => Given::Congestion(*event),
        }
    }

    /// The callback and the time, for people.
    fn place(&self) -> String {
        let callback = self.callback();
        match self.given() {
            Given::Time(now_s) => format!("{callback} at {now_s:.6} s"),
            Given::Ack(ack) => format!("{callback} at {:.6} s", ack.now_s),
            Given::Congestion(event) => format!("{callback} at {:.6} s", event.now_s),
            Given::Rate(_) => callback.to_owned(),
        }
    }
}

/// The words that a guest knows a flow by; none before its start.
pub type State = Box<[u64]>;

/// Where an own law's code lives. All flows of a run that obey the law share it.
pub trait ExternalController: Send + Sync {
    /// What the law is, apart from its rules.
    fn traits(&self) -> Traits;

    /// The state of a flow that begins; at least one word.
    fn fresh(&self) -> Result<State, String>;

    /// Runs a callback. What it says when it fails ends the run.
    fn call(
        &self,
        event: &Event<'_>,
        state: &mut [u64],
        path: &Path,
        window: &mut Window,
    ) -> Result<(), String>;

    /// A flow's state as bytes that another process can read.
    fn keep(&self, state: &[u64]) -> Result<Vec<u8>, String>;

    /// A flow's state from what [`Self::keep`] gave.
    fn restore(&self, kept: &[u8]) -> Result<State, String>;

    /// The flow is over.
    fn release(&self, _state: &[u64]) {}
}

/// One flow's law.
pub struct Plugin {
    /// Index among the run's own laws.
    law: usize,
    /// None until the run has bound it.
    host: Option<Arc<ExternalRuntime>>,
    traits: Traits,
    state: State,
    gathered: Gathered,
    /// State that waits to be bound.
    kept: Option<Vec<u8>>,
}

impl Plugin {
    /// A law by its index among the run's own, before it is bound to its code.
    pub fn unbound(law: usize) -> Self {
        Self::waiting(law, Gathered::default(), None)
    }

    fn waiting(law: usize, gathered: Gathered, kept: Option<Vec<u8>>) -> Self {
        Self { law, host: None, traits: Traits::default(), state: State::default(), gathered, kept }
    }

    /// Joins a law that was built or read from bytes to its code.
    pub fn bind(&mut self, hosts: &[Arc<ExternalRuntime>]) -> Result<(), String> {
        let host = hosts.get(self.law).ok_or_else(|| format!("there is no own law {}", self.law))?;
        self.traits = host.guest.traits();
        if let Some(kept) = self.kept.take() {
            self.state = host.guest.restore(&kept)?;
        }
        self.host = Some(Arc::clone(host));
        Ok(())
    }

    #[inline]
    fn tell(&mut self, event: &Event<'_>, path: &Path, window: &mut Window) {
        let host = self.host.as_deref().expect("a run binds its own laws");
        if host.fault().is_some() {
            return; // the run ends at its next pause
        }
        let before = *window;
        let told = host.guest.call(event, &mut self.state, path, window);
        if let Err(says) = told.and_then(|()| sound(&before, window)) {
            let state = host.guest.keep(&self.state).unwrap_or_default();
            let (callback, given) = (event.callback(), event.given());
            let call = Call { callback, given, path: *path, window: before, state };
            *window = before;
            host.fail(&event.place(), says, Some(call));
        }
    }

    /// The transport would take the threshold for the window: there must be one, also while a run that
    /// failed comes to its pause.
    #[cold]
    fn lacks_threshold(&self, event: &Congestion, window: &mut Window) {
        let says =
            format!("ssthresh is {} after it; set it, at most {MOST_CWND:e} segments", window.ssthresh);
        self.host.iter().for_each(|host| host.fail(&Event::Congestion(event).place(), says.clone(), None));
        reno::halve(event.in_flight, window);
    }

    fn begin(&mut self) {
        let host = self.host.as_deref().expect("a run binds its own laws");
        match host.guest.fresh() {
            Ok(state) => self.state = state,
            Err(says) => host.fail("on_start", says, None),
        }
    }

    /// The state as bytes, if the flow has begun.
    fn keep(&self) -> Result<Option<Vec<u8>>, String> {
        match &self.host {
            Some(host) if !self.state.is_empty() => host.guest.keep(&self.state).map(Some),
            _ => Ok(self.kept.clone()),
        }
    }
}

/// What a law set must be a window; what it left alone is the transport's.
#[inline]
fn sound(before: &Window, after: &Window) -> Result<(), String> {
    let cwnd = after.cwnd == before.cwnd || (1.0..=MOST_CWND).contains(&after.cwnd);
    let ssthresh = after.ssthresh == before.ssthresh || after.ssthresh >= 1.0;
    let pace = after.pace == before.pace || after.pace > 0.0;
    if cwnd && ssthresh && pace { Ok(()) } else { Err(unsound(after, cwnd, ssthresh)) }
}

#[cold]
fn unsound(window: &Window, cwnd: bool, ssthresh: bool) -> String {
    if !cwnd {
        return format!("cwnd became {}; it is a number from 1 to {MOST_CWND:e} segments", window.cwnd);
    }
    if !ssthresh {
        return format!("ssthresh became {}; it is at least 1 segment", window.ssthresh);
    }
    format!("pace became {}; it is above 0 segments/s, or infinite", window.pace)
}

#[deny(clippy::missing_trait_methods)]
impl Controller for Plugin {
    fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.begin();
        self.tell(&Event::Start(now_s), path, window);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if !self.traits.per_round {
            self.tell(&Event::Ack(ack), path, window);
        } else if let Some(all) = self.gathered.add(ack) {
            self.tell(&Event::Ack(&all), path, window);
        }
    }

    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if !self.traits.per_round {
            self.tell(&Event::RecoveryAck(ack), path, window);
        }
    }

    fn on_segment_lost(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        self.tell(&Event::SegmentLost(sent), path, window);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window) {
        self.gathered = Gathered::default(); // those ACKs were of the window that is no more
        self.tell(&Event::Congestion(event), path, window);
        if !self.traits.keeps_window && window.ssthresh > MOST_CWND {
            self.lacks_threshold(event, window);
        }
    }

    fn on_recovered(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.tell(&Event::Recovered(now_s), path, window);
    }

    fn controls_cwnd_in_recovery(&self) -> bool {
        self.traits.keeps_window
    }

    fn echo(&self) -> Echo {
        self.traits.echo
    }

    fn wants_rate(&self) -> bool {
        self.traits.wants_rate
    }

    // No interface of a user's law has these yet.

    fn scheme(&self) -> Option<u8> {
        None
    }

    fn header(&mut self, _path: &Path, _window: &Window) -> Words {
        Words::default()
    }

    fn on_header(&mut self, _label: &Words, _now_s: f64, _path: &Path, _window: &mut Window) {}

    fn gauge(&self) -> Option<(&'static str, f64)> {
        None
    }
}

impl Drop for Plugin {
    fn drop(&mut self) {
        if let (Some(host), false) = (&self.host, self.state.is_empty()) {
            host.guest.release(&self.state);
        }
    }
}

impl Clone for Plugin {
    /// Of a flow that has begun through bytes: no two flows share a state.
    fn clone(&self) -> Self {
        let mut copy = Self::unbound(self.law);
        (copy.gathered, copy.traits, copy.host) = (self.gathered, self.traits, self.host.clone());
        let Some(host) = &self.host else {
            copy.kept = self.kept.clone();
            return copy;
        };
        if !self.state.is_empty() {
            match host.guest.keep(&self.state).and_then(|kept| host.guest.restore(&kept)) {
                Ok(state) => copy.state = state,
                Err(says) => host.fail("a copy", says, None),
            }
        }
        copy
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin").field("law", &self.law).field("traits", &self.traits).finish_non_exhaustive()
    }
}

type Kept = (usize, Gathered, Option<Vec<u8>>);

impl Serialize for Plugin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kept = self.keep().map_err(|says| {
            let error = S::Error::custom(&says);
            self.host.iter().for_each(|host| host.fail("a snapshot", says.clone(), None)); // formats drop it
            error
        })?;
        (self.law, self.gathered, kept).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Plugin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (law, gathered, kept) = Kept::deserialize(deserializer)?;
        Ok(Self::waiting(law, gathered, kept))
    }
}
