"""Captures made packet by packet, for tests: pcap of Ethernet, from the RFCs."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
CLIENT, SERVER = ("10.0.0.1", 40_000), ("192.0.2.7", 443)
CLIENT_ISN, SERVER_ISN = 1000, 5_000_000


@dataclass(frozen=True)
class Frame:
    """Bytes at a time, of which the capture may have fewer."""

    time_s: float
    data: bytes
    wire: int


def tcp(  # noqa: PLR0917 - in the order of the header
    time_s: float,
    ends: tuple[tuple[str, int], tuple[str, int]],
    seq: int,
    ack: int,
    flags: int,
    size: int = 0,
) -> Frame:
    """A segment whose payload was not captured."""
    (_, source), (_, target) = ends
    numbers = (seq % 2**32, ack % 2**32)
    segment = struct.pack(">HHIIBBHHH", source, target, *numbers, 0x50, flags, 65535, 0, 0)
    return ip(time_s, (ends[0][0], ends[1][0]), 6, segment, size)


def udp(time_s: float, port: int, size: int) -> Frame:
    head = struct.pack(">HHHH", 5555, port, 8 + size, 0)
    return ip(time_s, (CLIENT[0], SERVER[0]), 17, head, size)


def ip(time_s: float, hosts: tuple[str, str], protocol: int, inside: bytes, size: int) -> Frame:
    addresses = b"".join(bytes(map(int, host.split("."))) for host in hosts)
    length = 20 + len(inside) + size
    head = struct.pack(">BBHHHBBH", 0x45, 0, length, 0, 0x4000, 64, protocol, 0) + addresses
    data = bytes.fromhex("020000000001 020000000002 0800") + head + inside
    return Frame(time_s, data, len(data) + size)


def exchange(
    begin_s: float = 0.0,
    rtt_s: float = 0.04,
    up: int = 100,
    down: int = 3000,
    client: tuple[str, int] = CLIENT,
) -> list[Frame]:
    """A whole connection as its client sees it; the server thinks for half a round trip."""
    to, back = (client, SERVER), (SERVER, client)
    c, s = CLIENT_ISN + 1, SERVER_ISN + 1
    at = [begin_s + rtt_s * n for n in (0, 1, 2.5, 3.5)]
    answer = [
        tcp(at[2], back, s + sent, c + up, ACK, min(1000, down - sent))
        for sent in range(0, down, 1000)
    ]
    return [
        tcp(at[0], to, c - 1, 0, SYN),
        tcp(at[1], back, s - 1, c, SYN | ACK),
        tcp(at[1], to, c, s, ACK),
        tcp(at[1], to, c, s, ACK | PSH, up),
        *answer,
        tcp(at[2], back, s + down, c + up, FIN | ACK),
        tcp(at[2], to, c + up, s + down + 1, FIN | ACK),
        tcp(at[3], back, s + down + 1, c + up + 1, ACK),
    ]


def write(path: Path, frames: Sequence[Frame], link: int = 1) -> Path:
    """Write pcap in nanoseconds, in the order of time."""
    parts = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262_144, link)]
    for frame in sorted(frames, key=lambda frame: frame.time_s):
        time_ns = round(frame.time_s * 1e9)
        sizes = (len(frame.data), frame.wire)
        parts += [struct.pack("<IIII", *divmod(time_ns, 10**9), *sizes), frame.data]
    path.write_bytes(b"".join(parts))
    return path
