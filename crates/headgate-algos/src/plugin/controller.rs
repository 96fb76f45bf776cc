//! User-defined congestion control algorithms, with the same callbacks and records as the built-in ones.

use std::sync::Arc;

use headgate_model::control::{Ack, Congestion, Controller, Echo, Path, Rate, Restart, Window};
use headgate_model::ecn::Ecn;
use headgate_model::feedback::Words;
use serde::{Deserialize, Serialize};

use super::error::plain;
use super::round_totals::RoundTotals;
use super::{Bound, CallArgs, Interface, PluginError, Runtime, Trigger};
use crate::control::reno;

/// Largest plausible window, segments: 1 Tbit/s over a round trip of 120 ms.
pub const MOST_CWND: f64 = 1e7;

/// The interface of congestion control algorithms.
#[derive(Debug)]
pub enum Controllers {}

/// The properties of an algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// Whether `on_ack` is called once per round trip, with the totals of its ACKs.
    pub per_round: bool,
    /// Whether it sets the window during recovery too ([`Controller::controls_cwnd_in_recovery`]).
    pub controls_cwnd_in_recovery: bool,
    /// Whether it needs delivery rates ([`Controller::wants_rate`]).
    pub wants_rate: bool,
    /// The echo of marks that it requires.
    pub echo: Echo,
}

