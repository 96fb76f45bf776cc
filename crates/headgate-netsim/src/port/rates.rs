//! The rate of a line over time.

use headgate_model::plan::RateChange;
use headgate_model::units::{Busy, NEVER, Pace, Span, Time, seconds};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use crate::record::{Early, PortRow, Sent, Tally};

/// The rate for what comes, and the rate at which the line sends: that one follows when what was queued
/// at a change has left.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rates {
    pub bps: u64,
    /// Changes to come, the next one last.
    coming: Vec<(Time, u64)>,
    /// The rate at which the line sends since `since`.
    sends: u64,
    since: Time,
    /// Changes that await what was queued at them, the next one first.
    awaited: VecDeque<(Time, u64)>,
    /// Bits that the line could have carried until `since`, since the tally began: bit/s x ps.
    carried: u128,
}

impl Rates {
    pub fn new(bps: u64, changes: &[RateChange]) -> Self {
        let coming = changes.iter().rev().map(|change| (change.at_ps, change.rate_bps)).collect();
        Self { bps, coming, sends: bps, since: 0, awaited: VecDeque::new(), carried: 0 }
    }

    pub fn next(&self) -> Time {
        self.coming.last().map_or(NEVER, |change| change.0)
    }

    /// Makes the changes that are due. What is here has left by `clear`.
    pub fn change(&mut self, now: Time, clear: Time) {
        while let Some(&(at, bps)) = self.coming.last().filter(|change| change.0 <= now) {
            self.coming.pop();
            self.awaited.push_back((at.max(clear), bps));
            self.bps = bps;
        }
    }

    /// The rate at which the line sends at an instant.
    pub fn sending(&self, at: Time) -> u64 {
        let due = self.awaited.iter().take_while(|change| change.0 <= at);
        due.last().map_or(self.sends, |change| change.1)
    }

    /// Nobody will ask about what was before `now`.
    fn settle(&mut self, now: Time) {
        while let Some(&(at, bps)) = self.awaited.front().filter(|change| change.0 <= now) {
            self.awaited.pop_front();
            self.carried += u128::from(self.sends) * u128::from(at - self.since);
            (self.since, self.sends) = (at, bps);
        }
        self.carried += u128::from(self.sends) * u128::from(now - self.since);
        self.since = now;
    }

    /// What happened at a port since its tally began, of which so many packets and bytes have left.
    pub fn row(
        &mut self,
        tally: Tally,
        left: (u64, u64),
        (since, now): (Time, Time),
        early: Early,
    ) -> PortRow {
        let (departures, sent_bytes) = left;
        let sent = Sent { departures, sent_bytes, capacity: self.capacity(now), elapsed: now - since };
        PortRow { tally, sent, rate_bps: self.bps, early }
    }

    /// What the line could have carried until `now`, since the tally began: bit/s x ps.
    pub fn capacity(&mut self, now: Time) -> u128 {
        self.settle(now);
        self.carried
    }

    /// The tally begins at `now`.
    pub fn reset(&mut self, now: Time) {
        self.settle(now);
        self.carried = 0;
    }

    /// Goes through the spans of one rate each from `now` on; says when the last one begins, and its rate.
    fn pass(&self, now: Time, mut span: impl FnMut(Span, u64)) -> (Time, u64) {
        let (mut from, mut sends) = (now, self.sending(now));
        for &(at, bps) in self.awaited.iter().filter(|change| change.0 > now) {
            span(at - from, sends);
            (from, sends) = (at, bps);
        }
        (from, sends)
    }

    /// Whole bytes that the line has still to send at `now` of what it is busy with.
    pub fn rest(&self, now: Time, busy: &Busy) -> u64 {
        let mut bytes = 0;
        let (from, bps) = self.pass(now, |span, bps| bytes += Pace::new(bps).bytes(span));
        bytes + busy.rest(from, &Pace::new(bps))
    }

    /// Bytes that the line sends from `now` until `clear`, while it is busy.
    pub fn backlog(&self, now: Time, clear: Time) -> f64 {
        let sent = |span, bps: u64| seconds(span) * (bps as f64 / 8.0);
        let mut bytes = 0.0;
        let (from, bps) = self.pass(now, |span, bps| bytes += sent(span, bps));
        bytes + sent(clear.saturating_sub(from), bps)
    }
}
