"""The control network between a user-mode Linux and its host: frames, and device settings."""

from __future__ import annotations

import ctypes
import fcntl
import socket
import struct
from enum import IntEnum

#: The control device, which carries no traffic of the simulated network (addresses of RFC 3927).
DEVICE, PREFIX, PORT = "control", 30, 4872
OUTSIDE, INSIDE = "169.254.72.1", "169.254.72.2"

_HEAD = struct.Struct("<BI")


class Kind(IntEnum):
    """Kinds of frames."""

    REQUEST = 0
    INPUT = 1
    SIGNAL = 2
    OUTPUT = 3
    ERRORS = 4
    ENDED = 5


def send(to: socket.socket, kind: Kind, data: bytes = b"") -> None:
    """Send a frame; an empty INPUT frame ends the input."""
    to.sendall(_HEAD.pack(kind, len(data)) + data)


def receive(of: socket.socket) -> tuple[Kind, bytes] | None:
    """Receive a frame; None after the peer closed."""
    head = _receive_all(of, _HEAD.size)
    if head is None:
        return None
    kind, size = _HEAD.unpack(head)
    data = _receive_all(of, size)
    return None if data is None else (Kind(kind), data)


def _receive_all(of: socket.socket, size: int) -> bytes | None:
    got = bytearray()
    while len(got) < size:
        try:
            part = of.recv(size - len(got))
        except ConnectionError:
            return None
        if not part:
            return None
        got += part
    return bytes(got)


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
    """Bring a device up, with ARP or without. Raises OSError."""
    _ask(_SET_FLAGS, name, struct.pack("=H", _UP | _RUNNING | (0 if arp else _NO_ARP)))


def turn_gro_off(name: str) -> None:
    """Turn receive offload off, so that packets arrive one by one. Raises OSError."""
    value = bytearray(struct.pack("=II", _SET_GRO, 0))
    place = (ctypes.c_char * len(value)).from_buffer(value)
    _ask(_ETHTOOL, name, struct.pack("=Q", ctypes.addressof(place)))
