"""A list of flows from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from headgate.base.errors import CatalogError, ScenarioError
from headgate.scenario.flow_list import (
    FlowList,
    find_word,
    read_flow_list,
    read_shortest_rtt,
)
from headgate.scenario.group import LISTED_BYTES, Group, Item, Need
from headgate.scenario.law import LawChoice
from headgate.scenario.networks.layout import Layout, Spot
from headgate.scenario.places import at_rtt, place_of
from headgate.scenario.planner import Arrays, Planner

#: Each is a host and a host link of its own, on either side.
MOST_ROUND_TRIPS = 10_000


class Replay(Group):
    """A list of flows from a CSV or Parquet file."""

    kind: Literal["replay"] = "replay"
    file: str = Field(
        description="Columns start_s, size_packets or size_bytes; optional rtt_s, source, receiver,"
        " law."
    )

    def own_rtts_ps(self, place: str) -> tuple[int, ...]:
        """Return its own round trip, and the shortest one of the list."""
        shortest = read_shortest_rtt(self.file, f"{place}.file")
        return (*super().own_rtts_ps(place), *(() if shortest is None else (shortest,)))

    @property
    def most_flows(self) -> int:
        """Nobody knows before the file is read."""
        return 1

    def lay_out(self, planner: Planner, item: Item) -> dict[str, Any]:
        """Return the list of the plan; its columns go among the arrays."""
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
        if "law" in flows.names:
            words, codes = flows.names["law"]
            laws = [planner.add_law(self._law(word, file).plan()) for word in words]
            columns["law"] = np.array(laws, np.uint64)[codes]
        planner.arrays |= {f"{item.name}.{name}": column for name, column in columns.items()}
        return {
            "key": item.name,
            "places": [place_of(spot) for spot in places],
            "source": source,
            "receiver": receiver,
        }

    def _ends(
        self, flows: FlowList, layout: Layout, item: Item, places: dict[Spot, int]
    ) -> dict[str, NDArray[np.uint64]]:
        """Return the places of the ends that each row names, or that its round trip needs."""
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

    def _law(self, word: str, place: str) -> LawChoice:
        try:
            return LawChoice.model_validate(word)
        except ValidationError as error:
            cause = error.errors()[0].get("ctx", {}).get("error", error)
        except CatalogError as error:
            cause = error
        raise self._refusal("law", word, place, str(cause))

    def _refusal(self, column: str, word: str, place: str, says: str) -> ScenarioError:
        """Make the error of a word of a column, with its line."""
        where = find_word(self.file, place, column, word)
        return ScenarioError(place, f"{self.file!r}: {where} has {column} = {word!r}: {says}")

    @classmethod
    def estimate(cls, item: Mapping[str, Any], arrays: Arrays) -> Need:
        """Count the rows."""
        rows = len(arrays[f"{item['key']}.start_ps"])
        return Need("file", f"{rows:,} flows", rows * LISTED_BYTES, rows)


Ends = tuple[Mapping[str, list[Spot]], Mapping[str, NDArray[np.uint64]]]
"""Of source and receiver: the spots that there are, and each row's index into them, if not 0."""


def _ends_at_rtts(
    rtt_ps: NDArray[np.uint64], layout: Layout, ends: Ends, places: dict[Spot, int], file: str
) -> dict[str, NDArray[np.uint64]]:
    """Return each row places of its round trip; those of equal ends and round trip share theirs."""
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
        laid = at_rtt(layout, pair, int(rtts[rtt]), file) if rtts[rtt] else pair
        numbers.append([_number(places, end[0]) for end in laid])
    found = np.array(numbers, np.uint64)[of_kind]
    return {"source": found[:, 0], "receiver": found[:, 1]}


def _number(places: dict[Spot, int], spot: Spot) -> int:
    """Return the index of the place of `spot`, added if it is new."""
    return places.setdefault(replace(spot, weight=1.0), len(places))
