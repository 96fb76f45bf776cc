"""Reads captures of TCP over IPv4 over Ethernet, from the drafts and RFCs, for tests."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Segment:
    """A packet of a capture, its headers read."""

    time_ns: int
    interface: str
    way: int
    wire_bytes: int
    ends: tuple[str, int, str, int]
    tos: int
    seq: int
    ack: int
    flags: int
    window: int
    payload: int
    options: dict[int, bytes] = field(default_factory=dict)

    @property
    def sacks(self) -> list[tuple[int, int]]:
        words = struct.iter_unpack(">II", self.options.get(5, b""))
        return [(first, end) for first, end in words]


@dataclass
class Capture:
    """A file: names of its interfaces, its comment, its packets."""

    comment: str
    interfaces: list[str]
    segments: list[Segment]


def read(path: Path) -> Capture:
    capture = Capture("", [], [])
    for kind, body in blocks(path.read_bytes()):
        if kind == 0x0A0D0D0A:
            magic, major, minor, length = struct.unpack_from("<IHHq", body)
            assert (magic, major, minor, length) == (0x1A2B3C4D, 1, 0, -1)
            capture.comment = options(body[16:])[1].decode()
        elif kind == 1:
            link, reserved, _ = struct.unpack_from("<HHI", body)
            assert (link, reserved) == (1, 0)
            block_options = options(body[8:])
            assert block_options[9] == b"\x09"
            capture.interfaces.append(block_options[2].decode())
        else:
            assert kind == 6
            capture.segments.append(packet(body, capture.interfaces))
    return capture


def blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        assert size % 4 == 0
        assert struct.unpack_from("<I", data, at + size - 4) == (size,)
        yield kind, data[at + 8 : at + size - 4]
        at += size
    assert at == len(data)


def options(data: bytes) -> dict[int, bytes]:
    found, at = {}, 0
    while True:
        code, size = struct.unpack_from("<HH", data, at)
        if code == 0:
            assert at + 4 == len(data)
            return found
        found[code] = data[at + 4 : at + 4 + size]
        at += 4 + size + -size % 4


def packet(body: bytes, interfaces: list[str]) -> Segment:
    interface, high, low, kept, wire = struct.unpack_from("<IIIII", body)
    frame = body[20 : 20 + kept]
    way = struct.unpack("<I", options(body[20 + kept + -kept % 4 :])[2])[0]
    goal, source, kind = frame[:6], frame[6:12], frame[12:14]
    assert kind == b"\x08\x00"
    ip = frame[14:]
    assert (goal[2:], source[2:]) == (ip[16:20], ip[12:16])
    assert (goal[:2], source[:2]) == (b"\x02\x00", b"\x02\x00")
    segment = ip_packet(ip, wire - 14)
    segment.time_ns, segment.interface = high << 32 | low, interfaces[interface]
    segment.way, segment.wire_bytes = way, wire
    return segment


def ip_packet(ip: bytes, wire: int) -> Segment:
    version, tos, total, _, fragment, life, protocol = struct.unpack_from(">BBHHHBB", ip)
    assert (version, fragment, life, protocol) == (0x45, 0x4000, 64, 6)
    assert total == wire
    assert checksum(ip[:20]) == 0
    tcp = ip[20:]
    pseudo = ip[12:20] + struct.pack(">BBH", 0, 6, total - 20)
    payload = total - len(ip)
    assert checksum(pseudo + tcp + bytes(payload)) == 0
    source_port, goal_port, seq, ack, offset, flags, window = struct.unpack_from(">HHIIBBH", tcp)
    assert offset >> 4 == len(tcp) // 4
    source, goal = (".".join(map(str, ip[at : at + 4])) for at in (12, 16))
    ends = (source, source_port, goal, goal_port)
    parsed_options = tcp_options(tcp[20:])
    return Segment(0, "", 0, 0, ends, tos, seq, ack, flags, window, payload, parsed_options)


def checksum(data: bytes) -> int:
    """RFC 1071, octet pair by octet pair."""
    data += bytes(len(data) % 2)
    total = 0
    for (word,) in struct.iter_unpack(">H", data):
        total += word
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def tcp_options(data: bytes) -> dict[int, bytes]:
    found, at = {}, 0
    while at < len(data):
        if data[at] == 1:
            at += 1
            continue
        size = data[at + 1]
        assert 2 <= size <= len(data) - at
        found[data[at]] = data[at + 2 : at + size]
        at += size
    return found
