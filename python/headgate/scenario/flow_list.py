"""Flow lists: CSV or Parquet, read by DuckDB into columns of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.errors import ScenarioError
from headgate.scenario.table_file import fetch, open_table, to_numbers

_SIZES = {"size_packets": "packets", "size_pkts": "packets", "size_bytes": "bytes"}
_OPTIONAL = ("source", "receiver", "law")
RTT = "rtt_s"
#: A round trip is twice a delay, and no link has one of more than 1000 s.
_LONGEST_RTT_S = 2000.0


@dataclass(frozen=True)
class FlowList:
    """Flows in the order of their starts."""

    start_ps: NDArray[np.uint64]
    size: NDArray[np.float64]
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
    """Read `start_s`, `size_packets` or `size_bytes`, and perhaps rtt_s, source, receiver, law."""
    relation = open_table(path, place)
    columns = set(relation.columns)
    size = _size_column(columns, path, place)
    kept = [name for name in _OPTIONAL if name in columns]
    rows = fetch(relation, ["start_s", size], path, place)
    rtt_ps = _fetch_rtts(relation, path, place)
    start = to_numbers(rows["start_s"])
    order = np.argsort(start, kind="stable")  # equal starts stay in the order of the file
    start, sizes = start[order], to_numbers(rows[size])[order]
    _check(start, sizes, size, place)
    names = {name: _codes(relation, name, path, place) for name in kept}
    return FlowList(
        start_ps=_whole(np.round(start * 1e12)),
        size=sizes,
        in_bytes=_SIZES[size] == "bytes",
        names={name: (words, codes[order]) for name, (words, codes) in names.items()},
        rtt_ps=None if rtt_ps is None else rtt_ps[order],
    )


def read_shortest_rtt(path: str, place: str) -> int | None:
    """Return the shortest round trip of a list in ps, or None if it has none."""
    rtt_ps = _fetch_rtts(open_table(path, place), path, place)
    return None if rtt_ps is None or not rtt_ps.any() else int(rtt_ps[rtt_ps > 0].min())


def _size_column(columns: set[str], path: str, place: str) -> str:
    found = [name for name in _SIZES if name in columns]
    if "start_s" not in columns or len(found) != 1:
        raise ScenarioError(
            place,
            f"{path!r} has the columns {', '.join(sorted(columns))}; a flow list has start_s and "
            "one of size_packets, size_bytes",
        )
    return found[0]


def _check(start: NDArray[np.float64], size: NDArray[np.float64], name: str, place: str) -> None:
    if not len(start):
        raise ScenarioError(place, "the flow list is empty; it needs at least one row")
    for label, column, least in (("start_s", start, 0.0), (name, size, 1.0)):
        wrong = np.flatnonzero(~(np.isfinite(column) & (column >= least)))
        if len(wrong):
            raise ScenarioError(
                place,
                f"row {wrong[0] + 1} in order of start has {label} = {column[wrong[0]]:g}; "
                f"it must be a number of at least {least:g}",
            )


def _fetch_rtts(relation: Any, path: str, place: str) -> NDArray[np.uint64] | None:
    """Return the round trips in ps in the order of the file, 0 where there is none."""
    if RTT not in relation.columns:
        return None
    number = f"TRY_CAST({RTT} AS DOUBLE)"
    # what is no number is a mistake, not a missing one
    known = f"coalesce({number}, if({RTT} IS NULL, 'nan', '-inf')::DOUBLE) AS {RTT}"
    rtt_s = to_numbers(fetch(relation, [known], path, place)[RTT])
    wrong = ~(np.isnan(rtt_s) | ((rtt_s >= 1e-12) & (rtt_s <= _LONGEST_RTT_S)))
    if wrong.any():
        given = rtt_s[wrong][0]
        says = f"rtt_s = {given:g}" if np.isfinite(given) else "a word in rtt_s"
        allowed = f"it must be empty, or a number above 0 and at most {_LONGEST_RTT_S:g}"
        raise ScenarioError(place, f"a row has {says}; {allowed}")
    return _whole(np.round(np.nan_to_num(rtt_s) * 1e12))


def _whole(numbers: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Turn numbers into integers; those beyond 62 bits are as much too large for the engine."""
    return np.minimum(numbers, 2.0**62).astype(np.uint64)


def _codes(
    relation: Any, column: str, path: str, place: str
) -> tuple[list[str], NDArray[np.uint64]]:
    """Return the distinct words of a column in order, and each row's index into them."""
    rows = np.ma.asarray(fetch(relation, [f"{column}::VARCHAR AS word"], path, place)["word"])
    if np.ma.is_masked(rows):
        row = int(np.flatnonzero(np.ma.getmaskarray(rows))[0]) + 1
        raise ScenarioError(place, f"row {row} has no {column}; each row must name one, or none")
    words = sorted(set(rows.data))
    index = {word: code for code, word in enumerate(words)}
    return words, np.fromiter((index[word] for word in rows.data), np.uint64, len(rows))
