//! The three lists from which queues are served: those that just began, those that persist, and empty ones whose
//! control is not at rest.

/// A list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    New,
    Old,
    Decaying,
}

/// Lists of numbers below a bound, each in at most one list, with removal from the middle.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Rotation {
    /// For each number the one before it and the one after it. The last three are the ends of the lists; a number
    /// in no list is before and after itself.
    links: Vec<[u16; 2]>,
}

impl Rotation {
    pub fn new(count: usize) -> Self {
        Self { links: (0..count as u16 + 3).map(|number| [number; 2]).collect() }
    }

    fn end(&self, list: List) -> usize {
        self.links.len() - 3 + list as usize
    }

    /// Returns the first number of a list.
    #[inline]
    pub fn first(&self, list: List) -> Option<usize> {
        let end = self.end(list);
        let first = usize::from(self.links[end][1]);
        (first != end).then_some(first)
    }

    /// Moves a number to the end of a list.
    #[inline]
    pub fn move_to(&mut self, list: List, number: usize) {
        self.unlink(number);
        let end = self.end(list);
        let last = self.links[end][0];
        self.links[number] = [last, end as u16];
        self.links[usize::from(last)][1] = number as u16;
        self.links[end][0] = number as u16;
    }

    /// Removes a number from its list.
    pub fn remove(&mut self, number: usize) {
        self.unlink(number);
        self.links[number] = [number as u16; 2];
    }

    #[inline]
    fn unlink(&mut self, number: usize) {
        let [before, after] = self.links[number];
        self.links[usize::from(before)][1] = after;
        self.links[usize::from(after)][0] = before;
    }
}