/// One call of an algorithm.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The connection is established, at this time in seconds.
    Start(f64),
    /// New data was acknowledged outside recovery.
    Ack(&'a Ack),
    /// Any other ACK.
    RecoveryAck(&'a Ack),
    /// A segment was found lost; the state of the connection when it was sent.
    SegmentLost(&'a Rate),
    /// A congestion event.
    Congestion(&'a Congestion),
    /// Recovery ended, at this time in seconds.
    Recovered(f64),
    /// The last reduction was needless; the window before it, segments.
    Undone(f64),
}

impl Event<'_> {
    fn trigger(&self) -> Trigger {
        match *self {
            Self::Start(number) | Self::Recovered(number) | Self::Undone(number) => Trigger::Number(number),
            Self::Ack(ack) | Self::RecoveryAck(ack) => Trigger::Ack(*ack),
            Self::SegmentLost(sent) => Trigger::Rate(*sent),
            Self::Congestion(event) => Trigger::Congestion(*event),
        }
    }

    fn now_s(&self) -> Option<f64> {
        match *self {
            Self::Start(now_s) | Self::Recovered(now_s) => Some(now_s),
            Self::Ack(ack) | Self::RecoveryAck(ack) => Some(ack.now_s),
            Self::Congestion(event) => Some(event.now_s),
            Self::SegmentLost(_) | Self::Undone(_) => None,
        }
    }
}

impl Interface for Controllers {
    const NOUN: &'static str = "algorithm";
    type Traits = Traits;
    type Event<'a> = Event<'a>;
    type Surroundings = Path;
    type Outputs = Window;

    fn callback(event: &Event<'_>) -> &'static str {
        match event {
            Event::Start(_) => "on_start",
            Event::Ack(_) => "on_ack",
            Event::RecoveryAck(_) => "on_recovery_ack",
            Event::SegmentLost(_) => "on_segment_lost",
            Event::Congestion(_) => "on_congestion",
            Event::Recovered(_) => "on_recovered",
            Event::Undone(_) => "on_undo",
        }
    }

    fn place(event: &Event<'_>, _path: &Path) -> String {
        let callback = Self::callback(event);
        event.now_s().map_or(callback.to_owned(), |now_s| format!("{callback} at {now_s:.6} s"))
    }

    fn args(event: &Event<'_>, path: &Path, window: &Window) -> CallArgs {
        CallArgs::Controller(event.trigger(), *path, *window)
    }

    /// Checks the values that the algorithm set; unchanged values are the transport's.
    #[inline]
    fn check(_: &Event<'_>, _: &Traits, before: &Window, after: &Window) -> Result<(), PluginError> {
        let cwnd = after.cwnd == before.cwnd || (1.0..=MOST_CWND).contains(&after.cwnd);
        let ssthresh = after.ssthresh == before.ssthresh || after.ssthresh >= 1.0;
        let pace = after.pace == before.pace || after.pace > 0.0;
        if cwnd && ssthresh && pace { Ok(()) } else { Err(unsound(after, cwnd, ssthresh).into()) }
    }
}

#[cold]
fn unsound(window: &Window, cwnd: bool, ssthresh: bool) -> String {
    if !cwnd {
        let cwnd = plain(window.cwnd);
        return format!("cwnd became {cwnd}; it must be from 1 to {MOST_CWND:e} segments");
    }
    if !ssthresh {
        return format!("ssthresh became {}; it must be at least 1 segment", plain(window.ssthresh));
    }
    format!("pace became {}; it must be above 0 segments/s, or infinite", plain(window.pace))
}

/// One flow's controller.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plugin {
    bound: Bound<Controllers>,
    totals: RoundTotals,
}

impl Plugin {
    /// Creates an algorithm by its index among the run's user-defined ones, before it is bound to its code.
    pub fn unbound(controller: usize) -> Self {
        Self { bound: Bound::unbound(controller), totals: RoundTotals::default() }
    }

    /// Binds a new or deserialised algorithm to its code.
    pub fn bind(&mut self, runtimes: &[Arc<Runtime<Controllers>>]) -> Result<(), PluginError> {
        self.bound.bind(runtimes)
    }

    /// Reports a missing threshold and sets one. The transport would otherwise use the threshold as a window,
    /// even while a failed run continues to its next pause.
    #[cold]
    fn lacks_threshold(&self, event: &Congestion, path: &Path, window: &mut Window) {
        let message = format!(
            "ssthresh is {} after on_congestion, which must set it to at most {MOST_CWND:e} segments",
            plain(window.ssthresh)
        );
        self.bound.report_fault(&Controllers::place(&Event::Congestion(event), path), message);
        reno::halve(event.in_flight, window);
    }
}

#[deny(clippy::missing_trait_methods)]
impl Controller for Plugin {
    fn on_feedback(&mut self, _granted: Echo) {}

    fn on_quic(&mut self) {}

    fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.bound.begin("on_start");
        self.bound.call(&Event::Start(now_s), path, window);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if !self.bound.traits().per_round {
            self.bound.call(&Event::Ack(ack), path, window);
        } else if let Some(all) = self.totals.add(ack) {
            self.bound.call(&Event::Ack(&all), path, window);
        }
    }

    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if !self.bound.traits().per_round {
            self.bound.call(&Event::RecoveryAck(ack), path, window);
        }
    }

    fn on_segment_lost(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        self.bound.call(&Event::SegmentLost(sent), path, window);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window) {
        self.totals = RoundTotals::default(); // those ACKs belonged to an earlier window
        self.bound.call(&Event::Congestion(event), path, window);
        if !self.bound.traits().controls_cwnd_in_recovery && window.ssthresh > MOST_CWND {
            self.lacks_threshold(event, path, window);
        }
    }

    fn on_recovered(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.bound.call(&Event::Recovered(now_s), path, window);
    }

    /// The window is restored before the call, as for controllers without this method.
    fn on_undo(&mut self, before: f64, path: &Path, window: &mut Window) {
        if !self.bound.traits().controls_cwnd_in_recovery {
            window.cwnd = window.cwnd.max(before);
        }
        self.bound.call(&Event::Undone(before), path, window);
    }

    fn controls_cwnd_in_recovery(&self) -> bool {
        self.bound.traits().controls_cwnd_in_recovery
    }

    fn echo(&self) -> Echo {
        self.bound.traits().echo
    }

    fn wants_rate(&self) -> bool {
        self.bound.traits().wants_rate
    }

    // The interface of user-defined algorithms does not include these yet.

    fn on_restart(&mut self, _restart: &Restart, _path: &Path, _window: &mut Window) {}

    fn answers_marks(&self) -> bool {
        true
    }

    fn codepoint(&self) -> Ecn {
        Ecn::Ect0
    }

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
