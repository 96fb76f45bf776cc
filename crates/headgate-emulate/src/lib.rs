//! Real packets through a simulated network, in real time: hosts are network namespaces, each with a TUN device.
//!
//! * [`packet`] — what is read from an IP packet, and the mark that is set in it.
//! * [`flows`], [`series`] — what is counted of each flow, and of its intervals.
//! * [`arrival_log`] — what entered the network, on the disk.
//! * [`hosts`], [`tun`], [`enter`] — namespaces, devices, and how a program gets into them (Linux).
//! * [`counters`] — what the kernel counts of a device (Linux).
//! * [`device`] — a host's end of the path: a TUN device, or the card of another kernel (Linux).
//! * [`live`] — the loop: packets in, windows run, packets out when they are due (Linux).
//!
//! The engine knows nothing of this: it is given numbers of packets (see `headgate_netsim::foreign`). Why it is made so
//! is in `docs/decisions/0031-real-packets.md`.

pub mod arrival_log;
pub mod flows;
pub mod packet;
pub mod series;

#[cfg(target_os = "linux")]
pub mod counters;
#[cfg(target_os = "linux")]
pub mod device;
#[cfg(target_os = "linux")]
pub mod enter;
#[cfg(target_os = "linux")]
pub mod hosts;
#[cfg(target_os = "linux")]
pub mod live;
#[cfg(target_os = "linux")]
mod payloads;
#[cfg(target_os = "linux")]
mod priority;
#[cfg(target_os = "linux")]
pub mod report;
#[cfg(target_os = "linux")]
pub mod tun;
