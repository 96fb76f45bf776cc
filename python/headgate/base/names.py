"""Names of traffic in the results: each single flow gets a separate name.

All names of a plan are numbered in order. An item with `count` describes that many single
flows, one with `streams` that many streams of media, each with a number and a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Traffic = Sequence[Mapping[str, Any]]


def name_counts(traffic: Traffic) -> list[int]:
    """Return the number of names of each item of the traffic."""
    return [item.get("count", item.get("streams", 1)) for item in traffic]


def each_name(traffic: Traffic) -> Iterator[str]:
    """Yield all names in numerical order."""
    for item, count in zip(traffic, name_counts(traffic), strict=True):
        if count == 1:
            yield item["name"]
        else:
            yield from (f"{item['name']}.{number}" for number in range(count))


def single_flows(traffic: Traffic) -> Iterator[tuple[int, str]]:
    """Return the number and the name of each single flow."""
    single = (
        flag
        for item, count in zip(traffic, name_counts(traffic), strict=True)
        for flag in ["count" in item] * count
    )
    named = enumerate(each_name(traffic))
    return (pair for pair, is_single in zip(named, single, strict=True) if is_single)


def transport_of_each(traffic: Traffic) -> NDArray[np.int64]:
    """Return the index of the transport profile of each name."""
    return np.repeat(
        np.array([item["transport"] for item in traffic], np.int64), name_counts(traffic)
    )


class FreeNames:
    """Assigns unique names; names that users chose are reserved."""

    def __init__(self, reserved: Iterable[str] = (), separator: str = "-") -> None:
        self._taken, self._reserved, self._separator = set[str](), set(reserved), separator
        self._counts: dict[str, int] = {}

    def take(self, wanted: str, *, is_chosen: bool = False) -> str:
        """Return the wanted name if it is free, or else with the first free number."""
        name = wanted
        while name in self._taken or (
            name in self._reserved and not (is_chosen and name == wanted)
        ):
            self._counts[wanted] = self._counts.get(wanted, 1) + 1
            name = f"{wanted}{self._separator}{self._counts[wanted]}"
        self._taken.add(name)
        return name
