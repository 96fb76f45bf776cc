//! External code in a run, and its faults.

use std::sync::{Arc, OnceLock};

use headgate_model::control::{Ack, Congestion, Path, Rate, Window};
use headgate_model::queue::{Backlog, Decision, Packet};

use super::{External, Interface, PluginError};

/// A fault of user-defined code.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The name of the algorithm or the discipline.
    pub name: String,
    /// The callback and the time.
    pub place: String,
    /// The fault, in one sentence.
    pub message: String,
    /// The failed call, which can be repeated to investigate.
    pub call: Option<Call>,
}

/// A call with its arguments, and the state after it.
#[derive(Clone, Debug)]
pub struct Call {
    /// The method's name.
    pub callback: &'static str,
    /// Its arguments.
    pub args: CallArgs,
    /// The serialised state of the flow or the port, from [`External::keep`].
    pub state: Vec<u8>,
}

/// The arguments of a callback.
#[derive(Clone, Copy, Debug)]
pub enum CallArgs {
    /// An algorithm: the event, the path, and the window before the call.
    Controller(Trigger, Path, Window),
    /// A discipline: the event, the port, and the decision before the call.
    Discipline(Trigger, Backlog, Decision),
}

/// The first argument of a callback.
#[derive(Clone, Copy, Debug)]
pub enum Trigger {
    /// A time, seconds, or a window, segments.
    Number(f64),
    /// An acknowledgement.
    Ack(Ack),
    /// The state of the connection when a lost segment was sent.
    Rate(Rate),
    /// A congestion event.
    Congestion(Congestion),
    /// A packet.
    Packet(Packet),
}

/// External code in a run, and its first fault.
pub struct Runtime<I: Interface> {
    name: String,
    pub(super) external: Arc<dyn External<I>>,
    fault: OnceLock<Fault>,
}

impl<I: Interface> Runtime<I> {
    /// Creates a runtime for the code of this name.
    pub fn new(name: String, external: Arc<dyn External<I>>) -> Self {
        Self { name, external, fault: OnceLock::new() }
    }

    /// The properties of the code.
    pub fn traits(&self) -> I::Traits {
        self.external.traits()
    }

    /// The first fault, if one occurred; the run then ends.
    #[inline]
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.get()
    }

    /// Records the first fault. Later ones may be its consequences.
    #[cold]
    pub(super) fn fail(&self, place: &str, message: PluginError, call: Option<Call>) {
        let _ = self.fault.set(Fault {
            name: self.name.clone(),
            place: place.to_owned(),
            message: message.to_string(),
            call,
        });
    }
}
