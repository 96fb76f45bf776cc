//! The entry of a program into a host, between fork and exec.
#![allow(unsafe_code)] // fork

use std::os::fd::{BorrowedFd, RawFd};

use nix::sched::{CloneFlags, setns};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, pthread_sigmask, raise};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, chdir, fork, getcwd, geteuid};

/// The namespaces of a host, as descriptors.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub user: RawFd,
    pub pids: RawFd,
    pub mounts: RawFd,
    pub net: RawFd,
}

/// Enters a host in a process that was just forked, and forks again, because only children enter another PID
/// namespace. Returns in the child, which then executes a program and dies with its parent. The parent stays
/// outside, forwards signals, and ends as the child does.
///
/// # Errors
/// If a namespace cannot be entered.
pub fn enter(entry: Entry) -> nix::Result<()> {
    let before = getcwd();
    join(entry.user, CloneFlags::CLONE_NEWUSER)
        .or_else(|error| if is_own(error) { Ok(()) } else { Err(error) })?;
    join(entry.mounts, CloneFlags::CLONE_NEWNS)?;
    join(entry.net, CloneFlags::CLONE_NEWNET)?;
    join(entry.pids, CloneFlags::CLONE_NEWPID)?;
    if let Ok(folder) = before {
        chdir(&folder).ok();
    }
    let mut handed_on = SigSet::empty();
    [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGCHLD]
        .into_iter()
        .for_each(|signal| handed_on.add(signal));
    let mut before = SigSet::empty();
    pthread_sigmask(SigmaskHow::SIG_BLOCK, Some(&handed_on), Some(&mut before))?;
    match unsafe { fork() }? {
        ForkResult::Child => {
            prctl::set_pdeathsig(Signal::SIGKILL)?;
            pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&before), None)
        }
        ForkResult::Parent { child } => attend(child, &handed_on),
    }
}

/// Whether the error means that the process is already in the namespace. Root creates hosts in its own user
/// namespace.
fn is_own(error: nix::Error) -> bool {
    error == nix::Error::EINVAL && geteuid().is_root()
}

fn join(fd: RawFd, kind: CloneFlags) -> nix::Result<()> {
    setns(unsafe { BorrowedFd::borrow_raw(fd) }, kind)
}

fn attend(child: Pid, handed_on: &SigSet) -> ! {
    unsafe { libc::syscall(libc::SYS_close_range, 0, RawFd::MAX, 0) };
    loop {
        match handed_on.wait() {
            Ok(Signal::SIGCHLD) => end_as(child),
            Ok(signal) => drop(kill(child, signal)),
            Err(_) => {}
        }
    }
}

/// Ends this process as a child has ended, if it has.
fn end_as(child: Pid) {
    match waitpid(child, Some(WaitPidFlag::WNOHANG)) {
        Ok(WaitStatus::Exited(_, code)) => unsafe { libc::_exit(code) },
        Ok(WaitStatus::Signaled(_, signal, _)) => {
            let mut all = SigSet::empty();
            all.add(signal);
            unsafe { libc::signal(signal as i32, libc::SIG_DFL) };
            raise(signal).ok();
            pthread_sigmask(SigmaskHow::SIG_UNBLOCK, Some(&all), None).ok();
            unsafe { libc::_exit(128 + signal as i32) }
        }
        _ => {}
    }
}
