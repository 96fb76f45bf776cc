//! The priority of the loop's thread: above ordinary processes if the kernel allows it, with exact timers.
#![allow(unsafe_code)] // no safe form of the scheduler's calls exists

use nix::sys::prctl;

/// The lowest of the real-time priorities.
const REAL_TIME: i32 = 1;

/// Raises the thread's priority. Returns whether the kernel allows it.
pub fn rise() -> bool {
    prctl::set_timerslack(1).ok();
    set(libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, REAL_TIME)
}

/// Restores the ordinary priority.
pub fn fall() {
    set(libc::SCHED_OTHER, 0);
}

fn set(policy: i32, priority: i32) -> bool {
    let param = libc::sched_param { sched_priority: priority };
    unsafe { libc::sched_setscheduler(0, policy, &raw const param) == 0 }
}
