"""Single flows, endless or of a given size, which may pause."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from headgate.base.errors import ScenarioError
from headgate.scenario.base import FileSize, Time, at
from headgate.scenario.distributions import packets_of
from headgate.scenario.group import (
    HOST_BYTES,
    LISTED_BYTES,
    Arrays,
    Group,
    Item,
    Need,
    Planner,
    place_of,
)
from headgate.scenario.networks.layout import Spot
from headgate.scenario.periods import Period, list_spans


class Pause(Period):
    """A time at which applications send nothing new; their connections stay open."""

    start: Time = Field(description="When they pause, from the start of the run.")
    duration: Time = Field(gt=0, description="How long they pause.")
    every: Time | None = Field(
        None, description="Time from one pause to the next, until the run ends; absent = one."
    )


#: Fits into 64 bits; the engine rejects it as a number of packets.
MOST = 2**62


class Flows(Group):
    """Single flows, endless or of a given size."""

    names_its_ends: ClassVar[bool] = True
    plan_keys: ClassVar[Mapping[str, str]] = {"packets": "size"}

    kind: Literal["flows"] = "flows"
    count: int = Field(1, ge=1, le=1_000_000, description="Number of flows.")
    size: FileSize | None = Field(None, description="Size of each flow; absent = endless.")
    start: Time = Field(0, description="When the first one starts.")
    stagger: Time = Field(0, description="Time from one start to the next.")
    stop: Time | None = Field(
        None, description="No flow sends anything new from here on; absent = the end."
    )
    pauses: tuple[Pause, ...] = Field(
        (),
        description="Times at which the applications of all flows send nothing new. Afterwards they"
        " continue on the same connections; after_idle of the transport sets the window.",
    )

    @model_validator(mode="after")
    def _stops_after_it_starts(self) -> Self:
        if self.stop is not None and self.stop <= self.start + (self.count - 1) * self.stagger:
            raise at("stop", "each flow must stop after it starts, the last one included")
        return self

    @property
    def most_flows(self) -> int:
        """One per flow."""
        return self.count

    def lay_out(self, planner: Planner, item: Item) -> dict[str, Any]:
        """Return the flows of the plan."""
        senders = sending(self.count, item)
        segment_bytes = planner.profile(self.transport).segment_bytes
        size = None if self.size is None else math.ceil(packets_of(self.size, segment_bytes))
        pauses = list_spans(self.pauses, planner.duration_ps, f"{item.place}.pauses")
        return {
            "count": self.count,
            "sources": [place_of(spot) for spot in senders],
            "receivers": [place_of(spot) for spot in item.receivers],
            "start_ps": self.start,
            "stagger_ps": self.stagger,
            "packets": size if size is None else min(size, MOST),
            **self.mix_plan(planner, item.place),
            **({} if self.stop is None else {"stop_ps": self.stop}),
            **({"pauses": pauses} if pauses else {}),
        }

    @classmethod
    def estimate(cls, item: Mapping[str, Any], _arrays: Arrays) -> Need:
        """Count two hosts and a place in a list for each flow."""
        count = item["count"]
        return Need("count", f"{count:,} flows", count * (2 * HOST_BYTES + LISTED_BYTES), count)


def sending(count: int, item: Item) -> list[Spot]:
    """Return the sources of `count` flows in turn. Raises ScenarioError for a flow to itself."""
    senders = item.sources[:count]
    ends = {spot.node for spot in item.receivers}
    if len(ends) == 1 and ends & {spot.node for spot in senders}:
        raise ScenarioError(item.place, "a flow would start and end at the same router")
    return senders
