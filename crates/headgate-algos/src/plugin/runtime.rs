//! A guest in a run, and what went wrong with it.

use std::sync::{Arc, OnceLock};

use headgate_model::control::{Ack, Congestion, Path, Rate, Window};

use super::ExternalController;

/// Why an own law cannot go on.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The law's name.
    pub law: String,
    /// The callback and the time.
    pub place: String,
    /// What was wrong, in a sentence.
    pub says: String,
    /// The call that failed, for whoever can make it again and see more.
    pub call: Option<Call>,
}

/// A call as it was made; the state is what it left.
#[derive(Clone, Debug)]
pub struct Call {
    /// The method's name.
    pub callback: &'static str,
    /// Its first argument.
    pub given: Given,
    /// The path as it was.
    pub path: Path,
    /// The window before it.
    pub window: Window,
    /// The flow's state, as [`ExternalController::keep`] gives it.
    pub state: Vec<u8>,
}

/// What a callback is given first.
#[derive(Clone, Copy, Debug)]
pub enum Given {
    /// A time, seconds.
    Time(f64),
    /// An acknowledgement.
    Ack(Ack),
    /// What was known of a lost segment.
    Rate(Rate),
    /// A congestion event.
    Congestion(Congestion),
}

/// A guest in a run, and what went wrong with it first.
pub struct ExternalRuntime {
    name: String,
    pub(super) guest: Arc<dyn ExternalController>,
    fault: OnceLock<Fault>,
}

impl ExternalRuntime {
    /// The code of the law of this name, without a fault.
    pub fn new(name: String, guest: Arc<dyn ExternalController>) -> Self {
        Self { name, guest, fault: OnceLock::new() }
    }

    /// Why the run cannot go on.
    #[inline]
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.get()
    }

    /// The first fault is the one to tell; later ones may follow from it.
    #[cold]
    pub(super) fn fail(&self, place: &str, says: String, call: Option<Call>) {
        let _ = self.fault.set(Fault { law: self.name.clone(), place: place.to_owned(), says, call });
    }
}
