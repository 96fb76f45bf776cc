//! A host's end of the path: a TUN device of this kernel, or the socket that is the Ethernet card of another
//! kernel.
//!
//! Such a kernel (user-mode Linux) neither requests link addresses nor answers requests, because its card
//! does not use ARP. The header of all frames is therefore the same.

use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, setsockopt, socketpair,
    sockopt::{SndBuf, SndBufForce},
};
use nix::sys::uio::{readv, writev};
use nix::unistd::{read, write};

/// Length of an Ethernet header.
const HEADER_BYTES: usize = 14;

/// The link address of every card, a locally administered one. Each card is alone on its link.
const ADDRESS: [u8; 6] = [2, 0, 0, 72, 0, 1];

/// Types of frames.
const IPV4: [u8; 2] = [0x08, 0x00];
const IPV6: [u8; 2] = [0x86, 0xdd];

/// Bytes that wait for the other kernel, as this kernel counts them: some 1,000 full packets.
const WAITING_BYTES: usize = 4 << 20;

/// One end of a path.
#[derive(Debug)]
pub enum Device {
    /// IP packets.
    Tun(OwnedFd),
    /// Ethernet frames.
    Card(OwnedFd),
}

impl AsFd for Device {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tun(fd) | Self::Card(fd) => fd.as_fd(),
        }
    }
}

/// Creates a card: the loop's end, and the end for the other kernel.
///
/// # Errors
/// If the sockets cannot be created.
pub fn make_card() -> nix::Result<(Device, OwnedFd)> {
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let (here, there) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, flags)?;
    for end in [&here, &there] {
        // Only root may exceed the system's limit.
        setsockopt(end, SndBufForce, &WAITING_BYTES).or_else(|_| setsockopt(end, SndBuf, &WAITING_BYTES))?;
    }
    Ok((Device::Card(here), there))
}

impl Device {
    /// Reads a packet into `bytes`. Returns its length.
    ///
    /// # Errors
    /// EAGAIN if there is none.
    pub fn read(&self, bytes: &mut [u8]) -> nix::Result<usize> {
        match self {
            Self::Tun(fd) => read(fd, bytes),
            Self::Card(fd) => {
                let mut header = [0; HEADER_BYTES];
                let size = readv(fd, &mut [IoSliceMut::new(&mut header), IoSliceMut::new(bytes)])?;
                Ok(size.saturating_sub(HEADER_BYTES))
            }
        }
    }

    /// Writes a packet.
    ///
    /// # Errors
    /// The kernel's error; EAGAIN if the other kernel does not read.
    pub fn write(&self, packet: &[u8]) -> nix::Result<usize> {
        match self {
            Self::Tun(fd) => write(fd, packet),
            Self::Card(fd) => writev(fd, &[IoSlice::new(&header_of(packet)), IoSlice::new(packet)]),
        }
    }
}

/// The link address of a card, as text.
pub fn card_address() -> String {
    ADDRESS.map(|byte| format!("{byte:02x}")).join(":")
}

/// Returns the frame header of a packet.
fn header_of(packet: &[u8]) -> [u8; HEADER_BYTES] {
    let kind = if packet.first().is_some_and(|byte| byte >> 4 == 6) { IPV6 } else { IPV4 };
    let mut header = [0; HEADER_BYTES];
    header[..6].copy_from_slice(&ADDRESS);
    header[6..12].copy_from_slice(&ADDRESS);
    header[12..].copy_from_slice(&kind);
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_carries_packets_in_frames() {
        let (here, there) = make_card().expect("sockets");
        let there = Device::Tun(there);
        let mut frame = [0; 64];
        for (packet, kind) in [([0x45, 1, 2], IPV4), ([0x60, 1, 2], IPV6)] {
            assert_eq!(here.write(&packet), Ok(HEADER_BYTES + packet.len()));
            let size = there.read(&mut frame).expect("a frame");
            assert_eq!(frame[..size], [&ADDRESS[..], &ADDRESS, &kind, &packet].concat());
            there.write(&frame[..size]).expect("room");
            let mut back = [0; 64];
            assert_eq!(here.read(&mut back), Ok(packet.len()));
            assert_eq!(back[..packet.len()], packet);
        }
    }

    #[test]
    fn a_card_without_frames_has_no_packet() {
        let (here, there) = make_card().expect("sockets");
        assert_eq!(here.read(&mut [0; 64]), Err(nix::errno::Errno::EAGAIN));
        Device::Tun(there).write(&[0; HEADER_BYTES - 1]).expect("room");
        assert_eq!(here.read(&mut [0; 64]), Ok(0));
        assert_eq!(card_address(), "02:00:00:48:00:01");
    }
}
