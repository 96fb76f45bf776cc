//! What flows of one sort have in common, counted together: kind of file, pair of router classes, links
//! of the two hosts, law. Memory does not grow with the number of flows.
//!
//! A flow is added when it is over; what those under way have done is added whenever somebody looks, so
//! that no ACK costs anything.

use serde::{Deserialize, Serialize};

use crate::record::{Cell, PAIRS, Sort};

/// Kinds of file: a flow of given size, one without end, what a Web user fetches; then the plan's names.
pub const FILE: u8 = 0;
pub const LONG_LIVED: u8 = 1;
pub const WEB_OBJECT: u8 = 2;
pub const NAMED: u8 = 3;

/// Pairs of router classes, and none.
const CLASSES: u32 = PAIRS.len() as u32 + 1;

/// Index into [`PAIRS`], if both routers have a class.
pub fn pair(a: u8, b: u8) -> Option<usize> {
    let (low, high) = (a.min(b) as usize, a.max(b) as usize);
    (high < 3).then(|| [0, 3, 5][low] + high - low)
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
    pub fn new_empty(&self) -> Self {
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
    use crate::record::Status;

    #[test]
    fn pairs_are_unordered() {
        let names: Vec<_> =
            [(0, 0), (1, 0), (0, 2), (1, 1), (2, 1), (2, 2)].map(|(a, b)| PAIRS[pair(a, b).unwrap()]).into();
        assert_eq!(names, PAIRS);
        assert_eq!(pair(0, 3), None);
    }

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
