"""A capture, read by the engine: its TCP connections, and counts of all its packets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError, StoreError, explain_os
from headgate.data.columns import EVERY_TABLE
from headgate.data.tables import Table, Words

#: Wall time between two looks at whether the user has stopped it.
SLICE_S = 0.1
#: Name of the table of connections, and of its file.
CAPTURED = "captured"


@dataclass(frozen=True)
class Count:
    """Packets, and their bytes on the wire."""

    packets: int
    bytes: int

    def __add__(self, other: Count) -> Count:
        return Count(self.packets + other.packets, self.bytes + other.bytes)


@dataclass(frozen=True)
class Rates:
    """Bytes on the wire in spans of time of one width; those without a packet are left out."""

    width_s: float
    begin_s: NDArray[np.float64]
    to_clients: NDArray[np.uint64]
    """Of TCP; so are those to servers."""
    to_servers: NDArray[np.uint64]
    other: NDArray[np.uint64]


@dataclass(frozen=True)
class Capture:
    """What a capture has."""

    path: Path
    connections: Table
    """One row a TCP connection that carried data."""
    counts: Mapping[str, Count]
    """By kind of packet, as `headgate_capture::Kind` names them."""
    idle_connections: int
    idle: Count
    """Of TCP connections without data."""
    begin_s: float
    """When the first packet was captured, since 1970."""
    span_s: float
    """From the first packet to the last."""
    steps_back: int
    """Packets that are more than a second earlier than the one before them in the file."""
    snapped: int
    """Packets of which the capture has the beginning only."""
    strays: int
    """TCP packets that belong to no window of their connection."""
    forgotten: int
    """Connections that were taken for over to save memory."""
    other_links: Mapping[int, int]
    """Packets by kind of link, where that is not read."""
    is_cut: bool
    damaged_at: int | None
    """Byte of the file where no packet stands, if it is damaged."""
    rates: Rates

    @property
    def all(self) -> Count:
        """All packets."""
        return sum(self.counts.values(), Count(0, 0))

    @property
    def taken(self) -> Count:
        """The packets of connections that carried data."""
        tcp = self.counts["tcp"]
        return Count(tcp.packets - self.idle.packets, tcp.bytes - self.idle.bytes)


Report = Callable[[int], None]
"""Is called now and then with the number of bytes of the file that were read."""


def read_capture(path: Path, report: Report | None = None) -> Capture:
    """Read a capture. Raises HeadgateError if it is not one, StoreError if it cannot be read."""
    from headgate import _native

    try:
        path.open("rb").close()  # whose refusals have no number of the system's in their words
        reading = _native.Capture(path)
        while not reading.advance(SLICE_S):
            if report is not None:
                report(reading.consumed)
        return _form(path, reading.take_contents())
    except FileNotFoundError:
        raise StoreError(f"{path}: cannot be read: there is no such file") from None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {explain_os(error)}") from None
    except ValueError as error:
        raise HeadgateError(f"{path}: {error}") from None


def _form(path: Path, found: dict[str, Any]) -> Capture:
    begin_ns, end_ns = found["span_ns"] or (0, 0)
    return Capture(
        path=path,
        connections=_connections(found["connections"]),
        counts={name: Count(*count) for name, count in found["counts"].items()},
        idle_connections=found["idle_connections"],
        idle=Count(*found["idle"]),
        begin_s=begin_ns / 1e9,
        span_s=(end_ns - begin_ns) / 1e9,
        steps_back=found["steps_back"],
        snapped=found["snapped"],
        strays=found["strays"],
        forgotten=found["forgotten"],
        other_links=dict(found["other_links"]),
        is_cut=found["cut"],
        damaged_at=found["damaged_at"],
        rates=_rates(found["rates"], begin_ns),
    )


def _connections(columns: dict[str, Any]) -> Table:
    addresses = columns.pop("addresses")
    known = columns | {
        end: Words(columns[end], addresses if len(addresses) else [""])
        for end in ("client", "server")
    }
    return Table(CAPTURED, {column.name: known[column.name] for column in EVERY_TABLE[CAPTURED]})


def _rates(found: dict[str, Any], begin_ns: int) -> Rates:
    width_ns = found.pop("width_ns")
    number = found.pop("number")
    begin_s = (number - begin_ns / width_ns) * (width_ns / 1e9)
    return Rates(width_ns / 1e9, np.maximum(begin_s, 0.0), **found)
