//! The priority of the loop's thread: above ordinary processes where that is allowed, and timers that are exact.
#![allow(unsafe_code)] // the scheduler's calls have no safe form

use nix::sys::prctl;

/// The lowest of the real-time priorities.
const REAL_TIME: i32 = 1;

/// Has the thread come first; whether the kernel allows it.
pub fn rise() -> bool {
    prctl::set_timerslack(1).ok();
    set(libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, REAL_TIME)
}

/// The thread is an ordinary one again.
pub fn fall() {
    set(libc::SCHED_OTHER, 0);
}

fn set(policy: i32, priority: i32) -> bool {
    let param = libc::sched_param { sched_priority: priority };
    unsafe { libc::sched_setscheduler(0, policy, &raw const param) == 0 }
}
