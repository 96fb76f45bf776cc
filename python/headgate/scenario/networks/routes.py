"""Routes between the routers of a network, found by the engine: as its packets will take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from headgate._native import Routes as NativeRoutes

Way = tuple[int, int, int]
"""A link: the routers where it begins and ends, and its delay in ps."""


class Routes:
    """Shortest routes by delay; of several the one with the fewest links, then the first one."""

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
        """Number the routers by groups whose members reach one another."""
        return self._found.groups()

    def delay_ps(self, source: int, receiver: int) -> int | None:
        """Return the delay of the route; None if there is none."""
        return self._found.delay_ps(source, receiver)

    def find_unserved(
        self, sources: Iterable[int], receivers: Iterable[int], serving: Sequence[bool]
    ) -> list[int] | None:
        """Return the links of a path from a source to a receiver with no serving link, if any."""
        return self._found.unserved(sorted(sources), sorted(receivers), list(serving))

    def loads(
        self, sources: Mapping[int, float], receivers: Mapping[int, float]
    ) -> tuple[NDArray[np.float64], float] | None:
        """Return each link's share of what all ask of all, and the mean delay in ps."""
        return self._found.loads(self._weights(sources), self._weights(receivers))

    def _weights(self, of_nodes: Mapping[int, float]) -> NDArray[np.float64]:
        weights = np.zeros(self.nodes)
        for node, weight in of_nodes.items():
            weights[node] = weight
        return weights
