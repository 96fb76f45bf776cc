//! A monotonic clock that gives simulated time to stacks that read it themselves.
//!
//! `Instant::now` of Rust's standard library calls `clock_gettime` of the C library. This program defines
//! that symbol, so that its definition comes first. Outside [`at`], and for all other clocks, it asks the
//! kernel.
#![allow(unsafe_code, reason = "it replaces a symbol of the C library")]

use std::cell::Cell;
use std::time::Duration;

/// Simulated time 0 on the monotonic clock, nanoseconds: late enough that a stack can subtract from it.
const EPOCH_NS: u64 = 1_000_000 * 1_000_000_000;

thread_local! {
    /// The time that this thread sees, nanoseconds.
    static NOW_NS: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Calls a function in which `Instant::now` is `elapsed` after simulated time 0.
pub fn at<T>(elapsed: Duration, call: impl FnOnce() -> T) -> T {
    /// Ends the simulated time, also if the function panics.
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            NOW_NS.set(None);
        }
    }
    let _reset = Reset;
    NOW_NS.set(Some(EPOCH_NS + elapsed.as_nanos() as u64));
    call()
}

/// Replaces `clock_gettime` of the C library.
///
/// # Safety
/// `time` is null or points to a `timespec`, as POSIX requires.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> libc::c_int {
    let simulated = NOW_NS.try_with(Cell::get).ok().flatten().filter(|_| clock == libc::CLOCK_MONOTONIC);
    match simulated {
        Some(ns) if !time.is_null() => {
            let (seconds, nanoseconds) = ((ns / 1_000_000_000) as i64, (ns % 1_000_000_000) as i64);
            // SAFETY: the caller passes a valid pointer, which is not null.
            unsafe { time.write(libc::timespec { tv_sec: seconds, tv_nsec: nanoseconds }) };
            0
        }
        // SAFETY: the arguments are those of the caller.
        _ => unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) as libc::c_int },
    }
}

#[cfg(test)]
mod tests {
    use super::at;
    use std::time::{Duration, Instant};

    #[test]
    fn instants_are_simulated_inside_and_real_outside() {
        let before = Instant::now();
        let [one, two] = [1, 3].map(|seconds| at(Duration::from_secs(seconds), Instant::now));
        assert_eq!(two - one, Duration::from_secs(2));
        assert_eq!(at(Duration::from_secs(1), Instant::now), one);
        assert!(before.elapsed() < Duration::from_secs(60));
    }
}
