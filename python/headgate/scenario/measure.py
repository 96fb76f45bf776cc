"""What to keep of a run."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from headgate.base.as_toml import as_toml
from headgate.base.units import parse_time_ps
from headgate.scenario.base import Model, Time, at

#: Each is a row of every table of periods, for each law, class and link.
MOST_PERIODS = 1_000_000


class Series(Model):
    """Time series of chosen flows and ports."""

    interval: Time = Field(parse_time_ps("100 ms"), gt=0, description="Time between two rows.")
    flows: tuple[str, ...] = Field(
        ("*",), description="Names of `flows` traffic; * and ? match any letters."
    )
    ports: tuple[str, ...] | None = Field(
        None, description="Names of links, * and ? allowed; absent = the network's main ones."
    )
    most: int = Field(
        16,
        ge=1,
        le=1_000_000,
        description="At most this many flows: the first of each law in turn.",
    )


class Measure(Model):
    """Warm-up, measurement periods, rows and series."""

    warmup: Time = Field(
        0, description="Statistics of flows and ports leave out what happens before it ends."
    )
    periods: int | tuple[tuple[Time, Time], ...] = Field(
        1, description="Number of equal periods after the warm-up, or a list of [start, end]."
    )
    interval: Time = Field(
        parse_time_ps("200 ms"), gt=0, description="Sampling interval of the network's state."
    )
    flows: Literal["all", "none"] = Field("all", description="Keep a row of each flow, or none.")
    series: Series | Literal["none"] = Field(
        default_factory=Series, description="Time series, or 'none'."
    )

    @field_validator("periods", mode="before")
    @classmethod
    def _count_or_list(cls, given: Any) -> Any:
        if isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= MOST_PERIODS:
            return given
        if isinstance(given, list | tuple) and all(
            isinstance(pair, list | tuple) and len(pair) == 2 for pair in given
        ):
            return given
        raise ValueError(
            f"{as_toml(given)} is neither a number of periods (1 or more, at most"
            f" {MOST_PERIODS:,}) nor a list of [start, end] pairs"
        )

    @model_validator(mode="after")
    def _in_order(self) -> Measure:
        if not isinstance(self.periods, int):
            before = self.warmup
            for start, end in self.periods:
                if start < before or end <= start:
                    raise at(
                        "periods",
                        "each period must end after it starts, and periods must not overlap",
                    )
                before = end
        return self

    def sampling_ps(self, duration_ps: int) -> int:
        """Return the interval; that by default is no longer than the shortest period."""
        if self.interval != type(self).model_fields["interval"].default:
            return self.interval
        return min(
            [self.interval, *(end - start for start, end in self.period_bounds(duration_ps))]
        )

    def period_bounds(self, duration_ps: int) -> list[list[int]]:
        """Return start and end of each period, in ps."""
        if not isinstance(self.periods, int):
            return [list(pair) for pair in self.periods]
        span, count = duration_ps - self.warmup, self.periods
        edges = [self.warmup + span * step // count for step in range(count + 1)]
        return [list(pair) for pair in pairwise(edges)]
