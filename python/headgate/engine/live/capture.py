"""What passed the device of each host, as pcapng: whole packets, with the times of the loop."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from headgate.base.errors import StoreError, explain_os
from headgate.base.terminal import safe_file_name
from headgate.engine.traces.pcapng import BYTE_ORDER, INTERFACE, SECTION_HEADER

#: LINKTYPE_RAW: packets begin with their IP header.
RAW_IP = 101
ENHANCED_PACKET = 6
NAME, RESOLUTION, FLAGS = 2, 9, 2
NANOSECONDS = 9
INBOUND, OUTBOUND = 1, 2

#: Of each packet in the loop's file: time in ns, length, way, padding.
_HEAD = struct.Struct("<QIB3x")


def raw_files(folder: Path, hosts: Sequence[str]) -> list[Path]:
    """Return the files that the loop writes."""
    return [folder / f"{host}.raw" for host in hosts]


def write_captures(folder: Path, hosts: Sequence[str], out: Path, begun_s: float) -> list[Path]:
    """Make `capture-HOST.pcapng` in a run's folder of what the loop wrote. Raises StoreError.

    `begun_s` is the start in seconds since 1970.
    """
    made = [out / f"capture-{safe_file_name(host)}.pcapng" for host in hosts]
    try:
        for host, raw, path in zip(hosts, raw_files(folder, hosts), made, strict=True):
            with raw.open("rb") as packets, path.open("wb") as file:
                file.write(_head(host))
                file.writelines(_blocks(packets, round(begun_s * 1e9)))
    except OSError as error:
        raise StoreError(f"{out}: cannot be written: {explain_os(error)}") from None
    return made


def _head(host: str) -> bytes:
    end = struct.pack("<HH", 0, 0)
    section = struct.pack("<IHHq", BYTE_ORDER, 1, 0, -1)
    options = _option(NAME, host.encode()) + _option(RESOLUTION, bytes([NANOSECONDS])) + end
    interface = struct.pack("<HHI", RAW_IP, 0, 0) + options
    return _block(SECTION_HEADER, section) + _block(INTERFACE, interface)


def _blocks(packets: BinaryIO, begun_ns: int) -> Iterator[bytes]:
    while len(head := packets.read(_HEAD.size)) == _HEAD.size:
        time_ns, length, inwards = _HEAD.unpack(head)
        at = begun_ns + time_ns
        body = struct.pack("<IIIII", 0, at >> 32, at & 0xFFFFFFFF, length, length)
        body += _padded(packets.read(length))
        flags = _option(FLAGS, struct.pack("<I", INBOUND if inwards else OUTBOUND))
        yield _block(ENHANCED_PACKET, body + flags + struct.pack("<HH", 0, 0))


def _padded(value: bytes) -> bytes:
    return value + bytes(-len(value) % 4)


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + _padded(value)


def _block(kind: int, body: bytes) -> bytes:
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size
