//! Hosts: network namespaces in one PID namespace, whose init process dies with the program that created
//! them.
//!
//! Without root they are in a user namespace, which any user may create if the kernel allows it. A first
//! process (the *keeper*) creates the namespaces and starts the init process in them. Both are killed with
//! their parent (PR_SET_PDEATHSIG), and the init process ends when its parent's end of the channel is closed.
//! All processes in the namespaces then die. With the last process and the last descriptor, the kernel
//! removes the namespaces and devices.
#![allow(unsafe_code)] // fork

use std::fs;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};

use nix::mount::{MsFlags, mount};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, recvmsg, sendmsg,
    socketpair,
};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork, getegid, geteuid, getppid, setsid};

use crate::error::EmulationError;
use crate::tun;

/// Number of descriptors in one message; the kernel allows 253.
const FDS_AT_ONCE: usize = 64;

/// The options of the hosts.
#[derive(Clone, Debug)]
pub struct HostOptions {
    pub hosts: u32,
    pub mtu: u32,
    /// Replaces /etc/hosts in the hosts.
    pub names: Option<PathBuf>,
}

/// All hosts. They are removed when this value is dropped.
#[derive(Debug)]
pub struct Hosts {
    keeper: Pid,
    /// The init process ends when it is closed.
    channel: Option<OwnedFd>,
    pub user: OwnedFd,
    pub pids: OwnedFd,
    pub mounts: OwnedFd,
    /// For each host its network, and its device until that is taken.
    pub nets: Vec<OwnedFd>,
    devices: Vec<OwnedFd>,
    counters: Vec<fs::File>,
}

impl Drop for Hosts {
    fn drop(&mut self) {
        self.channel = None;
        waitpid(self.keeper, None).ok();
    }
}

impl Hosts {
    /// Creates hosts. They exist as long as the thread that created them.
    ///
    /// # Errors
    /// If the kernel does not allow namespaces or devices.
    pub fn new(wanted: &HostOptions) -> Result<Self, EmulationError> {
        let flags = SockFlag::SOCK_CLOEXEC;
        let (here, there) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, flags)
            .map_err(|error| format!("the socket to the hosts cannot be made: {error}"))?;
        let parent = nix::unistd::getpid();
        match unsafe { fork() }
            .map_err(|error| format!("the process of the hosts cannot be started: {error}"))?
        {
            ForkResult::Child => {
                drop(here);
                never_returns(|| keep(wanted, there, parent))
            }
            ForkResult::Parent { child } => {
                drop(there);
                let found = receive(&here, wanted.hosts as usize * 3 + 3);
                let hosts = |fds: Vec<OwnedFd>| Self::with(child, here, fds);
                found.map(hosts).inspect_err(|_| {
                    waitpid(child, None).ok();
                })
            }
        }
    }

    fn with(keeper: Pid, channel: OwnedFd, fds: Vec<OwnedFd>) -> Self {
        let mut fds = fds.into_iter();
        let mut next = || fds.next().expect("they were counted");
        let (user, pids, mounts) = (next(), next(), next());
        let (mut nets, mut devices, mut counters) = (Vec::new(), Vec::new(), Vec::new());
        while let (Some(net), Some(device), Some(counter)) = (fds.next(), fds.next(), fds.next()) {
            nets.push(net);
            devices.push(device);
            counters.push(counter.into());
        }
        Self { keeper, channel: Some(channel), user, pids, mounts, nets, devices, counters }
    }

    /// Returns the TUN devices of the hosts, and `/proc/net/dev` of each network, once.
    pub fn take_devices(&mut self) -> (Vec<OwnedFd>, Vec<fs::File>) {
        (std::mem::take(&mut self.devices), std::mem::take(&mut self.counters))
    }
}

/// Runs `work` in a forked process, which never returns.
fn never_returns(work: impl FnOnce()) -> ! {
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    unsafe { libc::_exit(0) }
}

