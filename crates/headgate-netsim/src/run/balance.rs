//! The assignment of regions to shards, by their measured load.

use crate::packets::index::{RegionIndex, ShardIndex};

/// The largest load may exceed the mean by this factor before neighbours are separated for a better
/// balance.
const SLACK: f64 = 1.05;

/// Returns the shard of each region. Neighbours share a shard if that costs little, because packets between
/// them are then filed at once.
pub fn assign_regions(loads: &[u64], neighbours: &[Vec<RegionIndex>], threads: usize) -> Vec<ShardIndex> {
    let cut_by_load = cut_by_load(loads, &depth_first_order(neighbours), threads);
    let balanced = heaviest_first(loads, threads);
    let acceptable = largest_load(loads, &balanced, threads) as f64 * SLACK;
    if largest_load(loads, &cut_by_load, threads) as f64 <= acceptable { cut_by_load } else { balanced }
}

/// Returns the largest load of a shard.
pub fn largest_load(loads: &[u64], shard_of: &[ShardIndex], threads: usize) -> u64 {
    let mut sums = vec![0; threads];
    loads.iter().zip(shard_of).for_each(|(load, &shard)| sums[shard.index()] += load);
    sums.into_iter().max().unwrap_or(0)
}

/// Lists the regions depth first, so that neighbours are close.
fn depth_first_order(neighbours: &[Vec<RegionIndex>]) -> Vec<RegionIndex> {
    let mut seen = vec![false; neighbours.len()];
    let mut order = Vec::with_capacity(neighbours.len());
    for first in (0..neighbours.len()).map(RegionIndex::from_index) {
        let mut stack = vec![first];
        while let Some(region) = stack.pop() {
            if !std::mem::replace(&mut seen[region.index()], true) {
                order.push(region);
                stack.extend(neighbours[region.index()].iter().rev());
            }
        }
    }
    order
}

/// Cuts an order into pieces of equal load. A region belongs to the piece that contains its middle.
fn cut_by_load(loads: &[u64], order: &[RegionIndex], threads: usize) -> Vec<ShardIndex> {
    let total = u128::from(loads.iter().sum::<u64>().max(1));
    let mut shard_of = vec![ShardIndex(0); loads.len()];
    let mut before = 0;
    for &region in order {
        let load = loads[region.index()];
        let middle = 2 * before + u128::from(load);
        let thread = (middle * threads as u128 / (2 * total)).min(threads as u128 - 1);
        shard_of[region.index()] = ShardIndex(thread as u32);
        before += u128::from(load);
    }
    shard_of
}

/// Assigns the heaviest region first, each to the shard with the least load so far (Graham 1969).
fn heaviest_first(loads: &[u64], threads: usize) -> Vec<ShardIndex> {
    let mut order: Vec<usize> = (0..loads.len()).collect();
    order.sort_by_key(|&region| std::cmp::Reverse(loads[region]));
    let (mut sums, mut shard_of) = (vec![0; threads], vec![ShardIndex(0); loads.len()]);
    for region in order {
        let thread = (0..threads).min_by_key(|&thread| sums[thread]).unwrap_or(0);
        sums[thread] += loads[region];
        shard_of[region] = ShardIndex(thread as u32);
    }
    shard_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_a_shard_if_loads_allow_it() {
        let ring: Vec<_> = (0..6).map(|at| [(at + 1) % 6, (at + 5) % 6].map(RegionIndex).to_vec()).collect();
        let shares = assign_regions(&[1; 6], &ring, 2);
        assert_eq!(largest_load(&[1; 6], &shares, 2), 3);
        let separated = (0..6).filter(|&at| shares[at] != shares[(at + 1) % 6]).count();
        assert_eq!(separated, 2);
    }

    #[test]
    fn uneven_loads_are_as_even_as_can_be() {
        let line: [&[u32]; 4] = [&[1], &[0, 2], &[1, 3], &[2]];
        let line = line.map(|regions| regions.iter().copied().map(RegionIndex).collect());
        let loads = [10, 1, 10, 1];
        let shares = assign_regions(&loads, &line, 2);
        assert_eq!(largest_load(&loads, &shares, 2), 11);
        assert_eq!(largest_load(&loads, &assign_regions(&loads, &line, 4), 4), 10);
    }
}
