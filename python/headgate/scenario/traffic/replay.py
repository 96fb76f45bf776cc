"""A list of flows from a CSV or Parquet file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from headgate.base.errors import CatalogError, ScenarioError
from headgate.scenario.cca import CcaChoice
from headgate.scenario.group import (
    LISTED_BYTES,
    Arrays,
    Group,
    Item,
    Need,
    Planner,
    place_at_rtt,
    place_of,
)
from headgate.scenario.networks.layout import Layout, Spot
from headgate.scenario.table_file import Numbers, UserTable, open_table

_SIZES = {"size_packets": "packets", "size_pkts": "packets", "size_bytes": "bytes"}
_OPTIONAL = ("source", "receiver", "cca")
RTT = "rtt_s"
#: All columns of a flow list.
COLUMNS = ("start_s", *_SIZES, RTT, *_OPTIONAL)
#: Twice the longest delay of a link.
_LONGEST_RTT_S = 2000.0


@dataclass(frozen=True)
class FlowList:
    """Flows in the order of their start times."""

    start_ps: NDArray[np.uint64]
    size: Numbers  # packets, or bytes if `in_bytes`
    in_bytes: bool
    names: dict[str, tuple[list[str], NDArray[np.uint64]]]  # words of a column, index of each row
    rtt_ps: NDArray[np.uint64] | None = None  # propagation round trips; 0 if a row has none

    def packets(self, segment_bytes: int) -> NDArray[np.uint64]:
        """Return the sizes in whole segments."""
        unit = segment_bytes if self.in_bytes else 1
        return _whole(np.ceil(self.size / unit))


def read_flow_list(path: str, place: str) -> FlowList:
    """Read start_s, size_packets or size_bytes, and any of rtt_s, source, receiver and cca."""
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
    """Return the place of the first use of a word in a column: `line 4`."""
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
    """Convert numbers to integers; the engine rejects those beyond 62 bits."""
    return np.minimum(numbers, 2.0**62).astype(np.uint64)


#: Each needs a host and a host link on either side.
MOST_ROUND_TRIPS = 10_000


class Replay(Group):
    """A list of flows from a CSV or Parquet file."""

    kind: Literal["replay"] = "replay"
    file: str = Field(
        description="Columns start_s, size_packets or size_bytes; optional rtt_s, source, receiver,"
        " cca."
    )

    def own_rtts_ps(self, place: str) -> tuple[int, ...]:
        """Return the round trip of the traffic, and the shortest one of the list."""
        shortest = read_shortest_rtt(self.file, f"{place}.file")
        return (*super().own_rtts_ps(place), *(() if shortest is None else (shortest,)))

    @property
    def most_flows(self) -> int:
        """Unknown before the file is read."""
        return 1

    def lay_out(self, planner: Planner, item: Item) -> dict[str, Any]:
        """Return the list of the plan; its columns become arrays."""
        file = f"{item.place}.file"
        flows = read_flow_list(self.file, file)
        places: dict[Spot, int] = {}
        source, receiver = (_number(places, end[0]) for end in (item.sources, item.receivers))
        segment_bytes = planner.profile(self.transport).segment_bytes
        columns = {
            "start_ps": flows.start_ps,
            "packets": flows.packets(segment_bytes),
            **self._ends(flows, planner.layout, item, places),
        }
        if "cca" in flows.names:
            words, codes = flows.names["cca"]
            ccas = [planner.add_cca(self._cca(word, file).plan()) for word in words]
            columns["law"] = np.array(ccas, np.uint64)[codes]
        planner.arrays |= {f"{item.name}.{name}": column for name, column in columns.items()}
        return {
            "key": item.name,
            "places": [place_of(spot) for spot in places],
            "source": source,
            "receiver": receiver,
            **self.mix_plan(planner, item.place),
        }

    def _ends(
        self, flows: FlowList, layout: Layout, item: Item, places: dict[Spot, int]
    ) -> dict[str, NDArray[np.uint64]]:
        """Return the places of each row, if it names them or sets a round trip."""
        file = f"{item.place}.file"
        spots, codes = {}, {}
        for column, own, default in (
            ("source", item.sources, layout.sources),
            ("receiver", item.receivers, layout.receivers),
        ):
            spots[column] = [own[0]]
            if column in flows.names:
                words, codes[column] = flows.names[column]
                spots[column] = [self._spot(layout, default, column, word, file) for word in words]
        if flows.rtt_ps is not None:
            return _ends_at_rtts(flows.rtt_ps, layout, (spots, codes), places, file)
        return {
            column: np.array([_number(places, spot) for spot in spots[column]], np.uint64)[code]
            for column, code in codes.items()
        }

    def _spot(
        self, layout: Layout, default: Sequence[Spot], column: str, word: str, place: str
    ) -> Spot:
        try:
            return layout.spots(default, word, place)[0]
        except ScenarioError as error:
            raise self._refusal(column, word, place, error.sentence) from None

    def _cca(self, word: str, place: str) -> CcaChoice:
        try:
            return CcaChoice.model_validate(word)
        except ValidationError as error:
            cause = error.errors()[0].get("ctx", {}).get("error", error)
        except CatalogError as error:
            cause = error
        raise self._refusal("cca", word, place, str(cause))

    def _refusal(self, column: str, word: str, place: str, says: str) -> ScenarioError:
        """Return the error of a word of a column, with its line."""
        where = find_word(self.file, place, column, word)
        return ScenarioError(place, f"{self.file!r}: {where} has {column} = {word!r}: {says}")

    @classmethod
    def estimate(cls, item: Mapping[str, Any], arrays: Arrays) -> Need:
        """Count the rows."""
        rows = len(arrays[f"{item['key']}.start_ps"])
        return Need("file", f"{rows:,} flows", rows * LISTED_BYTES, rows)


#: For source and receiver: the spots, and the index of each row, if not 0.
Ends = tuple[Mapping[str, list[Spot]], Mapping[str, NDArray[np.uint64]]]


def _ends_at_rtts(
    rtt_ps: NDArray[np.uint64], layout: Layout, ends: Ends, places: dict[Spot, int], file: str
) -> dict[str, NDArray[np.uint64]]:
    """Return places with the round trip of each row; equal rows share places."""
    spots, codes = ends
    rtts, of_rtt = np.unique(rtt_ps, return_inverse=True)
    shape = (len(spots["source"]), len(spots["receiver"]), len(rtts))
    none = np.zeros(len(rtt_ps), np.uint64)
    each = [np.asarray(codes.get(column, none), np.intp) for column in ("source", "receiver")]
    kinds, of_kind = np.unique(np.ravel_multi_index((*each, of_rtt), shape), return_inverse=True)
    if len(kinds) > MOST_ROUND_TRIPS:
        raise ScenarioError(
            file,
            f"its rows have {len(kinds):,} different ends and round trips; at most "
            f"{MOST_ROUND_TRIPS:,} are laid out, so round rtt_s",
        )
    numbers = []
    for source, receiver, rtt in zip(*np.unravel_index(kinds, shape), strict=True):
        pair = [spots["source"][source]], [spots["receiver"][receiver]]
        laid = place_at_rtt(layout, pair, int(rtts[rtt]), file) if rtts[rtt] else pair
        numbers.append([_number(places, end[0]) for end in laid])
    found = np.array(numbers, np.uint64)[of_kind]
    return {"source": found[:, 0], "receiver": found[:, 1]}


def _number(places: dict[Spot, int], spot: Spot) -> int:
    """Return the index of the place of `spot`, added if it is new."""
    return places.setdefault(replace(spot, weight=1.0), len(places))
