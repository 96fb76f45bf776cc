//! What flows of one sort have in common, counted together: kind of file, pair of router classes, links
//! of the two hosts, law. Memory does not grow with the number of flows.
//!
//! A flow is added when it is over; what those under way have done is added whenever somebody looks, so
//! that no ACK costs anything.

use serde::{Deserialize, Serialize};

use crate::exact::Exact;
use crate::record::{PAIRS, Status};
use crate::transport::flow::FlowTally;
use headgate_model::units::{Span, Time, seconds};

/// Kinds of file: a flow of given size, one without end, what a Web user fetches; then the plan's names.
pub const FILE: u8 = 0;
pub const LONG_LIVED: u8 = 1;
pub const WEB_OBJECT: u8 = 2;
pub const NAMED: u8 = 3;

/// Pairs of router classes, and none.
const CLASSES: u32 = PAIRS.len() as u32 + 1;

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub started: u64,
    pub completed: u64,
    pub failed: u64,
    pub abandoned: u64,
    /// Flows whose receiver had everything, their segments, the time that took, and their rates.
    pub timed: u64,
    pub timed_segments: u64,
    pub fct_sum_s: Exact,
    pub rate_sum: Exact,
    /// Of all flows, those under way too: the time since each was asked for, segments acknowledged in
    /// order.
    pub active_ps: u128,
    pub delivered: u64,
    pub retransmissions: u64,
    pub timeouts: u64,
    pub decreases: u64,
    pub fallen: Exact,
    pub rtt_sum_s: Exact,
    pub rtt_count: u64,
}

impl Cell {
    /// Adds what a flow has done until `now`.
    pub fn add(&mut self, now: Time, delivered: u32, tally: &FlowTally) {
        self.active_ps += u128::from(now - tally.started);
        self.delivered += u64::from(delivered);
        self.retransmissions += u64::from(tally.retransmissions);
        self.timeouts += u64::from(tally.timeouts);
        self.decreases += u64::from(tally.decreases);
        self.fallen += tally.fallen;
        self.rtt_sum_s += tally.rtt_sum_s;
        self.rtt_count += u64::from(tally.rtt_count);
    }

    /// Adds how a flow of so many segments ended.
    pub fn end(&mut self, status: Status, segments: u32, received: Option<Span>) {
        match status {
            Status::Failed => self.failed += 1,
            Status::Abandoned => self.abandoned += 1,
            _ => self.complete(segments, received),
        }
    }

    fn complete(&mut self, segments: u32, received: Option<Span>) {
        self.completed += 1;
        let Some(fct) = received else { return };
        self.timed += 1;
        self.timed_segments += u64::from(segments);
        self.fct_sum_s += seconds(fct);
        self.rate_sum += f64::from(segments) / seconds(fct);
    }

    /// Adds what was counted elsewhere.
    fn merge(&mut self, other: &Self) {
        self.started += other.started;
        self.completed += other.completed;
        self.failed += other.failed;
        self.abandoned += other.abandoned;
        self.timed += other.timed;
        self.timed_segments += other.timed_segments;
        self.fct_sum_s += other.fct_sum_s;
        self.rate_sum += other.rate_sum;
        self.active_ps += other.active_ps;
        self.delivered += other.delivered;
        self.retransmissions += other.retransmissions;
        self.timeouts += other.timeouts;
        self.decreases += other.decreases;
        self.fallen += other.fallen;
        self.rtt_sum_s += other.rtt_sum_s;
        self.rtt_count += other.rtt_count;
    }

    /// What came after `before`.
    pub fn since(&self, before: &Self) -> Self {
        Self {
            started: self.started - before.started,
            completed: self.completed - before.completed,
            failed: self.failed - before.failed,
            abandoned: self.abandoned - before.abandoned,
            timed: self.timed - before.timed,
            timed_segments: self.timed_segments - before.timed_segments,
            fct_sum_s: self.fct_sum_s - before.fct_sum_s,
            rate_sum: self.rate_sum - before.rate_sum,
            active_ps: self.active_ps - before.active_ps,
            delivered: self.delivered - before.delivered,
            retransmissions: self.retransmissions - before.retransmissions,
            timeouts: self.timeouts - before.timeouts,
            decreases: self.decreases - before.decreases,
            fallen: self.fallen - before.fallen,
            rtt_sum_s: self.rtt_sum_s - before.rtt_sum_s,
            rtt_count: self.rtt_count - before.rtt_count,
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What a cell's flows have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sort {
    pub file: u8,
    /// Index into [`PAIRS`], if both routers have a class.
    pub pair: Option<usize>,
    pub fast: bool,
    pub law: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Cells {
    laws: u32,
    pub all: Vec<Cell>,
}

impl Cells {
    pub fn new(named: usize, laws: usize) -> Self {
        let laws = laws.max(1) as u32;
        let count = (u32::from(NAMED) + named as u32) * CLASSES * 2 * laws;
        Self { laws, all: vec![Cell::default(); count as usize] }
    }

    pub fn index(&self, file: u8, pair: Option<usize>, fast: bool, law: u32) -> u32 {
        let class = pair.map_or(CLASSES - 1, |pair| pair as u32);
        ((u32::from(file) * CLASSES + class) * 2 + u32::from(fast)) * self.laws + law
    }

    /// The reverse of [`Self::index`].
    pub fn sort(&self, index: u32) -> Sort {
        let (rest, law) = (index / self.laws, index % self.laws);
        let class = (rest / 2) % CLASSES;
        let pair = (class < CLASSES - 1).then_some(class as usize);
        Sort { file: (rest / 2 / CLASSES) as u8, pair, fast: rest % 2 == 1, law }
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &Self) {
        self.all.iter_mut().zip(&other.all).for_each(|(cell, other)| cell.merge(other));
    }

    /// The same cells with nothing in them.
    pub fn emptied(&self) -> Self {
        Self { laws: self.laws, all: vec![Cell::default(); self.all.len()] }
    }

    /// What came after `before`, cell by cell, where anything did.
    pub fn since(&self, before: &Self) -> impl Iterator<Item = (u32, Cell)> {
        let since = |(index, (after, before)): (u32, (&Cell, &Cell))| (index, after.since(before));
        (0..).zip(self.all.iter().zip(&before.all)).map(since).filter(|(_, cell)| !cell.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sort_has_a_cell_of_its_own() {
        let cells = Cells::new(2, 3);
        for index in 0..cells.all.len() as u32 {
            let Sort { file, pair, fast, law } = cells.sort(index);
            assert!(file < NAMED + 2 && law < 3);
            assert_eq!(cells.index(file, pair, fast, law), index);
        }
    }

    #[test]
    fn a_flow_that_is_given_up_is_not_completed() {
        let mut cell = Cell::default();
        cell.end(Status::Abandoned, 100, None);
        cell.end(Status::Finished, 100, Some(headgate_model::units::SECOND / 2));
        assert_eq!((cell.abandoned, cell.completed, cell.timed_segments), (1, 1, 100));
        assert_eq!((cell.rate_sum.value(), cell.fct_sum_s.value()), (200.0, 0.5));
    }
}
