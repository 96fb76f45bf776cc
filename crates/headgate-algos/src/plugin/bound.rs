//! One flow's, or one port's, own code: joined to where it lives, called, kept and copied.

use std::fmt;
use std::sync::Arc;

use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Call, Interface, Runtime, State};

/// A state, and the code that knows what it means.
pub struct Bound<I: Interface> {
    /// Index among the run's own of this kind.
    index: usize,
    /// None until the run has bound it.
    runtime: Option<Arc<Runtime<I>>>,
    traits: I::Traits,
    state: State,
    /// State that waits to be bound.
    kept: Option<Vec<u8>>,
}

impl<I: Interface> Bound<I> {
    /// By its index among the run's own, before it is bound to its code.
    pub fn unbound(index: usize) -> Self {
        Self::waiting(index, None)
    }

    fn waiting(index: usize, kept: Option<Vec<u8>>) -> Self {
        Self { index, runtime: None, traits: I::Traits::default(), state: State::default(), kept }
    }

    /// Joins what was built or read from bytes to its code.
    pub fn bind(&mut self, runtimes: &[Arc<Runtime<I>>]) -> Result<(), String> {
        let runtime = runtimes
            .get(self.index)
            .ok_or_else(|| format!("there is no {} of the user's own with number {}", I::NOUN, self.index))?;
        self.traits = runtime.external.traits();
        if let Some(kept) = self.kept.take() {
            self.state = runtime.external.restore(&kept)?;
        }
        self.runtime = Some(Arc::clone(runtime));
        Ok(())
    }

    /// What it is, apart from its rules.
    #[inline]
    pub(super) fn traits(&self) -> &I::Traits {
        &self.traits
    }

    fn runtime(&self) -> &Runtime<I> {
        self.runtime.as_deref().expect("a run binds its own code")
    }

    /// Whether it has a state.
    #[inline]
    pub(super) fn has_begun(&self) -> bool {
        !self.state.is_empty()
    }

    /// The first state.
    pub(super) fn begin(&mut self, place: &str) {
        match self.runtime().external.fresh() {
            Ok(state) => self.state = state,
            Err(says) => self.runtime().fail(place, says, None),
        }
    }

    /// Makes a call. What it set is put back if it must not be so, and the run ends at its next pause.
    #[inline]
    pub(super) fn tell(&mut self, event: &I::Event<'_>, around: &I::Around, out: &mut I::Out) {
        let runtime = self.runtime.as_deref().expect("a run binds its own code");
        if runtime.fault().is_some() {
            return; // the run ends at its next pause
        }
        let before = *out;
        let told = runtime.external.call(event, &mut self.state, around, out);
        if let Err(says) = told.and_then(|()| I::check(event, &self.traits, &before, out)) {
            *out = before;
            self.fail(event, around, out, says);
        }
    }

    #[cold]
    fn fail(&self, event: &I::Event<'_>, around: &I::Around, before: &I::Out, says: String) {
        let runtime = self.runtime();
        let state = runtime.external.keep(&self.state).unwrap_or_default();
        let call = Call { callback: I::callback(event), given: I::given(event, around, before), state };
        runtime.fail(&I::place(event, around), says, Some(call));
    }

    /// Something is wrong that no single call did.
    #[cold]
    pub(super) fn blame(&self, place: &str, says: String) {
        self.runtime.iter().for_each(|runtime| runtime.fail(place, says.clone(), None));
    }

    /// The state as bytes, if it has begun.
    fn keep(&self) -> Result<Option<Vec<u8>>, String> {
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
    /// Of what has begun through bytes: no two share a state.
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
                Err(says) => self.blame("a copy", says),
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
        let kept = self.keep().map_err(|says| {
            self.blame("a snapshot", says.clone()); // formats drop what an error says
            S::Error::custom(&says)
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
