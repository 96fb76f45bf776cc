"""A trace as captures, which Wireshark, tshark and tcptrace open (draft-ietf-opsawg-pcapng).

One file for the senders, one for the receivers, one for each port, so that no packet is twice in
one. An interface is a flow's host, or a port; what a port drops and what its link loses have
interfaces of their own.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from headgate.base.errors import StoreError, explain_os
from headgate.base.terminal import safe_file_name
from headgate.data.tables import Table
from headgate.engine.traces.frames import INBOUND, OUTBOUND, find_connections, make_packet_blocks
from headgate.engine.traces.stored import Connections, StoredTrace

SECTION_HEADER, BYTE_ORDER, INTERFACE = 0x0A0D0D0A, 0x1A2B3C4D, 1
#: LINKTYPE_ETHERNET; libpcap 1.10 takes no second interface of raw IP.
ETHERNET = 1
NANOSECONDS = 9
COMMENT, APPLICATION, NAME, DESCRIPTION, RESOLUTION = 1, 4, 2, 3, 9

#: What is captured at a host, and which way it goes.
SENDERS = {
    **dict.fromkeys(("syn_sent", "sent", "retransmitted"), OUTBOUND),
    **dict.fromkeys(("syn_ack_received", "acknowledged"), INBOUND),
}
RECEIVERS = {
    **dict.fromkeys(("syn_received", "received"), INBOUND),
    **dict.fromkeys(("syn_ack_sent", "ack_sent"), OUTBOUND),
}
#: What is captured at a port, and what that adds to the name of its interface.
PORT = {"departed": "", "dropped": " dropped", "link_loss": " lost"}


@dataclass
class _Capture:
    """A file, and the interfaces that it has so far."""

    file: BinaryIO
    of: str
    interfaces: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """Return the number of an interface, which is written when it is new."""
        if name not in self.interfaces:
            self.interfaces[name] = len(self.interfaces)
            self.file.write(_interface_block(name, self.of))
        return self.interfaces[name]


def write_pcapng(trace: StoredTrace) -> list[Path]:
    """Write the captures of a trace into its folder. Raises StoreError."""
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
    file.write(_section_header(trace.meta))
    return _Capture(file, of)


def _captures(part: Table, ports: list[str]) -> Iterator[tuple[str, str, Table, Any, Any]]:
    """Yield for each file: its name, what it is of, events, names of interfaces, directions."""
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
            interfaces = np.char.add(port, added)
            yield (
                f"port-{safe_file_name(port)}",
                "output port",
                events,
                interfaces,
                _out(len(events)),
            )


def _out(count: int) -> Any:
    return np.full(count, OUTBOUND)


def _section_header(meta: Mapping[str, Any]) -> bytes:
    body = struct.pack("<IHHq", BYTE_ORDER, 1, 0, -1)
    says = _option(COMMENT, str(meta["says"]).encode())
    return _block(SECTION_HEADER, body + says + _option(APPLICATION, _application(meta)) + _END)


def _application(meta: Mapping[str, Any]) -> bytes:
    return f"Headgate {meta['headgate']}".encode()


def _interface_block(name: str, of: str) -> bytes:
    options = _option(NAME, name.encode()) + _option(DESCRIPTION, of.encode())
    resolution = _option(RESOLUTION, bytes([NANOSECONDS]))
    return _block(INTERFACE, struct.pack("<HHI", ETHERNET, 0, 0) + options + resolution + _END)


_END = struct.pack("<HH", 0, 0)


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def _block(kind: int, body: bytes) -> bytes:
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size
