"""Settings of network devices by the kernel's own calls: nothing need be installed for them."""

from __future__ import annotations

import ctypes
import fcntl
import socket
import struct

#: Linux's numbers (linux/sockios.h, linux/if.h, linux/ethtool.h).
_SET_NAME, _SET_FLAGS, _SET_ADDRESS, _SET_MASK, _SET_MTU = 0x8923, 0x8914, 0x8916, 0x891C, 0x8922
_ETHTOOL, _SET_GRO = 0x8946, 0x2C
_UP, _RUNNING, _NO_ARP = 0x1, 0x40, 0x80

_NAME_BYTES, _REQUEST_BYTES = 16, 40


def _ask(number: int, name: str, argument: bytes) -> None:
    request = name.encode().ljust(_NAME_BYTES, b"\0") + argument
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, number, request.ljust(_REQUEST_BYTES, b"\0"))


def _ipv4(address: str) -> bytes:
    return struct.pack("=HH", socket.AF_INET, 0) + socket.inet_aton(address)


def rename(name: str, to: str) -> None:
    """Rename a device that is down. Raises OSError."""
    _ask(_SET_NAME, name, to.encode())


def set_address(name: str, address: str, prefix: int) -> None:
    """Set the IPv4 address of a device. Raises OSError."""
    mask = (0xFFFFFFFF << (32 - prefix)) & 0xFFFFFFFF
    _ask(_SET_ADDRESS, name, _ipv4(address))
    _ask(_SET_MASK, name, _ipv4(socket.inet_ntoa(struct.pack("!I", mask))))


def set_mtu(name: str, mtu: int) -> None:
    """Set the longest packet, bytes. Raises OSError."""
    _ask(_SET_MTU, name, struct.pack("=i", mtu))


def bring_up(name: str, *, arp: bool = True) -> None:
    """Have a device work, with ARP or without. Raises OSError."""
    _ask(_SET_FLAGS, name, struct.pack("=H", _UP | _RUNNING | (0 if arp else _NO_ARP)))


def turn_gro_off(name: str) -> None:
    """Have packets come one by one. Raises OSError."""
    value = bytearray(struct.pack("=II", _SET_GRO, 0))
    place = (ctypes.c_char * len(value)).from_buffer(value)
    _ask(_ETHTOOL, name, struct.pack("=Q", ctypes.addressof(place)))
