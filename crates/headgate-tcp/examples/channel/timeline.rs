//! What is under way, by its time, in the order in which it was filed.

use headgate_model::units::Time;
use std::collections::BTreeMap;

/// Events to come, and the time of the last one that was taken.
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
    /// Files what happens at a time.
    pub fn file(&mut self, at: Time, what: T) {
        self.filed += 1;
        self.events.insert((at, self.filed), what);
    }

    /// Takes the next event; its time is `now` from then on.
    pub fn next(&mut self) -> Option<T> {
        let ((now, _), what) = self.events.pop_first()?;
        self.now = now;
        Some(what)
    }
}
