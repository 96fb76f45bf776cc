//! The rate of a line over time.

use headgate_model::plan::RateChange;
use headgate_model::units::{Busy, NEVER, Pace, Span, Time, seconds};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use super::outages::Outages;
use crate::record::{EarlyCounts, LinkUsage, PortRow, Tally};

/// The rate for new arrivals, and the rate at which the line sends. After a change, the line first sends
/// the packets that were queued, at the old rate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rates {
    /// Rate for new arrivals, bit/s.
    pub bps: u64,
    /// Future changes, the next one last.
    coming: Vec<(Time, u64)>,
    /// Sending rate since `since`, bit/s.
    sends: u64,
    since: Time,
    /// Changes of the sending rate, each after the packets queued at the change have left. The next one is
    /// first.
    pending: VecDeque<(Time, u64)>,
    /// Capacity of the line from the start of the tally until `since`, bit/s x ps.
    carried: u128,
}

impl Rates {
    /// A line with this rate, bit/s, and these changes in time order.
    pub fn new(bps: u64, changes: &[RateChange]) -> Self {
        let coming = changes.iter().rev().map(|change| (change.at_ps, change.rate_bps)).collect();
        Self { bps, coming, sends: bps, since: 0, pending: VecDeque::new(), carried: 0 }
    }

    /// Returns when the rate changes next.
    pub fn next(&self) -> Time {
        self.coming.last().map_or(NEVER, |change| change.0)
    }

    /// Applies the changes that are due at `now`. All queued packets will have left by `clear`.
    pub fn change(&mut self, now: Time, clear: Time) {
        while let Some(&(at, bps)) = self.coming.last().filter(|change| change.0 <= now) {
            self.coming.pop();
            self.pending.push_back((at.max(clear), bps));
            self.bps = bps;
        }
    }

    /// Returns the sending rate at an instant, bit/s.
    pub fn rate_at(&self, at: Time) -> u64 {
        let due = self.pending.iter().take_while(|change| change.0 <= at);
        due.last().map_or(self.sends, |change| change.1)
    }

    /// Adds the capacity up to `now`. Later calls must not ask about earlier times.
    fn advance_to(&mut self, now: Time, outages: &Outages) {
        let up = |from: Time, to: Time| u128::from(to - from - outages.downtime(from, to));
        while let Some(&(at, bps)) = self.pending.front().filter(|change| change.0 <= now) {
            self.pending.pop_front();
            self.carried += u128::from(self.sends) * up(self.since, at);
            (self.since, self.sends) = (at, bps);
        }
        self.carried += u128::from(self.sends) * up(self.since, now);
        self.since = now;
    }

    /// Returns the counts of a port since its tally began. `left` are the packets and bytes that have left.
    pub fn row(
        &mut self,
        tally: Tally,
        left: (u64, u64),
        (since, now): (Time, Time),
        early: EarlyCounts,
        outages: &Outages,
    ) -> PortRow {
        let sent = LinkUsage::new(left, self.capacity(now, outages), now - since);
        PortRow { tally, sent, rate_bps: self.bps, early, queues: None }
    }

    /// Returns the capacity of the line from the start of the tally until `now`, bit/s x ps.
    fn capacity(&mut self, now: Time, outages: &Outages) -> u128 {
        self.advance_to(now, outages);
        self.carried
    }

    /// Restarts the tally at `now`.
    pub fn reset(&mut self, now: Time, outages: &Outages) {
        self.advance_to(now, outages);
        self.carried = 0;
    }

    /// Visits each span of constant rate from `now` on, except the last. Returns the start and the rate of
    /// the last one.
    fn visit_spans(&self, now: Time, mut span: impl FnMut(Span, u64)) -> (Time, u64) {
        let (mut from, mut sends) = (now, self.rate_at(now));
        for &(at, bps) in self.pending.iter().filter(|change| change.0 > now) {
            span(at - from, sends);
            (from, sends) = (at, bps);
        }
        (from, sends)
    }

    /// Returns the unsent bytes of the packets that keep the line busy, in whole bytes.
    pub fn rest(&self, now: Time, busy: &Busy) -> u64 {
        let mut bytes = 0;
        let (from, bps) = self.visit_spans(now, |span, bps| bytes += Pace::new(bps).bytes(span));
        bytes + busy.rest(from, &Pace::new(bps))
    }

    /// Returns the bytes that the line sends from `now` until `clear`, while it is busy.
    pub fn backlog(&self, now: Time, clear: Time) -> f64 {
        let sent = |span, bps: u64| seconds(span) * (bps as f64 / 8.0);
        let mut bytes = 0.0;
        let (from, bps) = self.visit_spans(now, |span, bps| bytes += sent(span, bps));
        bytes + sent(clear.saturating_sub(from), bps)
    }
}
