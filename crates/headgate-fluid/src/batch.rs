//! Many runs on all cores. Runs share nothing, so that results are identical for any number of workers.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs `job(0)`, `job(1)`, ... on a number of workers; returns the results in order.
pub fn map<T: Send>(count: usize, workers: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(count)));
    let work = || {
        let mut own = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                break;
            }
            own.push((index, job(index)));
        }
        done.lock().expect("no worker panics while it holds this").extend(own);
    };
    std::thread::scope(|scope| {
        for _ in 1..workers.clamp(1, count.max(1)) {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().expect("all workers are done");
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_number_of_workers() {
        let squares: Vec<usize> = (0..100).map(|x| x * x).collect();
        for workers in [0, 1, 2, 7, 200] {
            assert_eq!(map(100, workers, |x| x * x), squares);
        }
        assert_eq!(map(0, 4, |x| x), Vec::<usize>::new());
    }
}
