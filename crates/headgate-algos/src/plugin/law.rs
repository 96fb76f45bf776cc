//! A user's own law: the same callbacks and records as ours.

use std::sync::Arc;

use headgate_model::control::{Ack, Congestion, Controller, Echo, Path, Rate, Restart, Window};
use headgate_model::feedback::Words;
use serde::{Deserialize, Serialize};

use super::gather::Gathered;
use super::{Bound, Given, Happened, Interface, Runtime};
use crate::control::reno;

/// The largest window that is taken for meant, segments: 1 Tbit/s over a round trip of 120 ms.
pub const MOST_CWND: f64 = 1e7;

/// The interface of laws.
#[derive(Debug)]
pub enum Laws {}

/// What a law is, apart from its rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// `on_ack` once a round trip, with what its ACKs brought in all.
    pub per_round: bool,
    /// It sets the window also in recovery ([`Controller::controls_cwnd_in_recovery`]).
    pub keeps_window: bool,
    /// It needs delivery rates ([`Controller::wants_rate`]).
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
    /// The last reduction was needless; the window before it, in segments.
    Undone(f64),
}

impl Event<'_> {
    fn happened(&self) -> Happened {
        match *self {
            Self::Start(number) | Self::Recovered(number) | Self::Undone(number) => Happened::Number(number),
            Self::Ack(ack) | Self::RecoveryAck(ack) => Happened::Ack(*ack),
            Self::SegmentLost(sent) => Happened::Rate(*sent),
            Self::Congestion(event) => Happened::Congestion(*event),
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

impl Interface for Laws {
    const NOUN: &'static str = "law";
    type Traits = Traits;
    type Event<'a> = Event<'a>;
    type Around = Path;
    type Out = Window;

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

    fn given(event: &Event<'_>, path: &Path, window: &Window) -> Given {
        Given::Law(event.happened(), *path, *window)
    }

    /// What a law set must be a window; what it left alone is the transport's.
    #[inline]
    fn check(_: &Event<'_>, _: &Traits, before: &Window, after: &Window) -> Result<(), String> {
        let cwnd = after.cwnd == before.cwnd || (1.0..=MOST_CWND).contains(&after.cwnd);
        let ssthresh = after.ssthresh == before.ssthresh || after.ssthresh >= 1.0;
        let pace = after.pace == before.pace || after.pace > 0.0;
        if cwnd && ssthresh && pace { Ok(()) } else { Err(unsound(after, cwnd, ssthresh)) }
    }
}

#[cold]
fn unsound(window: &Window, cwnd: bool, ssthresh: bool) -> String {
    if !cwnd {
        return format!("cwnd became {}; it must be from 1 to {MOST_CWND:e} segments", window.cwnd);
    }
    if !ssthresh {
        return format!("ssthresh became {}; it must be at least 1 segment", window.ssthresh);
    }
    format!("pace became {}; it must be above 0 segments/s, or infinite", window.pace)
}

/// One flow's law.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plugin {
    bound: Bound<Laws>,
    gathered: Gathered,
}

impl Plugin {
    /// A law by its index among the run's own, before it is bound to its code.
    pub fn unbound(law: usize) -> Self {
        Self { bound: Bound::unbound(law), gathered: Gathered::default() }
    }

    /// Joins a law that was built or read from bytes to its code.
    pub fn bind(&mut self, runtimes: &[Arc<Runtime<Laws>>]) -> Result<(), String> {
        self.bound.bind(runtimes)
    }

    /// The transport would take the threshold for the window: there must be one, also while a run that
    /// failed comes to its pause.
    #[cold]
    fn lacks_threshold(&self, event: &Congestion, path: &Path, window: &mut Window) {
        let says = format!(
            "ssthresh is {} after on_congestion, which must set it to at most {MOST_CWND:e} segments",
            window.ssthresh
        );
        self.bound.blame(&Laws::place(&Event::Congestion(event), path), says);
        reno::halve(event.in_flight, window);
    }
}

#[deny(clippy::missing_trait_methods)]
impl Controller for Plugin {
    fn on_start(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.bound.begin("on_start");
        self.bound.tell(&Event::Start(now_s), path, window);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if !self.bound.traits().per_round {
            self.bound.tell(&Event::Ack(ack), path, window);
        } else if let Some(all) = self.gathered.add(ack) {
            self.bound.tell(&Event::Ack(&all), path, window);
        }
    }

    fn on_recovery_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        if !self.bound.traits().per_round {
            self.bound.tell(&Event::RecoveryAck(ack), path, window);
        }
    }

    fn on_segment_lost(&mut self, sent: &Rate, path: &Path, window: &mut Window) {
        self.bound.tell(&Event::SegmentLost(sent), path, window);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path, window: &mut Window) {
        self.gathered = Gathered::default(); // those ACKs were of the window that is no more
        self.bound.tell(&Event::Congestion(event), path, window);
        if !self.bound.traits().keeps_window && window.ssthresh > MOST_CWND {
            self.lacks_threshold(event, path, window);
        }
    }

    fn on_recovered(&mut self, now_s: f64, path: &Path, window: &mut Window) {
        self.bound.tell(&Event::Recovered(now_s), path, window);
    }

    /// The window is back before the law hears of it, as for controllers without a rule of their own.
    fn on_undo(&mut self, before: f64, path: &Path, window: &mut Window) {
        if !self.bound.traits().keeps_window {
            window.cwnd = window.cwnd.max(before);
        }
        self.bound.tell(&Event::Undone(before), path, window);
    }

    fn controls_cwnd_in_recovery(&self) -> bool {
        self.bound.traits().keeps_window
    }

    fn echo(&self) -> Echo {
        self.bound.traits().echo
    }

    fn wants_rate(&self) -> bool {
        self.bound.traits().wants_rate
    }

    // No interface of a user's law has these yet.

    fn on_restart(&mut self, _restart: &Restart, _path: &Path, _window: &mut Window) {}

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
