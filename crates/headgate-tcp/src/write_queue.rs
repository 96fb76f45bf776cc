//! An application's writes that wait for ACKs.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// The writes that are not yet acknowledged; each is recorded by the segment after its last one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Writes {
    pub(crate) ends: VecDeque<u32>,
    /// While the application pauses: the segment after the last one that it will write.
    pub(crate) resumes_to: Option<u32>,
}

impl Writes {
    pub(crate) fn ends_with(&self, seq: u32) -> bool {
        self.ends.binary_search(&(seq + 1)).is_ok()
    }

    /// Drops the acknowledged writes. Returns true if there was one.
    pub(crate) fn acknowledge(&mut self, una: u32) -> bool {
        let before = self.ends.len();
        while self.ends.front().is_some_and(|&end| end <= una) {
            self.ends.pop_front();
        }
        self.ends.len() < before
    }

    /// Ends the last write before segment `end`, also if the application pauses.
    pub(crate) fn stop(&mut self, end: u32) {
        self.resumes_to = None;
        if let Some(last) = self.ends.back_mut() {
            *last = end.min(*last);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.ends.capacity() * size_of::<u32>()
    }
}
