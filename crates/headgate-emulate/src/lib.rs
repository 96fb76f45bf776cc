//! Real packets through a simulated network in real time. Hosts are network namespaces, each with a TUN
//! device.
//!
//! * [`packet`]: the parsing of IP packets, and their marking.
//! * [`flows`], [`series`]: the counters of each flow, and of its intervals.
//! * [`arrival_log`]: the log of packets that enter the network.
//! * [`hosts`], [`tun`], [`enter`]: namespaces, devices, and the entry of programs into them (Linux).
//! * [`counters`]: the kernel's counters of a device (Linux).
//! * [`device`]: a host's end of the path: a TUN device, or the card of another kernel (Linux).
//! * [`live`]: the loop: packets in, windows run, packets out when they are due (Linux).
//!
//! The engine does not depend on this crate; it receives numbers of packets (see `headgate_netsim::packets::foreign`).
//! The decision record is `docs/decisions/0031-real-packets.md`.

pub mod arrival_log;
#[cfg(target_os = "linux")]
pub mod error;
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
