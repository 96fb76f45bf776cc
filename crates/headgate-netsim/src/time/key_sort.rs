//! A distribution sort for evenly spread keys, such as times within a window. It places each key near its
//! final position at once. A comparison sort would mispredict a branch at every other comparison.

use crate::time::calendar::Key;

/// Ranges per key, as a power of two. With two to four ranges per key, one key in ten moves afterwards.
const LOG2_RANGES_PER_KEY: u32 = 2;

/// Most ranges, as a power of two, so that they fit into the first-level cache.
const LOG2_MOST_RANGES: u32 = 12;

/// Average steps per key above which the keys count as unevenly spread.
const STEPS_PER_KEY: usize = 4;

/// The memory that sorting needs.
#[derive(Clone, Debug, Default)]
pub struct KeySort {
    /// For each range the number of its keys, then their beginning, then their end.
    ranges: Vec<u32>,
    by_range: Vec<Key>,
}

impl KeySort {
    /// Sorts the keys, in linear time if they are evenly spread.
    pub fn sort(&mut self, keys: &mut Vec<Key>) {
        let Some(log2) = keys.len().checked_ilog2().filter(|log2| *log2 > 0) else { return };
        self.order_by_range(keys, (log2 + LOG2_RANGES_PER_KEY).min(LOG2_MOST_RANGES));
        std::mem::swap(keys, &mut self.by_range);
        if !insertion_sort(keys) {
            keys.sort_unstable();
        }
    }

    /// Orders the keys by their highest `bits`.
    #[inline]
    fn order_by_range(&mut self, keys: &[Key], bits: u32) {
        let range = |key: Key| (key >> (Key::BITS - bits)) as usize;
        self.ranges.clear();
        self.ranges.resize(1 << bits, 0);
        self.by_range.resize(keys.len(), 0);
        for &key in keys {
            self.ranges[range(key)] += 1;
        }
        let mut begin = 0;
        for of_range in &mut self.ranges {
            begin += std::mem::replace(of_range, begin);
        }
        for &key in keys {
            let place = &mut self.ranges[range(key)];
            self.by_range[*place as usize] = key;
            *place += 1;
        }
    }
}

/// Sorts nearly sorted keys by insertion. Returns false if that takes too many steps.
fn insertion_sort(keys: &mut [Key]) -> bool {
    let mut left = STEPS_PER_KEY * keys.len();
    for at in 1..keys.len() {
        if keys[at] < keys[at - 1] {
            let steps = insert_last(&mut keys[..=at]);
            if steps > left {
                return false;
            }
            left -= steps;
        }
    }
    true
}

/// Moves the last key to its place among the others, which are sorted. Returns the number of places moved.
fn insert_last(keys: &mut [Key]) -> usize {
    let last = keys.len() - 1;
    let (mut place, key) = (last, keys[last]);
    while place > 0 && keys[place - 1] > key {
        keys[place] = keys[place - 1];
        place -= 1;
    }
    keys[place] = key;
    last - place
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_model::chance::Stream;

    fn agrees(keys: impl Iterator<Item = Key>) {
        let (mut keys, mut sort): (Vec<Key>, _) = (keys.collect(), KeySort::default());
        let mut expected = keys.clone();
        expected.sort_unstable();
        sort.sort(&mut keys);
        assert_eq!(keys, expected);
    }

    #[test]
    fn keys_of_any_distribution_are_sorted() {
        let mut chance = Stream::new(1, "keys", 0);
        for n in [0, 1, 2, 3, 14, 15, 16, 100, 5000, 40_000] {
            agrees((0..n).map(|_| chance.below(Key::MAX)));
            agrees((0..n).map(|at| Key::MAX - at));
            agrees((0..n).map(|at| ((n - at) << 40) + at % 3));
            agrees((0..n).map(|at| ((at % 7) << 61) + chance.below(1 << 56)));
        }
    }
}
