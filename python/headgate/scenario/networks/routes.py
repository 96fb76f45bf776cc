"""Routes between the routers of a network, computed by the engine as for its packets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from headgate._native import Routes as NativeRoutes

#: A link: the routers at its ends, and its delay in ps.
Way = tuple[int, int, int]


class Routes:
    """Routes of least delay; among equal ones the first of those with the fewest links."""

    def __init__(self, nodes: int, ways: Sequence[Way]) -> None:
        self.nodes, self.ways = nodes, ways

    @cached_property
    def _found(self) -> NativeRoutes:
        from headgate._native import Routes

        return Routes(
            self.nodes,
            np.array([source for source, _, _ in self.ways], np.uint32),
            np.array([target for _, target, _ in self.ways], np.uint32),
            np.array([delay_ps for _, _, delay_ps in self.ways], np.uint64),
        )

    @cached_property
    def groups(self) -> list[int]:
        """The group of each router; routers of a group reach each other."""
        return self._found.groups()

    def delay_ps(self, source: int, receiver: int) -> int | None:
        """Return the delay of the route; None if there is none."""
        return self._found.delay_ps(source, receiver)

    def find_unserved(
        self, sources: Iterable[int], receivers: Iterable[int], serving: Sequence[bool]
    ) -> list[int] | None:
        """Return the links of a path from a source to a receiver with no serving link, if any."""
        return self._found.unserved(sorted(sources), sorted(receivers), list(serving))

    def links_of(self, source: int, receiver: int) -> list[int]:
        """Return the links of the route from one router to another, in no order."""
        return self.find_unserved([source], [receiver], [False] * len(self.ways)) or []

    def loads(
        self, sources: Mapping[int, float], receivers: Mapping[int, float]
    ) -> tuple[NDArray[np.float64], float] | None:
        """Return the share of flows at each link, and the mean delay in ps."""
        return self._found.loads(self._weights(sources), self._weights(receivers))

    def _weights(self, of_nodes: Mapping[int, float]) -> NDArray[np.float64]:
        weights = np.zeros(self.nodes)
        for node, weight in of_nodes.items():
            weights[node] = weight
        return weights
