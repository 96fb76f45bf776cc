"""Flows that arrive as a Poisson process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from headgate.scenario.base import Frequency, Time, at
from headgate.scenario.distributions import Sizes
from headgate.scenario.group import (
    HOST_BYTES,
    SIZE_KEYS,
    Arrays,
    Group,
    Item,
    Need,
    Planner,
    count_hosts,
    mean_packets,
    pools,
)


class Poisson(Group):
    """Flows that arrive as a Poisson process, between random hosts."""

    plan_keys: ClassVar[Mapping[str, str]] = SIZE_KEYS

    kind: Literal["poisson"] = "poisson"
    arrivals: Frequency | None = Field(None, description="Mean arrival rate.")
    load: float | None = Field(
        None,
        gt=0,
        le=1000,
        description="Offered load, in place of arrivals: a share of the least rate on the path, or "
        "of the network's rate if the hosts are at several places.",
    )
    size: Sizes = Field(description="File sizes.")
    hosts: int = Field(100, ge=1, le=10_000_000, description="Number of sources, and of receivers.")
    start: Time = Field(0, description="First possible arrival.")
    stop: Time | None = Field(None, description="No arrivals from here on; absent = the end.")

    @model_validator(mode="after")
    def _one_rate(self) -> Poisson:
        if (self.arrivals is None) == (self.load is None):
            raise at("arrivals", 'write either arrivals = "500 flows/s" or load = 0.9')
        if self.stop is not None and self.stop <= self.start:
            raise at("stop", "stop must be after start")
        return self

    @property
    def most_flows(self) -> int:
        """One per host."""
        return self.hosts

    def lay_out(self, planner: Planner, item: Item) -> dict[str, Any]:
        """Return the arrivals of the plan."""
        profile = planner.profile(self.transport)
        per_s = self.arrivals
        if per_s is None:
            bits = 8 * profile.packet_bytes * self.size.mean_sent(profile.segment_bytes)
            rate_bps = planner.layout.find_rate(item.sources, item.receivers)
            per_s = (self.load or 0.0) * rate_bps / bits
        return {
            "sources": pools(item.sources, self.hosts),
            "receivers": pools(item.receivers, self.hosts),
            "flows_per_s": per_s,
            "size": self.size.plan(profile.segment_bytes),
            **self.mix_plan(planner, item.place),
            "start_ps": self.start,
            "stop_ps": planner.find_end(self.start, self.stop),
        }

    @classmethod
    def estimate(cls, item: Mapping[str, Any], _arrays: Arrays) -> Need:
        """Count hosts and expected flows."""
        sources, receivers = count_hosts(item["sources"]), count_hosts(item["receivers"])
        span_s = max(0, item["stop_ps"] - item["start_ps"]) / 1e12
        flows = float(item["flows_per_s"] * span_s)
        hosts = f"{sources:,} sources and {receivers:,} receivers, {flows:,.0f} flows,"
        return Need("hosts", hosts, (sources + receivers) * HOST_BYTES, flows)

    @classmethod
    def offered_packets(cls, item: Mapping[str, Any], duration_s: float) -> float:
        """Return the expected packets of all files."""
        return float(item["flows_per_s"] * duration_s * mean_packets(item["size"]))

    def key_of(self, key: str) -> str | None:
        """Return the key that set the rate."""
        if key == "flows_per_s":
            return "arrivals" if self.load is None else "load"
        return super().key_of(key)
