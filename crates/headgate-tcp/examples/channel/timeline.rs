//! A queue of events in order of time, and for equal times in order of insertion.

use headgate_model::units::Time;
use std::collections::BTreeMap;

/// Future events, and the time of the last one taken.
pub struct Timeline<T> {
    pub now: Time,
    events: BTreeMap<(Time, usize), T>,
    filed: usize,
}

impl<T> Default for Timeline<T> {
    fn default() -> Self {
        Self { now: 0, events: BTreeMap::new(), filed: 0 }
    }
}

impl<T> Timeline<T> {
    /// Adds an event at a time.
    pub fn file(&mut self, at: Time, what: T) {
        self.filed += 1;
        self.events.insert((at, self.filed), what);
    }

    /// Takes the next event and sets `now` to its time.
    pub fn next(&mut self) -> Option<T> {
        let ((now, _), what) = self.events.pop_first()?;
        self.now = now;
        Some(what)
    }
}
