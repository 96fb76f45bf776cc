//! User-defined congestion control algorithms and queue disciplines, whose code is external.
//!
//! The engine treats each as one more algorithm or discipline of its registry. Only its [`External`] knows
//! the implementation (a Python class, a table of C functions). The state of a flow or a port is a block of
//! words that the external code fills and reads. Algorithms and disciplines are two [`Interface`]s of the
//! same mechanism.

mod bound;
pub mod compiled;
mod controller;
mod discipline;
mod error;
mod round_totals;
mod runtime;

pub use bound::Bound;
pub use controller::{Controllers, Event, MOST_CWND, Plugin, Traits};
pub use discipline::{DisciplineEvent, DisciplineTraits, Disciplines, PluginQueue};
pub use error::PluginError;
pub use runtime::{Call, CallArgs, Fault, Runtime, Trigger};

/// The inputs and outputs of user-defined code of one kind.
pub trait Interface: Sized + 'static {
    /// The kind's name in messages.
    const NOUN: &'static str;
    /// The properties of the code.
    type Traits: Copy + Default + std::fmt::Debug + Send + Sync;
    /// One call: the event.
    type Event<'a>: Copy;
    /// The state that each call may read.
    type Surroundings: Copy;
    /// The state that each call may change.
    type Outputs: Copy;

    /// The name of the callback.
    fn callback(event: &Self::Event<'_>) -> &'static str;

    /// The callback and the time, for messages.
    fn place(event: &Self::Event<'_>, around: &Self::Surroundings) -> String;

    /// The arguments of the callback.
    fn args(event: &Self::Event<'_>, around: &Self::Surroundings, out: &Self::Outputs) -> CallArgs;

    /// Checks the outputs of a call.
    fn check(
        event: &Self::Event<'_>,
        traits: &Self::Traits,
        before: &Self::Outputs,
        after: &Self::Outputs,
    ) -> Result<(), PluginError>;
}

/// The state of a flow or a port, as words of the external code; empty before its start.
pub type State = Box<[u64]>;

/// An implementation in external code. All flows of a run with the algorithm share it, as all ports with the
/// discipline do.
pub trait External<I: Interface>: Send + Sync {
    /// The properties of the code.
    fn traits(&self) -> I::Traits;

    /// Creates the state of a new flow or port; at least one word.
    fn initial_state(&self) -> Result<State, PluginError>;

    /// Runs a callback. An error ends the run.
    fn call(
        &self,
        event: &I::Event<'_>,
        state: &mut [u64],
        around: &I::Surroundings,
        out: &mut I::Outputs,
    ) -> Result<(), PluginError>;

    /// Serialises a state to bytes that another process can read.
    fn keep(&self, state: &[u64]) -> Result<Vec<u8>, PluginError>;

    /// Restores a state from the bytes of [`Self::keep`].
    fn restore(&self, kept: &[u8]) -> Result<State, PluginError>;

    /// Releases the state of a flow or port that has ended.
    fn release(&self, _state: &[u64]) {}
}
