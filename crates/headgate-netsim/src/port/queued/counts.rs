//! The counts of a port that stores its packets.

use headgate_model::control::ControllerRegistry;
use headgate_model::feedback::Feedback;
use headgate_model::queue::Discipline;
use headgate_model::units::Time;

use super::QueuedPort;
use crate::record::{EarlyCounts, PortRow, Tally};

impl<L: ControllerRegistry> QueuedPort<L> {
    /// Returns the packets and bytes present at `now`, with the unsent part of the packet in service.
    fn present(&self, now: Time) -> (u64, u64) {
        let (in_service, rest) = match self.interrupted {
            Some((packet, _)) => (1, u64::from(packet.size)),
            None => (u64::from(self.line.until() > now), self.line.rest(now)),
        };
        (self.queue() as u64 + in_service, self.store.waiting_bytes() + rest)
    }

    /// Restarts the tally at `now`, the end of warm-up. All events before `now` must have been processed.
    pub fn reset(&mut self, now: Time) {
        self.line.reset(now);
        self.carried = self.present(now);
        self.waited = self.store.waits_ps(now).0;
        self.since = now;
        let (max_queue, lost) = (self.queue() as u64, self.wire.pending_losses(now).0);
        self.tally = Tally { max_queue, lost, ..Tally::default() };
        self.outage_losses = u64::from(self.cut_leaves > now);
        self.queues_before = self.queue.two_queues().unwrap_or_default();
    }

    /// Returns the bytes sent and the packets dropped since the tally began.
    pub fn sent_and_dropped(&mut self, now: Time) -> (u64, u64) {
        let present = self.present(now);
        self.tally.sent_and_dropped(self.carried, present)
    }

    /// Returns the counts since the tally began. All events before `now` must have been processed.
    pub fn row(&mut self, now: Time) -> PortRow {
        let left = self.tally.left(self.carried, self.present(now));
        let (waits, waits_of_data) = self.store.waits_ps(now);
        let (lost, lost_data) = self.wire.pending_losses(now);
        let wait_ps = self.tally.wait_ps + waits - self.waited;
        let tally = Tally { wait_ps, lost: self.tally.lost - lost, ..self.tally };
        let early = EarlyCounts { wait_ps: -((waits_of_data + self.dropped_wait) as i128), lost: lost_data };
        let mut row = self.line.row(tally, left, (self.since, now), early);
        row.queues = self.queue.two_queues().map(|queues| queues.since(&self.queues_before));
        row.sent.outage_losses = self.outage_losses - u64::from(self.cut_leaves > now);
        row
    }

    /// Returns the internal quantity of the router, or else of the discipline. NaN means that there is
    /// none.
    pub fn gauge(&self) -> f64 {
        let router = self.router.as_ref().and_then(Feedback::gauge);
        router.or_else(|| self.queue.gauge()).map_or(f64::NAN, |gauge| gauge.1)
    }

    /// Returns the digest of all departures.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Returns the memory that the port takes, bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.store.memory()
    }
}
