"""A trace as captures for Wireshark, tshark and tcptrace (draft-ietf-opsawg-pcapng).

There is one file for the senders, one for the receivers, and one for each port, so that no packet
occurs twice in a file. An interface is a flow's host or a port; drops of a port and losses of its
link have separate interfaces.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from headgate.base.errors import HeadgateError, StoreError, explain_os
from headgate.base.terminal import safe_file_name
from headgate.data.tables import Table
from headgate.engine.traces.frames import INBOUND, OUTBOUND, find_connections, make_packet_blocks
from headgate.engine.traces.stored import Connections, StoredTrace

SECTION_HEADER, BYTE_ORDER, INTERFACE = 0x0A0D0D0A, 0x1A2B3C4D, 1
#: LINKTYPE_ETHERNET; libpcap 1.10 takes no second interface of raw IP.
ETHERNET = 1
NANOSECONDS = 9
COMMENT, APPLICATION, NAME, DESCRIPTION, RESOLUTION = 1, 4, 2, 3, 9

#: Events captured at a host, and their direction.
SENDERS = {
    **dict.fromkeys(("syn_sent", "sent", "retransmitted"), OUTBOUND),
    **dict.fromkeys(("syn_ack_received", "acknowledged"), INBOUND),
}
RECEIVERS = {
    **dict.fromkeys(("syn_received", "received"), INBOUND),
    **dict.fromkeys(("syn_ack_sent", "ack_sent"), OUTBOUND),
}
#: Events captured at a port, and the suffix of their interface.
PORT = {"departed": "", "dropped": " dropped", "link_loss": " lost"}


@dataclass
class _Capture:
    file: BinaryIO
    of: str
    interfaces: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> int:
        if name not in self.interfaces:
            self.interfaces[name] = len(self.interfaces)
            options = (NAME, name.encode()), (DESCRIPTION, self.of.encode())
            self.file.write(interface_block(ETHERNET, *options))
        return self.interfaces[name]


def write_pcapng(trace: StoredTrace) -> list[Path]:
    """Write the captures of a trace into its folder. Raises HeadgateError."""
    if any("quic" in profile for profile in trace.profiles.values()):
        says = "captures contain TCP headers, and this trace has flows of QUIC; take --qlog"
        raise HeadgateError(f"{trace.folder}: {says}")
    made: dict[str, _Capture] = {}
    connections, profiles = Connections(trace.connections), trace.profiles
    try:
        for part in trace.parts():
            for name, of, events, interfaces, ways in _captures(part, trace.meta["ports"]):
                capture = made.get(name) or made.setdefault(name, _begin(trace, name, of))
                numbers = {each: capture.number(each) for each in np.unique(interfaces).tolist()}
                rows = connections.rows_of(events["connection"], events["t_s"])
                known = find_connections(connections.table, rows, profiles)
                at = np.array([numbers[each] for each in interfaces.tolist()])
                capture.file.write(make_packet_blocks(events, known, at, ways))
    except OSError as error:
        raise StoreError(f"{trace.folder}: cannot be written: {explain_os(error)}") from None
    finally:
        for capture in made.values():
            capture.file.close()
    return [Path(capture.file.name) for capture in made.values()]


def _begin(trace: StoredTrace, name: str, of: str) -> _Capture:
    file = (trace.folder / f"{name}.pcapng").open("wb")
    says, application = str(trace.meta["says"]), f"Headgate {trace.meta['headgate']}"
    file.write(section_header((COMMENT, says.encode()), (APPLICATION, application.encode())))
    return _Capture(file, of)


def _captures(part: Table, ports: list[str]) -> Iterator[tuple[str, str, Table, Any, Any]]:
    """Yield name, description, events, interface names and directions of each file."""
    event, link = part["event"], part["link"]
    for name, ways in (("senders", SENDERS), ("receivers", RECEIVERS)):
        rows = np.isin(event, list(ways))
        if rows.any():
            events = part.where(rows)
            directions = events.translate("event", defaultdict(int, ways).__getitem__)
            yield name, f"{name[:-1]}'s host", events, events["flow"], directions
    for port in ports:
        rows = (link == port) & np.isin(event, list(PORT))
        if rows.any():
            events = part.where(rows)
            added = events.translate("event", defaultdict(str, PORT).__getitem__)
            interfaces, outward = np.char.add(port, added), np.full(len(events), OUTBOUND)
            yield f"port-{safe_file_name(port)}", "output port", events, interfaces, outward


def section_header(*options: tuple[int, bytes]) -> bytes:
    """Return the block that begins a file."""
    body = struct.pack("<IHHq", BYTE_ORDER, 1, 0, -1)
    return make_block(SECTION_HEADER, body + pack_options(*options))


def interface_block(link_type: int, *options: tuple[int, bytes]) -> bytes:
    """Return the block of an interface whose times are in nanoseconds."""
    body = struct.pack("<HHI", link_type, 0, 0)
    return make_block(INTERFACE, body + pack_options(*options, (RESOLUTION, bytes([NANOSECONDS]))))


def pack_options(*options: tuple[int, bytes]) -> bytes:
    """Return the options of a block and their end; nothing if there are none."""
    packed = [struct.pack("<HH", code, len(value)) + pad(value) for code, value in options]
    return b"".join((*packed, struct.pack("<HH", 0, 0))) if packed else b""


def pad(value: bytes) -> bytes:
    """Return bytes padded to whole words of four."""
    return value + bytes(-len(value) % 4)


def make_block(kind: int, body: bytes) -> bytes:
    """Return a block."""
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size
