//! The user-defined code of one flow or port: binding, calls, serialisation and copies.

use std::fmt;
use std::sync::Arc;

use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Call, Interface, PluginError, Runtime, State};

/// A state, and the code that interprets it.
pub struct Bound<I: Interface> {
    /// Index among the run's user-defined code of this kind.
    index: usize,
    /// `None` until the run has bound it.
    runtime: Option<Arc<Runtime<I>>>,
    traits: I::Traits,
    state: State,
    /// Serialised state that waits to be bound.
    kept: Option<Vec<u8>>,
}

impl<I: Interface> Bound<I> {
    /// Creates an unbound state by the index of its code.
    pub fn unbound(index: usize) -> Self {
        Self::waiting(index, None)
    }

    fn waiting(index: usize, kept: Option<Vec<u8>>) -> Self {
        Self { index, runtime: None, traits: I::Traits::default(), state: State::default(), kept }
    }

    /// Binds a new or deserialised state to its code.
    pub fn bind(&mut self, runtimes: &[Arc<Runtime<I>>]) -> Result<(), PluginError> {
        let runtime = runtimes
            .get(self.index)
            .ok_or_else(|| format!("there is no user-defined {} with number {}", I::NOUN, self.index))?;
        self.traits = runtime.external.traits();
        if let Some(kept) = self.kept.take() {
            self.state = runtime.external.restore(&kept)?;
        }
        self.runtime = Some(Arc::clone(runtime));
        Ok(())
    }

    /// The properties of the code.
    #[inline]
    pub(super) fn traits(&self) -> &I::Traits {
        &self.traits
    }

    fn runtime(&self) -> &Runtime<I> {
        self.runtime.as_deref().expect("a run binds its own code")
    }

    /// Whether the state exists.
    #[inline]
    pub(super) fn has_begun(&self) -> bool {
        !self.state.is_empty()
    }

    /// Creates the initial state.
    pub(super) fn begin(&mut self, place: &str) {
        match self.runtime().external.initial_state() {
            Ok(state) => self.state = state,
            Err(message) => self.runtime().fail(place, message, None),
        }
    }

    /// Makes a call. If its outputs are invalid they are restored, and the run ends at its next pause.
    #[inline]
    pub(super) fn call(&mut self, event: &I::Event<'_>, around: &I::Surroundings, out: &mut I::Outputs) {
        let runtime = self.runtime.as_deref().expect("a run binds its own code");
        if runtime.fault().is_some() {
            return; // the run ends at its next pause
        }
        let before = *out;
        let result = runtime.external.call(event, &mut self.state, around, out);
        if let Err(message) = result.and_then(|()| I::check(event, &self.traits, &before, out)) {
            *out = before;
            self.fail(event, around, out, message);
        }
    }

    #[cold]
    fn fail(
        &self,
        event: &I::Event<'_>,
        around: &I::Surroundings,
        before: &I::Outputs,
        message: PluginError,
    ) {
        let runtime = self.runtime();
        let state = runtime.external.keep(&self.state).unwrap_or_default();
        let call = Call { callback: I::callback(event), args: I::args(event, around, before), state };
        runtime.fail(&I::place(event, around), message, Some(call));
    }

    /// Reports a fault that is not that of a single call.
    #[cold]
    pub(super) fn report_fault(&self, place: &str, message: impl Into<PluginError>) {
        let message = message.into();
        self.runtime.iter().for_each(|runtime| runtime.fail(place, message.clone(), None));
    }

    /// Serialises the state, if it exists.
    fn keep(&self) -> Result<Option<Vec<u8>>, PluginError> {
        match &self.runtime {
            Some(runtime) if self.has_begun() => runtime.external.keep(&self.state).map(Some),
            _ => Ok(self.kept.clone()),
        }
    }
}

impl<I: Interface> Drop for Bound<I> {
    fn drop(&mut self) {
        if let (Some(runtime), true) = (&self.runtime, self.has_begun()) {
            runtime.external.release(&self.state);
        }
    }
}

impl<I: Interface> Clone for Bound<I> {
    /// Copies a state through its serialised form, so that no two flows share one.
    fn clone(&self) -> Self {
        let mut copy = Self::unbound(self.index);
        (copy.traits, copy.runtime) = (self.traits, self.runtime.clone());
        let Some(runtime) = &self.runtime else {
            copy.kept = self.kept.clone();
            return copy;
        };
        if self.has_begun() {
            match runtime.external.keep(&self.state).and_then(|kept| runtime.external.restore(&kept)) {
                Ok(state) => copy.state = state,
                Err(message) => self.report_fault("a copy", message),
            }
        }
        copy
    }
}

impl<I: Interface> fmt::Debug for Bound<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound")
            .field("index", &self.index)
            .field("traits", &self.traits)
            .finish_non_exhaustive()
    }
}

impl<I: Interface> Serialize for Bound<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kept = self.keep().map_err(|message| {
            self.report_fault("a snapshot", message.clone()); // formats discard the message of an error
            S::Error::custom(message)
        })?;
        (self.index, kept).serialize(serializer)
    }
}

impl<'de, I: Interface> Deserialize<'de> for Bound<I> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (index, kept) = Deserialize::deserialize(deserializer)?;
        Ok(Self::waiting(index, kept))
    }
}