/// The keeper: creates the namespaces, starts the init process, and waits for it.
fn keep(wanted: &HostOptions, channel: OwnedFd, parent: Pid) {
    prctl::set_pdeathsig(Signal::SIGKILL).ok();
    if getppid() != parent {
        return;
    }
    setsid().ok(); // Ctrl-C is for the parent
    close_all_but(channel.as_raw_fd());
    if let Err(why) = take_namespaces() {
        return tell(&channel, &why.to_string());
    }
    match unsafe { fork() } {
        Ok(ForkResult::Child) => never_returns(|| init(wanted, channel)),
        Ok(ForkResult::Parent { child }) => {
            drop(channel);
            waitpid(child, None).ok();
        }
        Err(error) => tell(&channel, &format!("the init process of the hosts cannot be started: {error}")),
    }
}

/// Closes all descriptors of the parent, such as the pipes of its other children.
fn close_all_but(kept: RawFd) {
    let close = |from: RawFd, to: RawFd| unsafe { libc::syscall(libc::SYS_close_range, from, to, 0) };
    if kept > 0 {
        close(0, kept - 1);
    }
    close(kept + 1, RawFd::MAX);
    for _ in 0..3.min(kept) {
        unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) };
    }
}

fn take_namespaces() -> Result<(), EmulationError> {
    let (user, group) = (geteuid(), getegid());
    let others = CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC;
    if user.is_root() && unshare(others).is_ok() {
        return Ok(());
    }
    unshare(CloneFlags::CLONE_NEWUSER).map_err(|error| refuse_user_namespace(&error.to_string()))?;
    prctl::set_dumpable(true).ok(); // otherwise the maps belong to root, because the user was changed
    fs::write("/proc/self/setgroups", "deny").ok(); // kernels before 3.19 lack this file
    let map = |path: &str, id: u32| fs::write(path, format!("0 {id} 1"));
    map("/proc/self/uid_map", user.as_raw())
        .and_then(|()| map("/proc/self/gid_map", group.as_raw()))
        .map_err(|error| refuse_user_namespace(&error.to_string()))?;
    unshare(others).map_err(|error| refuse_user_namespace(&error.to_string()).into())
}

/// The message for a kernel without user namespaces: the setting to change, by what this kernel has.
fn refuse_user_namespace(why: &str) -> String {
    let closed = |path: &str, value: &str| fs::read_to_string(path).is_ok_and(|text| text.trim() == value);
    let remedy = if closed("/proc/sys/kernel/unprivileged_userns_clone", "0") {
        "allow it with: sysctl kernel.unprivileged_userns_clone=1"
    } else if closed("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") {
        "allow it with: sysctl kernel.apparmor_restrict_unprivileged_userns=0"
    } else if closed("/proc/sys/user/max_user_namespaces", "0") {
        "allow it with: sysctl user.max_user_namespaces=10000"
    } else {
        "allow it, or run as root; in a container its seccomp profile may forbid it"
    };
    format!("this user cannot make a user namespace ({why}); {remedy}")
}

fn refuse_device(error: &io::Error) -> String {
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => "; load it with: modprobe tun",
        io::ErrorKind::PermissionDenied => "; open it to users with: chmod 666 /dev/net/tun",
        _ => "",
    };
    format!("a TUN device cannot be made with /dev/net/tun ({error}){remedy}")
}

/// The init process: creates the hosts, passes their descriptors on, and waits for its parent's end.
fn init(wanted: &HostOptions, channel: OwnedFd) {
    prctl::set_pdeathsig(Signal::SIGKILL).ok();
    unsafe { signal(Signal::SIGCHLD, SigHandler::SigIgn) }.ok(); // orphans are reaped by the kernel
    prepare_mounts(wanted.names.as_deref());
    match make(wanted).and_then(|fds| send(&channel, &fds).map_err(|error| error.to_string().into())) {
        Ok(()) => wait_for_end(&channel),
        Err(why) => tell(&channel, &why.to_string()),
    }
}

