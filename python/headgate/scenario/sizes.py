"""File sizes: their distributions, and what they come to in whole packets."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from pydantic import ConfigDict, Field, model_validator

from headgate.base.units import Amount
from headgate.scenario.base import FileSize, Model, also_text, at

#: Sizes of a Pareto distribution that are counted one by one; beyond them sum and integral agree.
_COUNTED = 10_000


class Sizes(Model):
    """File sizes: fixed, exponential, or Pareto with the given mean."""

    model_config = ConfigDict(json_schema_extra=also_text)

    kind: Literal["fixed", "exponential", "pareto"] = Field(description="Kind of distribution.")
    mean: FileSize = Field(description="Mean file size, in packets or bytes.")
    shape: float | None = Field(
        None, gt=1, le=1000, description="Pareto's shape; the tail is heavy near 1."
    )

    @model_validator(mode="before")
    @classmethod
    def _from_one_size(cls, given: Any) -> Any:
        """Read `size = "100 packets"` as files that are all of that size."""
        return {"kind": "fixed", "mean": given} if isinstance(given, str | int | float) else given

    @model_validator(mode="after")
    def _shape_is_for_pareto(self) -> Sizes:
        if (self.kind == "pareto") != (self.shape is not None):
            raise at("shape", "a 'pareto' size has a shape, such as 1.5; other sizes have none")
        return self

    def plan(self, segment_bytes: int) -> dict[str, Any]:
        """Make the sizes of the plan, in packets."""
        packets = packets_of(self.mean, segment_bytes)
        if self.kind == "fixed":
            return {"kind": "fixed", "packets": float(math.ceil(packets))}
        if self.kind == "exponential":
            return {"kind": "exponential", "mean_packets": packets}
        return {"kind": "pareto", "mean_packets": packets, "shape": self.shape}

    def mean_sent(self, segment_bytes: int) -> float:
        """Return the mean of what is sent: the nearest whole packets of a size, at least one."""
        packets = packets_of(self.mean, segment_bytes)
        if self.kind == "fixed":
            return float(math.ceil(packets))
        if self.kind == "exponential":
            return _exponential(packets)
        assert self.shape is not None
        return _pareto(packets, self.shape)


# A whole number N of at least 1 has the mean 1 + P(N >= 2) + P(N >= 3) + ..., and a size X rounded
# is at least n where X >= n - 1/2.


def _exponential(mean: float) -> float:
    return 1 + math.exp(-1.5 / mean) / -math.expm1(-1 / mean)


def _pareto(mean: float, shape: float) -> float:
    """Sum the tail: sizes below the least for certain, some one by one, the rest as an integral."""
    least = mean * (shape - 1) / shape
    certain = max(0, math.floor(least - 0.5))
    begin, end = certain + 1, certain + 1 + _COUNTED
    some = np.sum((least / (np.arange(begin, end) + 0.5)) ** shape)
    rest = end * (least / end) ** shape / (shape - 1)
    return float(1 + certain + some + rest)


def packets_of(amount: Amount, segment_bytes: int) -> float:
    """Return a size in packets."""
    return float(amount.value / (segment_bytes if amount.unit == "B" else 1))
