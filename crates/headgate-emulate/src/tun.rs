//! A TUN device in the network namespace of the calling thread.
//!
//! It offloads nothing: batches of the kernel's TCP (GSO) are cut into packets of the MTU before they are
//! read here, with correct checksums, and arriving packets are not merged. Queues therefore see packets.
#![allow(unsafe_code)] // the kernel's interface for devices is ioctl

use std::fs::OpenOptions;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};

/// Name of the device in every host.
pub const NAME: &str = "headgate";

/// Number of packets that wait in the kernel to be read: 100 ms of full ones at 1 Gbit/s.
const QUEUE: i32 = 10_000;

/// Lengths of the prefixes. All hosts are on one link.
const PREFIX4: u32 = 16;
const PREFIX6: u32 = 64;

/// The addresses of a host by its number, from 0: 10.72.0.1 and fd72::1 for the first one.
pub fn addresses(host: u32) -> (Ipv4Addr, Ipv6Addr) {
    let number = host as u16 + 1;
    (Ipv4Addr::from(0x0a48_0000 + u32::from(number)), Ipv6Addr::new(0xfd72, 0, 0, 0, 0, 0, 0, number))
}

/// The number of the host with an address, if one of `hosts` hosts has it.
pub fn host_of(address: std::net::IpAddr, hosts: u32) -> Option<u32> {
    let number = match address {
        std::net::IpAddr::V4(v4) => u32::from(v4).checked_sub(0x0a48_0000)?,
        std::net::IpAddr::V6(v6) => u32::try_from(u128::from(v6).checked_sub(0xfd72 << 112)?).ok()?,
    };
    (1..=hosts).contains(&number).then(|| number - 1)
}

#[repr(C)]
struct AddressOfSix {
    address: libc::in6_addr,
    prefix: u32,
    index: i32,
}

fn request(name: &str) -> libc::ifreq {
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, byte) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *place = byte as libc::c_char;
    }
    request
}

fn ask<T>(file: &impl AsRawFd, number: libc::c_ulong, argument: &mut T) -> io::Result<()> {
    let answer = unsafe { libc::ioctl(file.as_raw_fd(), number as _, std::ptr::from_mut(argument)) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn address4(address: Ipv4Addr) -> libc::sockaddr {
    let mut all: libc::sockaddr_in = unsafe { std::mem::zeroed() };
    all.sin_family = libc::AF_INET as libc::sa_family_t;
    all.sin_addr.s_addr = u32::from(address).to_be();
    unsafe { std::mem::transmute(all) }
}

/// Opens the device of a host, enabled and with its addresses; `lo` is enabled too.
pub fn open(host: u32, mtu: u32) -> io::Result<OwnedFd> {
    let mut options = OpenOptions::new();
    let tun = options.read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
    let mut name = request(NAME);
    name.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    ask(&tun, libc::TUNSETIFF as libc::c_ulong, &mut name)?;
    let control = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?;
    let (four, six) = addresses(host);
    set_four(&control, four)?;
    let mut size = request(NAME);
    size.ifr_ifru.ifru_mtu = mtu as i32;
    ask(&control, libc::SIOCSIFMTU as libc::c_ulong, &mut size)?;
    lengthen_queue(&control)?;
    for device in [NAME, "lo"] {
        bring_up(&control, device)?;
    }
    if mtu >= SMALLEST_MTU_OF_SIX {
        set_six(&control, six)?;
    }
    Ok(tun.into())
}

/// Smallest MTU with which a device supports IPv6 (RFC 8200 §5).
const SMALLEST_MTU_OF_SIX: u32 = 1280;

/// Sets the length of the queue. Only root may; otherwise the kernel's default stays, 500 packets.
fn lengthen_queue(control: &impl AsRawFd) -> io::Result<()> {
    let mut length = request(NAME);
    length.ifr_ifru.ifru_metric = QUEUE;
    match ask(control, libc::SIOCSIFTXQLEN as libc::c_ulong, &mut length) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        answer => answer,
    }
}

fn set_four(control: &impl AsRawFd, address: Ipv4Addr) -> io::Result<()> {
    let mask = Ipv4Addr::from(u32::MAX << (32 - PREFIX4));
    for (number, address) in [(libc::SIOCSIFADDR, address), (libc::SIOCSIFNETMASK, mask)] {
        let mut place = request(NAME);
        place.ifr_ifru.ifru_addr = address4(address);
        ask(control, number as libc::c_ulong, &mut place)?;
    }
    Ok(())
}

/// Sets the IPv6 address, unless the kernel does not support IPv6.
fn set_six(control: &impl AsRawFd, address: Ipv6Addr) -> io::Result<()> {
    let Ok(six) = socket(AddressFamily::Inet6, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None) else {
        return Ok(());
    };
    let mut index = request(NAME);
    ask(control, libc::SIOCGIFINDEX as libc::c_ulong, &mut index)?;
    let mut place = AddressOfSix {
        address: libc::in6_addr { s6_addr: address.octets() },
        prefix: PREFIX6,
        index: unsafe { index.ifr_ifru.ifru_ifindex },
    };
    match ask(&six, libc::SIOCSIFADDR as libc::c_ulong, &mut place) {
        Err(error) if error.raw_os_error() == Some(libc::EACCES) => Ok(()), // net.ipv6.conf.default.disable_ipv6
        answer => answer,
    }
}

fn bring_up(control: &impl AsRawFd, device: &str) -> io::Result<()> {
    let mut flags = request(device);
    ask(control, libc::SIOCGIFFLAGS as libc::c_ulong, &mut flags)?;
    unsafe { flags.ifr_ifru.ifru_flags |= (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short };
    ask(control, libc::SIOCSIFFLAGS as libc::c_ulong, &mut flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_its_host() {
        for host in [0, 1, 254, 255, 299] {
            let (four, six) = addresses(host);
            assert_eq!([four.into(), six.into()].map(|address| host_of(address, 300)), [Some(host); 2]);
            assert_eq!(host_of(four.into(), host), None);
        }
        for other in ["10.72.0.0", "10.71.255.255", "255.255.255.255", "fd72::", "ff02::1", "::1"] {
            assert_eq!(host_of(other.parse().expect("an address"), 300), None, "{other}");
        }
    }
}
