//! An application's successive writes on one connection, and its pauses.

use headgate_model::control::Controller;

use crate::context::SenderContext;
use crate::profile::{ENDLESS, Profile};
use crate::sender::Sender;
use crate::state::Phase;

impl<C: Controller> Sender<C> {
    /// Creates a closed sender whose application writes in turn: first `first` segments, then more by
    /// [`Self::write`]. The connection stays open when all of them are acknowledged.
    pub fn new_for_writes(first: u32, controller: C, profile: &Profile) -> Self {
        let mut sender = Self::new(0, controller, profile);
        sender.writes = Some(Box::default());
        sender.append(first);
        sender
    }

    /// Adds a write. Segments that the window allows leave at once. After the last sequence number nothing is
    /// added.
    pub fn write(&mut self, segments: u32, ctx: &mut impl SenderContext) {
        self.extend(|sender| sender.append(segments), ctx);
    }

    /// The application pauses. No new segment leaves until [`Self::resume`]; repairs continue. Without unsent
    /// segments nothing changes.
    pub fn pause(&mut self) {
        if self.next < self.size {
            self.writes.get_or_insert_default().resumes_to = Some(self.size);
            self.size = self.next;
        }
    }

    /// The application continues after a pause. Segments that the window allows leave at once.
    pub fn resume(&mut self, ctx: &mut impl SenderContext) {
        if let Some(size) = self.writes.as_mut().and_then(|writes| writes.resumes_to.take()) {
            self.extend(|sender| sender.size = size, ctx);
        }
    }

    /// Whether the application pauses.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.writes.as_ref().is_some_and(|writes| writes.resumes_to.is_some())
    }

    /// Number of segments, including those after a pause; [`ENDLESS`] if the flow never ends.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.writes.as_ref().and_then(|writes| writes.resumes_to).unwrap_or(self.size)
    }

    /// Adds segments to send, and sends those that the window allows.
    fn extend(&mut self, add: impl FnOnce(&mut Self), ctx: &mut impl SenderContext) {
        let is_idle = self.una == self.next && self.next == self.size;
        if is_idle {
            self.note_app_limited();
        }
        add(self);
        if matches!(self.phase, Phase::SynSent | Phase::Closed) {
            return;
        }
        if is_idle {
            self.restart_from_idle(ctx);
        }
        self.send_allowed(ctx);
    }

    /// The segment after the last write.
    #[must_use]
    pub fn written(&self) -> u32 {
        self.size
    }

    fn append(&mut self, segments: u32) {
        self.has_finished_write(); // its end was reported with the last ACK
        let end = self.size.saturating_add(segments).min(ENDLESS - 1);
        if let Some(writes) = self.writes.as_mut().filter(|_| end > self.size) {
            writes.ends.push_back(end);
            self.size = end;
        }
    }

    /// Whether the segment is the last one of a write.
    #[cold]
    pub(crate) fn ends_write(&self, seq: u32) -> bool {
        self.writes.as_ref().is_some_and(|writes| writes.ends_with(seq))
    }

    /// Whether at least one write was acknowledged since the last call.
    #[cold]
    pub(crate) fn has_finished_write(&mut self) -> bool {
        self.writes.as_mut().is_some_and(|writes| writes.acknowledge(self.una))
    }

    pub(crate) fn bytes_of_writes(&self) -> usize {
        self.writes.as_ref().map_or(0, |writes| writes.bytes())
    }
}
