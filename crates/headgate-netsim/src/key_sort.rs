//! Sorting keys that lie spread over their whole range, as the times of a window do: each goes to about its place at
//! once. A sort by comparisons asks the processor, for each of them, questions whose answers it cannot guess.

use crate::calendar::Key;

/// Ranges for a key, as a power of two: with two to four of them, one key in ten has to change places afterwards.
const RANGES_PER_KEY: u32 = 2;

/// No more ranges than the first cache holds, as a power of two.
const MOST_RANGES: u32 = 12;

/// Steps for a key, in the mean, after which keys count as not spread.
const STEPS_PER_KEY: usize = 4;

/// The memory that sorting needs.
#[derive(Clone, Debug, Default)]
pub struct KeySort {
    /// Of each range of keys how many there are, then where they begin, then where they end.
    ranges: Vec<u32>,
    spread: Vec<Key>,
}

impl KeySort {
    pub fn sort(&mut self, keys: &mut Vec<Key>) {
        let Some(log) = keys.len().checked_ilog2().filter(|log| *log > 0) else { return };
        let bits = (log + RANGES_PER_KEY).min(MOST_RANGES);
        self.spread_out(keys, |key| (key >> (Key::BITS - bits)) as usize, bits);
        std::mem::swap(keys, &mut self.spread);
        if !settle(keys) {
            keys.sort_unstable();
        }
    }

    /// Orders the keys by range.
    #[inline]
    fn spread_out(&mut self, keys: &[Key], range: impl Fn(Key) -> usize, bits: u32) {
        self.ranges.clear();
        self.ranges.resize(1 << bits, 0);
        self.spread.resize(keys.len(), 0);
        for &key in keys {
            self.ranges[range(key)] += 1;
        }
        let mut begin = 0;
        for of_range in &mut self.ranges {
            begin += std::mem::replace(of_range, begin);
        }
        for &key in keys {
            let place = &mut self.ranges[range(key)];
            self.spread[*place as usize] = key;
            *place += 1;
        }
    }
}

/// Sorts keys of which few are far from their places; says no, and leaves them in some order, if that takes many steps.
fn settle(keys: &mut [Key]) -> bool {
    let mut left = STEPS_PER_KEY * keys.len();
    for at in 1..keys.len() {
        if keys[at] < keys[at - 1] {
            let steps = sink(&mut keys[..=at]);
            if steps > left {
                return false;
            }
            left -= steps;
        }
    }
    true
}

/// Moves the last key down to its place among the others, which are sorted; says how far.
fn sink(keys: &mut [Key]) -> usize {
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
    fn keys_come_out_in_order_however_they_lie() {
        let mut chance = Stream::new(1, "keys", 0);
        for n in [0, 1, 2, 3, 14, 15, 16, 100, 5000, 40_000] {
            agrees((0..n).map(|_| chance.below(Key::MAX)));
            agrees((0..n).map(|at| Key::MAX - at));
            agrees((0..n).map(|at| ((n - at) << 40) + at % 3));
            agrees((0..n).map(|at| ((at % 7) << 61) + chance.below(1 << 56)));
        }
    }
}
