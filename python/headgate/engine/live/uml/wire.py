"""What a program's stand-in outside and the first process inside say to each other, in frames."""

from __future__ import annotations

import socket
import struct
from enum import IntEnum

#: The device between both, which carries nothing of the simulated network (RFC 3927's addresses).
DEVICE, PREFIX, PORT = "control", 30, 4872
OUTSIDE, INSIDE = "169.254.72.1", "169.254.72.2"

_HEAD = struct.Struct("<BI")


class Kind(IntEnum):
    """What a frame holds."""

    REQUEST = 0
    INPUT = 1
    SIGNAL = 2
    OUTPUT = 3
    ERRORS = 4
    ENDED = 5


def send(to: socket.socket, kind: Kind, data: bytes = b"") -> None:
    """Send a frame; an empty one of INPUT is the end of it."""
    to.sendall(_HEAD.pack(kind, len(data)) + data)


def receive(of: socket.socket) -> tuple[Kind, bytes] | None:
    """Receive a frame; None once the other end is closed."""
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
