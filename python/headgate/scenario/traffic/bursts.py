"""Bursts on persistent connections."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from headgate.scenario.base import Time, at
from headgate.scenario.distributions import Sizes, Times
from headgate.scenario.group import (
    HOST_BYTES,
    SIZE_KEYS,
    Arrays,
    Group,
    Item,
    Need,
    Planner,
    place_of,
)
from headgate.scenario.traffic.flows import sending

#: Bytes of the record, random stream and timer of a connection.
CONNECTION_BYTES = 128
#: Duration of a burst, s, for estimates, which do not know the path.
BURST_S = 0.01


class Bursts(Group):
    """Persistent connections on which an application sends, pauses, and sends again.

    Each connection begins with a burst, and stays open for the next ones. A burst is a row of the
    flows, with its number. With `pause`, the next burst begins that long after the last ACK of the
    one before, as between the responses of a server. With `interval`, bursts begin at times that no
    algorithm and no congestion moves, as the segments of live video do; a burst that begins too
    early waits behind the one before.
    """

    names_its_ends: ClassVar[bool] = True
    plan_keys: ClassVar[Mapping[str, str]] = {
        **SIZE_KEYS,
        **{
            f"{key}.{unit}": f"{key}.mean"
            for key in ("pause", "interval")
            for unit in ("ps", "mean_s")
        },
    }

    kind: Literal["bursts"] = "bursts"
    count: int = Field(1, ge=1, le=1_000_000, description="Number of connections.")
    size: Sizes = Field(description="Sizes of bursts.")
    pause: Times | None = Field(
        None, description="Time from the last ACK of a burst to the start of the next one."
    )
    interval: Times | None = Field(
        None,
        description="Time from the start of a burst to that of the next one, in place of pause.",
    )
    bursts: int | None = Field(
        None,
        ge=1,
        le=2**32 - 1,
        description="Number of bursts of each connection, which then closes; absent = no limit.",
    )
    start: Time = Field(0, description="When the first connection begins.")
    stagger: Time = Field(0, description="Time from the start of one connection to the next.")
    stop: Time | None = Field(None, description="No burst begins from here on; absent = the end.")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if (self.pause is None) == (self.interval is None):
            raise at("pause", 'write either pause = "0.5 s" or interval = "2 s"')
        if self.interval is not None and self.interval.mean == 0:
            raise at("interval", "an interval must be above 0 s")
        if self.stop is not None and self.stop <= self.start + (self.count - 1) * self.stagger:
            raise at("stop", "each connection must start before stop, the last one included")
        return self

    @property
    def most_flows(self) -> int:
        """One per connection."""
        return self.count

    def lay_out(self, planner: Planner, item: Item) -> dict[str, Any]:
        """Return the connections of the plan, without absent features."""
        segment_bytes = planner.profile(self.transport).segment_bytes
        times = {"pause": self.pause, "interval": self.interval}
        return {
            "count": self.count,
            "sources": [place_of(spot) for spot in sending(self.count, item)],
            "receivers": [place_of(spot) for spot in item.receivers],
            "start_ps": self.start,
            "stagger_ps": self.stagger,
            "stop_ps": planner.find_end(self.start, self.stop),
            "size": self.size.plan(segment_bytes),
            **self.mix_plan(planner, item.place),
            **{key: time.plan() for key, time in times.items() if time is not None},
            **({} if self.bursts is None else {"bursts": self.bursts}),
        }

    @classmethod
    def estimate(cls, item: Mapping[str, Any], _arrays: Arrays) -> Need:
        """Count connections and expected bursts."""
        count, span_s = item["count"], max(0, item["stop_ps"] - item["start_ps"]) / 1e12
        cycle_s = BURST_S + _mean_s(item["pause"]) if "pause" in item else _mean_s(item["interval"])
        bursts = count * min(1 + span_s / cycle_s, item.get("bursts", math.inf))
        size = count * (2 * HOST_BYTES + CONNECTION_BYTES)
        return Need("count", f"{count:,} connections, {bursts:,.0f} bursts", size, bursts)


def _mean_s(times: Mapping[str, Any]) -> float:
    return float(times["ps"] / 1e12 if times["kind"] == "fixed" else times["mean_s"])
