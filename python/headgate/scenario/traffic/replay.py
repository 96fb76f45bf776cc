"""A list of flows from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from pydantic import Field, ValidationError

from headgate.errors import CatalogError, ScenarioError
from headgate.scenario.flow_list import read_flow_list
from headgate.scenario.group import LISTED_BYTES, Group, Item, Need
from headgate.scenario.law import LawChoice
from headgate.scenario.networks.layout import Spot
from headgate.scenario.places import place_of
from headgate.scenario.planner import Arrays, Planner


class Replay(Group):
    """A list of flows from a CSV or Parquet file."""

    kind: Literal["replay"] = "replay"
    file: str = Field(
        description="Columns start_s, size_packets or size_bytes; optional source, receiver, law."
    )

    @property
    def most_flows(self) -> int:
        """Nobody knows before the file is read."""
        return 1

    def lay_out(self, planner: Planner, item: Item) -> dict[str, Any]:
        """Give the list of the plan; its columns go among the arrays."""
        file = f"{item.place}.file"
        flows = read_flow_list(self.file, file)
        places: dict[Spot, int] = {}
        source, receiver = (_number(places, end[0]) for end in (item.sources, item.receivers))
        segment_bytes = planner.profile(self.transport).segment_bytes
        columns = {"start_ps": flows.start_ps, "packets": flows.packets(segment_bytes)}
        layout = planner.layout
        for column, default in (("source", layout.sources), ("receiver", layout.receivers)):
            if column in flows.names:
                words, codes = flows.names[column]
                spots = [layout.spots(default, word, file)[0] for word in words]
                columns[column] = np.array([_number(places, s) for s in spots], np.uint64)[codes]
        if "law" in flows.names:
            words, codes = flows.names["law"]
            laws = [planner.add_law(_law(word, file).plan()) for word in words]
            columns["law"] = np.array(laws, np.uint64)[codes]
        planner.arrays |= {f"{item.name}.{name}": column for name, column in columns.items()}
        return {
            "key": item.name,
            "places": [place_of(spot) for spot in places],
            "source": source,
            "receiver": receiver,
        }

    @classmethod
    def estimate(cls, item: Mapping[str, Any], arrays: Arrays) -> Need:
        """Count the rows."""
        rows = len(arrays[f"{item['key']}.start_ps"])
        return Need("file", f"{rows:,} flows", rows * LISTED_BYTES, rows)


def _number(places: dict[Spot, int], spot: Spot) -> int:
    """Give the index of the place of `spot`, added if it is new."""
    return places.setdefault(replace(spot, weight=1.0), len(places))


def _law(word: str, place: str) -> LawChoice:
    try:
        return LawChoice.model_validate(word)
    except ValidationError as error:
        cause = error.errors()[0].get("ctx", {}).get("error", error)
        raise ScenarioError(place, f"in the column 'law', {cause}") from None
    except CatalogError as error:
        raise ScenarioError(place, str(error)) from None
