"""Distributions of file sizes and of times, and sizes in whole packets."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import ConfigDict, Field, model_validator

from headgate.base.units import Amount
from headgate.scenario.base import FileSize, Model, Time, also_text, at

#: Sizes of a Pareto distribution that are summed one by one; beyond them the integral agrees.
_COUNTED = 10_000


class _Distribution(Model):
    """A fixed value, or an exponential or Pareto distribution."""

    model_config = ConfigDict(json_schema_extra=also_text)
    noun: ClassVar[str]

    kind: Literal["fixed", "exponential", "pareto"] = Field(description="Kind of distribution.")
    mean: Any
    shape: float | None = Field(
        None, gt=1, le=1000, description="Pareto's shape; the tail is heavy near 1."
    )

    @model_validator(mode="before")
    @classmethod
    def _from_one_value(cls, given: Any) -> Any:
        """Read `size = "100 packets"` or `pause = "2 s"` as a fixed value."""
        return {"kind": "fixed", "mean": given} if isinstance(given, str | int | float) else given

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if (self.kind == "pareto") != (self.shape is not None):
            others = f"other {self.noun}s have none"
            raise at("shape", f"a 'pareto' {self.noun} has a shape, such as 1.5; {others}")
        if self.kind != "fixed" and self.mean == 0:
            raise at("mean", "the mean of times that are drawn must be above 0 s")
        return self


class Sizes(_Distribution):
    """File sizes: fixed, exponential, or Pareto with the given mean."""

    noun: ClassVar[str] = "size"

    mean: FileSize = Field(description="Mean file size, in packets or bytes.")

    def plan(self, segment_bytes: int) -> dict[str, Any]:
        """Return the sizes of the plan, in packets."""
        packets = packets_of(self.mean, segment_bytes)
        if self.kind == "fixed":
            return {"kind": "fixed", "packets": float(math.ceil(packets))}
        shape = {} if self.shape is None else {"shape": self.shape}
        return {"kind": self.kind, "mean_packets": packets, **shape}

    def mean_sent(self, segment_bytes: int) -> float:
        """Return the mean number of packets: sizes are rounded, to at least one."""
        packets = packets_of(self.mean, segment_bytes)
        if self.kind == "fixed":
            return float(math.ceil(packets))
        # The mean of a whole number N of at least 1 is 1 + P(N >= 2) + P(N >= 3) + ..., and a
        # rounded size X is at least n if X >= n - 1/2.
        if self.kind == "exponential":
            return 1 + math.exp(-1.5 / packets) / -math.expm1(-1 / packets)
        assert self.shape is not None
        return _pareto(packets, self.shape)


def _pareto(mean: float, shape: float) -> float:
    """Sum the tail: certain sizes, some one by one, the rest as an integral."""
    least = mean * (shape - 1) / shape
    certain = max(0, math.floor(least - 0.5))
    begin, end = certain + 1, certain + 1 + _COUNTED
    some = np.sum((least / (np.arange(begin, end) + 0.5)) ** shape)
    rest = end * (least / end) ** shape / (shape - 1)
    return float(1 + certain + some + rest)


def packets_of(amount: Amount, segment_bytes: int) -> float:
    """Return a size in packets."""
    return float(amount.value / (segment_bytes if amount.unit == "B" else 1))


class Times(_Distribution):
    """Times: fixed, exponential, or Pareto with the given mean."""

    noun: ClassVar[str] = "time"

    mean: Time = Field(description="Mean time.")

    def plan(self) -> dict[str, Any]:
        """Return the times of the plan."""
        if self.kind == "fixed":
            return {"kind": "fixed", "ps": self.mean}
        shape = {} if self.shape is None else {"shape": self.shape}
        return {"kind": self.kind, "mean_s": self.mean / 1e12, **shape}
