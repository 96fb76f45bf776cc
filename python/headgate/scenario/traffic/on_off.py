"""Sources that alternate between on and off."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from headgate.scenario.base import Time, at
from headgate.scenario.group import (
    HOST_BYTES,
    Arrays,
    Group,
    Item,
    Need,
    Planner,
    count_hosts,
    pools,
)

#: Bytes of the random stream and timer of a source.
SOURCE_BYTES = 64


class OnOff(Group):
    """Sources that are on and off in turn, at times that no algorithm and no congestion moves.

    While a source is on, it always has data to send, over a separate connection to a random
    receiver, or over its first connection. Each begins with a time off.
    """

    kind: Literal["on_off"] = "on_off"
    hosts: int = Field(100, ge=1, le=10_000_000, description="Number of sources, and of receivers.")
    on: Time = Field(gt=0, description="Mean time that a source is on.")
    off: Time = Field(gt=0, description="Mean time that it is off.")
    shape: float | None = Field(
        None,
        gt=1,
        le=1000,
        description="Both times have Pareto's distribution of this shape; absent = exponential.",
    )
    connections: Literal["new", "kept"] = Field(
        "new",
        description="new: a source opens a connection whenever it turns on. kept: it continues on "
        "its first one, which stays open; each time on is a row of the flows, with its number.",
    )
    start: Time = Field(0, description="Before it no source is on.")
    stop: Time | None = Field(None, description="From here on no source is on; absent = the end.")

    @model_validator(mode="after")
    def _stops_after_it_starts(self) -> Self:
        if self.stop is not None and self.stop <= self.start:
            raise at("stop", "stop must be after start")
        return self

    @property
    def most_flows(self) -> int:
        """One per source that is on."""
        return self.hosts

    def lay_out(self, planner: Planner, item: Item) -> dict[str, Any]:
        """Return the sources of the plan."""
        return {
            "sources": pools(item.sources, self.hosts),
            "receivers": pools(item.receivers, self.hosts),
            "on_s": self.on / 1e12,
            "off_s": self.off / 1e12,
            "shape": self.shape,
            **self.mix_plan(planner, item.place),
            **({"keeps_connection": True} if self.connections == "kept" else {}),
            "start_ps": self.start,
            "stop_ps": planner.find_end(self.start, self.stop),
        }

    @classmethod
    def estimate(cls, item: Mapping[str, Any], _arrays: Arrays) -> Need:
        """Count sources, hosts and expected times on."""
        sources, receivers = count_hosts(item["sources"]), count_hosts(item["receivers"])
        span_s = max(0, item["stop_ps"] - item["start_ps"]) / 1e12
        cycle_s = sum(_mean_within(item[of], item["shape"], span_s) for of in ("on_s", "off_s"))
        flows = sources * span_s / cycle_s if span_s else 0
        hosts = f"{sources:,} sources and {receivers:,} receivers, {flows:,.0f} flows,"
        size = sources * (SOURCE_BYTES + HOST_BYTES) + receivers * HOST_BYTES
        return Need("hosts", hosts, size, flows)


def _mean_within(mean_s: float, shape: float | None, span_s: float) -> float:
    """Return the mean of min(time, span); a span contains one to two times span/mean renewals.

    Erickson 1973; a heavy tail has most of its mean in times longer than any run.
    """
    if shape is None:
        return -mean_s * math.expm1(-span_s / mean_s)
    least_s = mean_s * (shape - 1) / shape
    if span_s <= least_s:
        return span_s
    return least_s + least_s / (shape - 1) * (1 - math.pow(least_s / span_s, shape - 1))
