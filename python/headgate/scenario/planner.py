"""What all traffic of a scenario shares in the plan: numbers of laws, profiles, names, arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import ScenarioError
from headgate.base.names import FreeNames
from headgate.scenario.networks.layout import Layout
from headgate.scenario.transport import Transport

Arrays = dict[str, NDArray[np.uint64]]


class Planner:
    """Collects profiles, laws, names and arrays while the traffic is laid out."""

    def __init__(
        self, layout: Layout, transport: Transport, duration_ps: int, chosen: Iterable[str] = ()
    ) -> None:
        self.layout, self.transport, self.duration_ps = layout, transport, duration_ps
        self.transports: list[dict[str, Any]] = []
        self.laws: list[dict[str, Any]] = []
        self.arrays: Arrays = {}
        self.files: list[str] = []
        self.names = FreeNames(chosen)

    def profile(self, own: Transport | None) -> Transport:
        """Return the profile of traffic: its own, or the scenario's."""
        return own or self.transport

    def add_transport(self, profile: Transport) -> int:
        """Return the number of a profile; those that differ by nothing are one."""
        plan = profile.plan(profile.preset)
        same = [i for i, known in enumerate(self.transports) if {**known, "name": ""} ==
                {**plan, "name": ""}]  # fmt: skip
        if same:
            return same[0]
        used = sum(known["name"].split("-")[0] == profile.preset for known in self.transports)
        plan["name"] = f"{profile.preset}-{used + 1}" if used else profile.preset
        return _index(self.transports, plan)

    def add_law(self, plan: dict[str, Any]) -> int:
        """Return the number of a law."""
        return _index(self.laws, plan)

    def add_file(self, name: str) -> int:
        """Return the number of a kind of file."""
        if name not in self.files:
            self.files.append(name)
        return self.files.index(name)

    def check_class(self, wanted: str | None, place: str) -> str:
        """Check that there are routers of that class; none is the empty word."""
        classes = sorted({class_name for _, class_name in self.layout.nodes if class_name})
        if wanted is not None and wanted not in classes:
            known = ", ".join(classes) or "none in this network"
            raise ScenarioError(place, f"{wanted!r} is not a class of routers; classes: {known}")
        return wanted or ""


def _index(items: list[dict[str, Any]], item: dict[str, Any]) -> int:
    """Return the index of `item`, added if it is new."""
    if item not in items:
        items.append(item)
    return items.index(item)
