//! External code in a run, and what went wrong with it.

use std::sync::{Arc, OnceLock};

use headgate_model::control::{Ack, Congestion, Path, Rate, Window};
use headgate_model::queue::{Backlog, Decision, Packet};

use super::{External, Interface};

/// A failure of own code.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The name of the law or the discipline.
    pub name: String,
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
    /// Its arguments.
    pub given: Given,
    /// The state of the flow or the port, as [`External::keep`] gives it.
    pub state: Vec<u8>,
}

/// What a callback is given.
#[derive(Clone, Copy, Debug)]
pub enum Given {
    /// A law: what happened, the path, and the window before.
    Law(Happened, Path, Window),
    /// A discipline: what happened, the port, and the decision before.
    Discipline(Happened, Backlog, Decision),
}

/// What a callback is given first.
#[derive(Clone, Copy, Debug)]
pub enum Happened {
    /// A time, seconds, or a window, segments.
    Number(f64),
    /// An acknowledgement.
    Ack(Ack),
    /// What was known of a lost segment.
    Rate(Rate),
    /// A congestion event.
    Congestion(Congestion),
    /// A packet.
    Packet(Packet),
}

/// External code in a run, and what went wrong with it first.
pub struct Runtime<I: Interface> {
    name: String,
    pub(super) external: Arc<dyn External<I>>,
    fault: OnceLock<Fault>,
}

impl<I: Interface> Runtime<I> {
    /// The code of this name, without a fault.
    pub fn new(name: String, external: Arc<dyn External<I>>) -> Self {
        Self { name, external, fault: OnceLock::new() }
    }

    /// What the code is, apart from its rules.
    pub fn traits(&self) -> I::Traits {
        self.external.traits()
    }

    /// The first failure, if there was one; the run then ends.
    #[inline]
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.get()
    }

    /// The first fault is the one to tell; later ones may follow from it.
    #[cold]
    pub(super) fn fail(&self, place: &str, says: String, call: Option<Call>) {
        let _ = self.fault.set(Fault { name: self.name.clone(), place: place.to_owned(), says, call });
    }
}
