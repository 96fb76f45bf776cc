"""Captures: their TCP connections, counts of all packets, and the flows to replay."""

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

#: Wall time between two checks for Ctrl-C.
SLICE_S = 0.1
#: Name of the table of connections, and of its file.
CAPTURED = "captured"


@dataclass(frozen=True)
class Count:
    """Number of packets, and their bytes on the wire."""

    packets: int
    bytes: int

    def __add__(self, other: Count) -> Count:
        return Count(self.packets + other.packets, self.bytes + other.bytes)


@dataclass(frozen=True)
class Rates:
    """Bytes on the wire in time intervals of equal width; empty intervals are omitted."""

    width_s: float
    begin_s: NDArray[np.float64]
    to_clients: NDArray[np.uint64]
    """TCP bytes; `to_servers` likewise."""
    to_servers: NDArray[np.uint64]
    other: NDArray[np.uint64]


@dataclass(frozen=True)
class Capture:
    """The contents of a capture."""

    path: Path
    connections: Table
    """One row per TCP connection that carried data."""
    counts: Mapping[str, Count]
    """By kind of packet, as `headgate_capture::Kind` names them."""
    idle_connections: int
    idle: Count
    """Packets of TCP connections without data."""
    begin_s: float
    """Time of the first packet, since 1970."""
    span_s: float
    """Time from the first packet to the last."""
    steps_back: int
    """Number of packets that are more than a second earlier than the packet before them in the
    file."""
    snapped: int
    """Number of packets that the capture truncated."""
    strays: int
    """Number of TCP packets outside every window of their connection."""
    forgotten: int
    """Number of connections that were closed early to save memory."""
    other_links: Mapping[int, int]
    """Number of packets by link type, for types that are not read."""
    is_cut: bool
    damaged_at: int | None
    """Byte of the file at which no packet begins, if the file is damaged."""
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
"""Called now and then with the number of bytes read."""


def read_capture(path: Path, report: Report | None = None) -> Capture:
    """Read a capture. Raises HeadgateError if it is not one, StoreError if it cannot be read."""
    from headgate import _native

    try:
        path.open("rb").close()  # its errors do not contain the system's error number
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


_PLAIN = ("idle_connections", "steps_back", "snapped", "strays", "forgotten", "damaged_at")


def _form(path: Path, found: dict[str, Any]) -> Capture:
    begin_ns, end_ns = found["span_ns"] or (0, 0)
    return Capture(
        path=path,
        connections=_connections(found["connections"]),
        counts={name: Count(*count) for name, count in found["counts"].items()},
        idle=Count(*found["idle"]),
        begin_s=begin_ns / 1e9,
        span_s=(end_ns - begin_ns) / 1e9,
        other_links=dict(found["other_links"]),
        is_cut=found["cut"],
        **{name: found[name] for name in _PLAIN},
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


#: Longer times are clock errors, not round trips.
LONGEST_RTT_S = 1000.0


def keep_plausible(rtt_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return round trips, with NaN for values that a changed or coarse clock produced."""
    return np.where((rtt_s > 0) & (rtt_s <= LONGEST_RTT_S), rtt_s, np.nan)


#: Significant digits of a round trip; fewer if that leaves more distinct values than the third
#: number.
DIGITS, FEWER_DIGITS, MOST_DIFFERENT = 3, 2, 4000


@dataclass(frozen=True)
class Ends:
    """Routers that represent the servers and the clients of a capture."""

    servers: str = "left"
    clients: str = "right"


#: The routers of a dumbbell.
SIDES = Ends()


def list_flows(capture: Capture, ends: Ends, *, with_rtt: bool = True) -> Table:
    """Return the flows in the order of their starts, in the form of a scenario's `replay`.

    A flow begins one round trip before its first data, because its own handshake takes that long,
    but not before its connection. Its size is the number of bytes that its sequence numbers span.
    """
    found = capture.connections
    sizes = np.concatenate([found["server_bytes"], found["client_bytes"]])
    starts = np.concatenate([found["server_start_s"], found["client_start_s"]])
    firsts = np.concatenate([found["first_s"], found["first_s"]])
    starts = np.where(np.isnan(starts), firsts, starts)  # only its FIN says that there were data
    is_client = np.repeat([False, True], len(found))
    rows = np.flatnonzero(sizes > 0)
    rows = rows[np.lexsort((is_client[rows], starts[rows]))]
    names = (ends.servers, ends.clients)
    columns: dict[str, NDArray[Any] | Words] = {
        "start_s": starts[rows],
        "size_bytes": sizes[rows],
        "source": Words(is_client[rows], names),
        "receiver": Words(~is_client[rows], names),
    }
    if with_rtt:
        columns["rtt_s"] = round_rtts(np.concatenate([found["rtt_s"]] * 2)[rows])
    return Table("flow list", columns)


def round_rtts(rtt_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to few digits: each distinct round trip needs a separate host."""
    known = keep_plausible(rtt_s)
    rounded = _round_to(known, DIGITS)
    few = len(np.unique(rounded[np.isfinite(rounded)])) <= MOST_DIFFERENT
    return rounded if few else _round_to(known, FEWER_DIGITS)


def _round_to(numbers: NDArray[np.float64], digits: int) -> NDArray[np.float64]:
    few, of = np.unique(numbers, return_inverse=True)
    return np.array([float(f"{number:.{digits - 1}e}") for number in few.tolist()])[of]
