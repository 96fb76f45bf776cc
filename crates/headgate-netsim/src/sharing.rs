//! Which regions go to which thread, by the work that they were seen to do.

/// A region's share may exceed the mean by so much before neighbours are torn apart for a better one.
const SLACK: f64 = 1.05;

/// The thread of each region. Neighbours stay together where that costs little: what they send each other
/// is then filed at once.
pub fn share_out(loads: &[u64], neighbours: &[Vec<u32>], threads: usize) -> Vec<u32> {
    let cut = cut(loads, &walk(neighbours), threads);
    let fair = heaviest_first(loads, threads);
    let tight = largest(loads, &fair, threads) as f64 * SLACK;
    if largest(loads, &cut, threads) as f64 <= tight { cut } else { fair }
}

/// The largest load of a thread.
pub fn largest(loads: &[u64], thread_of: &[u32], threads: usize) -> u64 {
    let mut sums = vec![0; threads];
    loads.iter().zip(thread_of).for_each(|(load, &thread)| sums[thread as usize] += load);
    sums.into_iter().max().unwrap_or(0)
}

/// Regions in an order in which neighbours are close: depth first.
fn walk(neighbours: &[Vec<u32>]) -> Vec<u32> {
    let mut seen = vec![false; neighbours.len()];
    let mut order = Vec::with_capacity(neighbours.len());
    for first in 0..neighbours.len() as u32 {
        let mut stack = vec![first];
        while let Some(region) = stack.pop() {
            if !std::mem::replace(&mut seen[region as usize], true) {
                order.push(region);
                stack.extend(neighbours[region as usize].iter().rev());
            }
        }
    }
    order
}

/// Cuts an order into pieces of equal load: a region goes where its middle falls.
fn cut(loads: &[u64], order: &[u32], threads: usize) -> Vec<u32> {
    let total = u128::from(loads.iter().sum::<u64>().max(1));
    let mut thread_of = vec![0; loads.len()];
    let mut before = 0;
    for &region in order {
        let load = loads[region as usize];
        let middle = 2 * before + u128::from(load);
        let thread = (middle * threads as u128 / (2 * total)).min(threads as u128 - 1);
        thread_of[region as usize] = thread as u32;
        before += u128::from(load);
    }
    thread_of
}

/// The heaviest region first, each to the thread with least so far (Graham 1969).
fn heaviest_first(loads: &[u64], threads: usize) -> Vec<u32> {
    let mut order: Vec<usize> = (0..loads.len()).collect();
    order.sort_by_key(|&region| std::cmp::Reverse(loads[region]));
    let (mut sums, mut thread_of) = (vec![0; threads], vec![0; loads.len()]);
    for region in order {
        let thread = (0..threads).min_by_key(|&thread| sums[thread]).unwrap_or(0);
        sums[thread] += loads[region];
        thread_of[region] = thread as u32;
    }
    thread_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_stay_together_where_loads_allow_it() {
        let ring: Vec<Vec<u32>> = (0..6).map(|at| vec![(at + 1) % 6, (at + 5) % 6]).collect();
        let shares = share_out(&[1; 6], &ring, 2);
        assert_eq!(largest(&[1; 6], &shares, 2), 3);
        let torn = (0..6).filter(|&at| shares[at] != shares[(at + 1) % 6]).count();
        assert_eq!(torn, 2);
    }

    #[test]
    fn uneven_loads_are_as_even_as_can_be() {
        let line: Vec<Vec<u32>> = vec![vec![1], vec![0, 2], vec![1, 3], vec![2]];
        let loads = [10, 1, 10, 1];
        let shares = share_out(&loads, &line, 2);
        assert_eq!(largest(&loads, &shares, 2), 11);
        assert_eq!(largest(&loads, &share_out(&loads, &line, 4), 4), 10);
    }
}
