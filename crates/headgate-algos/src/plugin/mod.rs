//! What users write themselves: a law, or a queue discipline, whose code came from outside.
//!
//! The machine sees one more law, or one more discipline, of its registry. What it is made of (a Python class, a
//! table of C functions) is known to its [`External`] alone; the state of a flow, or of a port, is a block of words
//! that it fills and reads. Laws and disciplines are two [`Interface`]s of the same machinery.

mod bound;
pub mod compiled;
mod discipline;
mod gather;
mod law;
mod runtime;

pub use bound::Bound;
pub use discipline::{DisciplineEvent, DisciplineTraits, Disciplines, PluginQueue};
pub use law::{Event, Laws, MOST_CWND, Plugin, Traits};
pub use runtime::{Call, Fault, Given, Happened, Runtime};

/// What own code of one kind is given, and what it sets.
pub trait Interface: Sized + 'static {
    /// Its name in messages.
    const NOUN: &'static str;
    /// What it is, apart from its rules.
    type Traits: Copy + Default + std::fmt::Debug + Send + Sync;
    /// One call: what happened.
    type Event<'a>: Copy;
    /// What each call may read besides.
    type Around: Copy;
    /// What each call may change.
    type Out: Copy;

    /// The method that a call goes to.
    fn callback(event: &Self::Event<'_>) -> &'static str;

    /// The callback and the time, for people.
    fn place(event: &Self::Event<'_>, around: &Self::Around) -> String;

    /// What the method was given.
    fn given(event: &Self::Event<'_>, around: &Self::Around, out: &Self::Out) -> Given;

    /// Says what is wrong with what a call has set.
    fn check(
        event: &Self::Event<'_>,
        traits: &Self::Traits,
        before: &Self::Out,
        after: &Self::Out,
    ) -> Result<(), String>;
}

/// The words by which external code knows a flow or a port; none before its start.
pub type State = Box<[u64]>;

/// Where own code lives. All flows of a run that obey the law share it, as all ports of the discipline do.
pub trait External<I: Interface>: Send + Sync {
    /// What it is, apart from its rules.
    fn traits(&self) -> I::Traits;

    /// The state of a flow or a port that begins; at least one word.
    fn fresh(&self) -> Result<State, String>;

    /// Runs a callback. What it says when it fails ends the run.
    fn call(
        &self,
        event: &I::Event<'_>,
        state: &mut [u64],
        around: &I::Around,
        out: &mut I::Out,
    ) -> Result<(), String>;

    /// A state as bytes that another process can read.
    fn keep(&self, state: &[u64]) -> Result<Vec<u8>, String>;

    /// A state from what [`Self::keep`] gave.
    fn restore(&self, kept: &[u8]) -> Result<State, String>;

    /// The flow is over.
    fn release(&self, _state: &[u64]) {}
}
