"""Flow lists: CSV or Parquet, read by DuckDB into columns of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import ScenarioError
from headgate.scenario.table_file import Numbers, UserTable, open_table

_SIZES = {"size_packets": "packets", "size_pkts": "packets", "size_bytes": "bytes"}
_OPTIONAL = ("source", "receiver", "law")
RTT = "rtt_s"
#: Every column that a flow list may have.
COLUMNS = ("start_s", *_SIZES, RTT, *_OPTIONAL)
#: A round trip is twice a delay, and no link has one of more than 1000 s.
_LONGEST_RTT_S = 2000.0


@dataclass(frozen=True)
class FlowList:
    """Flows in the order of their starts."""

    start_ps: NDArray[np.uint64]
    size: Numbers
    """Packets or bytes, as `in_bytes` says."""
    in_bytes: bool
    names: dict[str, tuple[list[str], NDArray[np.uint64]]]
    """Column -> its distinct words, and each row's index into them."""
    rtt_ps: NDArray[np.uint64] | None = None
    """Propagation round trip of each; 0 where the row has none of its own."""

    def packets(self, segment_bytes: int) -> NDArray[np.uint64]:
        """Return the sizes in whole segments."""
        unit = segment_bytes if self.in_bytes else 1
        return _whole(np.ceil(self.size / unit))


def read_flow_list(path: str, place: str) -> FlowList:
    """Read start_s, size_packets or size_bytes, and any of rtt_s, source, receiver and law."""
    table = _open(path, place)
    size = _size_column(table)
    starts = _read_column(table, "start_s", 0.0)
    sizes = _read_column(table, size, 1.0)
    if not len(starts):
        raise ScenarioError(place, f"{path!r}: the flow list is empty; it needs at least one row")
    rtt_ps = _read_rtts(table)
    names = {name: table.words(name) for name in _OPTIONAL if name in table.columns}
    order = np.argsort(starts, kind="stable")  # equal starts stay in the order of the file
    return FlowList(
        start_ps=_whole(np.round(starts[order] * 1e12)),
        size=sizes[order],
        in_bytes=_SIZES[size] == "bytes",
        names={name: (words, codes[order]) for name, (words, codes) in names.items()},
        rtt_ps=None if rtt_ps is None else rtt_ps[order],
    )


def read_shortest_rtt(path: str, place: str) -> int | None:
    """Return the shortest round trip of a list in ps, or None if it has none."""
    rtt_ps = _read_rtts(_open(path, place))
    return None if rtt_ps is None or not rtt_ps.any() else int(rtt_ps[rtt_ps > 0].min())


def find_word(path: str, place: str, column: str, word: str) -> str:
    """Return where in the file a word of a column comes first: `line 4`."""
    table = _open(path, place)
    words, codes = table.words(column)
    return table.where(int(np.flatnonzero(codes == words.index(word))[0]))


def _open(path: str, place: str) -> UserTable:
    table = open_table(path, place)
    table.check_columns(COLUMNS)
    return table


def _size_column(table: UserTable) -> str:
    found = [name for name in _SIZES if name in table.columns]
    if "start_s" not in table.columns or len(found) != 1:
        raise ScenarioError(
            table.place,
            f"{table.path!r} has the columns {', '.join(sorted(table.columns))}; a flow list has"
            " start_s and one of size_packets, size_bytes",
        )
    return found[0]


def _read_column(table: UserTable, name: str, least: float) -> Numbers:
    allowed = f"a number of at least {least:g}"
    column = table.numbers(name, allowed)
    table.require(column >= least, name, column, allowed)
    return column


def _read_rtts(table: UserTable) -> NDArray[np.uint64] | None:
    """Return the round trips in ps in the order of the file, 0 if a row has none."""
    if RTT not in table.columns:
        return None
    allowed = f"empty, or a number above 0 and at most {_LONGEST_RTT_S:g}"
    rtt_s = table.numbers(RTT, allowed)
    good = np.isnan(rtt_s) | ((rtt_s >= 1e-12) & (rtt_s <= _LONGEST_RTT_S))
    table.require(good, RTT, rtt_s, allowed)
    return _whole(np.round(np.nan_to_num(rtt_s) * 1e12))


def _whole(numbers: Numbers) -> NDArray[np.uint64]:
    """Turn numbers into integers; those beyond 62 bits are as much too large for the engine."""
    return np.minimum(numbers, 2.0**62).astype(np.uint64)
