//! Flows whose starts are known, as a process.

use headgate_model::units::Time;
use serde::{Deserialize, Serialize};

use super::opening::Opening;
use super::process::{Moment, Process, Turn, UnderWay};
use super::spec::Spec;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct List {
    flows: Vec<Listed>,
    /// How many have begun.
    begun: usize,
    /// From here on none of them sends anything new.
    ends: Time,
    under_way: UnderWay,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Listed {
    start: Time,
    opening: Opening,
}

impl List {
    pub fn new(ends: Time) -> Self {
        Self { flows: Vec::new(), begun: 0, ends, under_way: UnderWay::default() }
    }

    /// One more source; its number.
    pub fn add_source(&mut self) -> u32 {
        self.under_way.add()
    }

    pub fn add(&mut self, start: Time, opening: Opening) {
        self.flows.push(Listed { start, opening });
    }

    fn next(&self) -> Option<Time> {
        self.flows.get(self.begun).map(|listed| listed.start)
    }
}

/// One timer is enough for all of it: that of its first source.
impl Process for List {
    fn sources(&self) -> u32 {
        self.under_way.sources()
    }

    fn start(&mut self, _spec: &Spec) -> Vec<(u32, Time)> {
        self.flows.sort_by_key(|listed| listed.start);
        self.next().map(|start| (0, start)).into_iter().collect()
    }

    fn wake(&mut self, _source: u32, _at: &Moment) -> Turn {
        let Listed { opening, .. } = self.flows[self.begun];
        self.begun += 1;
        Turn { ends: self.ends, ..Turn::open(opening, self.next()) }
    }

    fn begin(&mut self, source: u32) -> bool {
        self.under_way.begin(source)
    }

    fn end(&mut self, source: u32) -> bool {
        self.under_way.end(source)
    }

    fn bytes(&self) -> usize {
        self.flows.capacity() * size_of::<Listed>() + self.under_way.bytes()
    }
}