/// Mounts a /proc of the processes in the namespace, and names for the hosts. Neither is required.
fn prepare_mounts(names: Option<&Path>) {
    let none = None::<&str>;
    if mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none).is_err() {
        return;
    }
    mount(Some("proc"), "/proc", Some("proc"), MsFlags::empty(), none).ok();
    if let Some(names) = names {
        mount(Some(names), "/etc/hosts", none, MsFlags::MS_BIND, none).ok();
    }
}

fn namespace(kind: &str) -> Result<OwnedFd, EmulationError> {
    open_to_read(&format!("/proc/self/ns/{kind}"))
}

fn open_to_read(path: &str) -> Result<OwnedFd, EmulationError> {
    fs::File::open(path).map(OwnedFd::from).map_err(|error| format!("{path}: {error}").into())
}

fn make(wanted: &HostOptions) -> Result<Vec<OwnedFd>, EmulationError> {
    let mut fds = vec![namespace("user")?, namespace("pid")?, namespace("mnt")?];
    for host in 0..wanted.hosts {
        unshare(CloneFlags::CLONE_NEWNET)
            .map_err(|error| format!("a network namespace cannot be made: {error}"))?;
        let tun = tun::open(host, wanted.mtu).map_err(|error| refuse_device(&error))?;
        fds.extend([namespace("net")?, tun, open_to_read("/proc/thread-self/net/dev")?]);
    }
    Ok(fds)
}

fn wait_for_end(channel: &OwnedFd) {
    loop {
        let mut ends = [PollFd::new(channel.as_fd(), PollFlags::POLLIN)];
        match poll(&mut ends, PollTimeout::NONE) {
            Err(nix::Error::EINTR) => {}
            _ => return,
        }
    }
}

/// Sends descriptors, in several messages.
fn send(channel: &OwnedFd, fds: &[OwnedFd]) -> io::Result<()> {
    for part in fds.chunks(FDS_AT_ONCE) {
        let raw: Vec<RawFd> = part.iter().map(AsRawFd::as_raw_fd).collect();
        let rights = [ControlMessage::ScmRights(&raw)];
        sendmsg::<()>(channel.as_raw_fd(), &[IoSlice::new(b"+")], &rights, MsgFlags::empty(), None)?;
    }
    Ok(())
}

/// Sends an error message instead of descriptors.
fn tell(channel: &OwnedFd, why: &str) {
    let words = [IoSlice::new(why.as_bytes())];
    sendmsg::<()>(channel.as_raw_fd(), &words, &[], MsgFlags::empty(), None).ok();
}

/// Receives `count` descriptors, or the error message that replaces them.
fn receive(channel: &OwnedFd, count: usize) -> Result<Vec<OwnedFd>, EmulationError> {
    let mut fds = Vec::new();
    while fds.len() < count {
        let (text, some) =
            receive_some(channel).map_err(|error| format!("the hosts did not start: {error}"))?;
        if some.is_empty() {
            let ended = || "the init process of the hosts ended before it was ready".to_owned();
            return Err(if text.is_empty() { ended() } else { text }.into());
        }
        fds.extend(some);
    }
    Ok(fds)
}

fn receive_some(channel: &OwnedFd) -> nix::Result<(String, Vec<OwnedFd>)> {
    let (mut bytes, mut rights) = ([0; 1024], nix::cmsg_space!([RawFd; FDS_AT_ONCE]));
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let mut places = [IoSliceMut::new(&mut bytes)];
    let message = recvmsg::<()>(channel.as_raw_fd(), &mut places, Some(&mut rights), flags)?;
    let fds = message.cmsgs()?.flat_map(|one| match one {
        ControlMessageOwned::ScmRights(fds) => fds,
        _ => Vec::new(),
    });
    let fds = fds.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }).collect();
    let length = message.bytes;
    Ok((String::from_utf8_lossy(&bytes[..length]).into_owned(), fds))
}
