"""A scenario: network, transport, traffic, measurement, seed and duration.

The typed object and the TOML file are the same thing; `scenario/plan.py` makes the plan that the
engine runs, and `headgate.Scenario` is the class that can be run.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from headgate.base.messages import as_toml
from headgate.base.strict import fit_model
from headgate.base.units import format_time_ps, parse_time_ps
from headgate.plugin import user_code
from headgate.plugin.code_files import name_by_hand, name_in_file
from headgate.scenario.base import Model, Time, at, move_to
from headgate.scenario.cca import OwnCca
from headgate.scenario.keys import change_keys, code_in, unset_keys
from headgate.scenario.networks import Network
from headgate.scenario.queue import Queue
from headgate.scenario.toml import read_toml, reject_misplaced_keys, write_toml
from headgate.scenario.traffic import Traffic
from headgate.scenario.transport import Transport

#: Each period is a row of several tables, for each algorithm, class and link.
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
        description="At most this many flows: the first of each algorithm in turn.",
    )


class Measure(Model):
    """Warm-up, measurement periods, rows and series."""

    warmup: Time = Field(
        0,
        description="Counts of flows and ports leave out what happens before it ends, and responses"
        " leave out flows that ended before. Round-trip times, mean windows and columns `_total`"
        " are from the start of the flow.",
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
                    says = "each period must end after it starts, and periods must not overlap"
                    raise at("periods", says)
                before = end
        return self

    def sampling_ps(self, duration_ps: int) -> int:
        """Return the sampling interval; the default is at most the shortest period."""
        if self.interval != type(self).model_fields["interval"].default:
            return self.interval
        bounds = self.period_bounds(duration_ps)
        return min([self.interval, *(end - start for start, end in bounds)])

    def period_bounds(self, duration_ps: int) -> list[list[int]]:
        """Return start and end of each period, in ps."""
        if not isinstance(self.periods, int):
            return [list(pair) for pair in self.periods]
        span, count = duration_ps - self.warmup, self.periods
        edges = [self.warmup + span * step // count for step in range(count + 1)]
        return [list(pair) for pair in pairwise(edges)]


class ScenarioSpec(Model):
    """Everything that decides a run."""

    title: str = Field("", description="For people.")
    seed: int = Field(1, ge=0, lt=2**63, description="Root of every random stream.")
    duration: Time = Field(parse_time_ps("60 s"), gt=0, description="Simulated time.")
    network: Network = Field(description="Routers, links, buffers, host links.")
    transport: Transport = Field(default_factory=Transport, description="TCP profile.")
    traffic: tuple[Traffic, ...] = Field(description="Who sends what, when.")
    measure: Measure = Field(default_factory=Measure, description="What to keep.")

    @model_validator(mode="before")
    @classmethod
    def _keys_are_in_their_tables(cls, given: Any) -> Any:
        if isinstance(given, Mapping):
            reject_misplaced_keys(given, cls)
        return given

    @model_validator(mode="after")
    def _measures_within_the_run(self) -> Self:
        if not self.traffic:
            raise at("traffic", "there is no traffic; write at least one [[traffic]]")
        if self.measure.warmup >= self.duration:
            says = f"the warm-up must end before the run of {format_time_ps(self.duration)} does;"
            warmup = f"{format_time_ps(self.measure.warmup)} does not"
            raise at("measure.warmup", f"{says} {warmup}: shorten it, or lengthen duration")
        periods = self.measure.period_bounds(self.duration)
        if periods and periods[-1][1] > self.duration:
            says = "a period ends after the run; shorten measure.periods or lengthen duration"
            raise at("measure", says)
        interval = self.measure.sampling_ps(self.duration)
        if any(end - start < interval for start, end in periods):
            says = "is longer than a period; shorten it, or lengthen duration"
            raise at("measure.interval", f"{format_time_ps(interval)} {says}")
        return self

    @model_validator(mode="after")
    def _profiles_fit_together(self) -> Self:
        profiles = {"transport": self.transport} | {
            f"traffic[{number}].transport": group.transport.lay_over(self.transport)
            for number, group in enumerate(self.traffic)
            if group.transport is not None
        }
        for place, profile in profiles.items():
            try:
                profile.check()
            except PydanticCustomError as error:
                raise move_to(place, error) from None
        return self

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Make a scenario of nested dicts, quantities with units. Raises ScenarioError.

        The code that it names may run, since a program names it. Use `from_file` for files.
        """
        name_by_hand(given)
        return fit_model(cls, given, "")

    @classmethod
    def from_file(cls, given: Mapping[str, Any], where: str) -> Self:
        """Make a scenario of the content of a file, whose code needs permission to run."""
        return fit_model(cls, given, "").named_by(where)

    @classmethod
    def load(cls, path: str | Path, *, trust: bool = False) -> Self:
        """Read a TOML file; its paths are relative to its folder.

        `trust` allows user-defined code that it names to run.
        """
        read = cls.from_file(read_toml(Path(path)), str(path))
        if trust:
            read.allow_own_code()
        return read

    def named_by(self, where: str) -> Self:
        """Record for messages that the file `where` names the code in this scenario."""
        for source, _ in self.own_code():
            name_in_file(source, where)
        return self

    def allow_own_code(self) -> None:
        """Remember for this user that the present code of this scenario may run."""
        for source, interface in self.own_code():
            user_code.allow(source, interface)

    def own_code(self) -> list[tuple[str, user_code.Interface]]:
        """Return the sources of user-defined code in the scenario, each with its kind."""
        ccas = [(cca.source, user_code.CCA) for cca in self.own_ccas()]
        return ccas + [(queue.name, user_code.DISCIPLINE) for queue in self.own_disciplines()]

    def own_ccas(self) -> list[OwnCca]:
        """Return the user-defined algorithms."""
        return [part for part in _parts(self.traffic) if isinstance(part, OwnCca)]

    def own_disciplines(self) -> list[Queue]:
        """Return the user-defined queue disciplines."""
        parts = _parts(self.network)
        return [part for part in parts if isinstance(part, Queue) and part.is_own]

    def save(self, path: str | Path) -> None:
        """Write the scenario as TOML."""
        write_toml(self.to_dict(), Path(path))

    def to_dict(self, *, resolved: bool = False) -> dict[str, Any]:
        """Return nested dicts for `from_dict`, without defaults unless `resolved`."""
        if resolved:
            return self._fill_in().model_dump(mode="json", exclude_none=True)
        data = self.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        data["network"] = {"kind": self.network.kind} | data["network"]
        data["traffic"] = [
            {"kind": group.kind} | item
            for group, item in zip(self.traffic, data["traffic"], strict=True)
        ]
        return data

    def _fill_in(self) -> Self:
        """Return the scenario with every field of its TCP profiles set."""
        profiles = [
            group.transport and group.transport.lay_over(self.transport).fill_in()
            for group in self.traffic
        ]
        traffic = tuple(
            group.model_copy(update={"transport": profile})
            for group, profile in zip(self.traffic, profiles, strict=True)
        )
        return self.model_copy(update={"transport": self.transport.fill_in(), "traffic": traffic})

    def replaced(self, changes: Mapping[str, Any]) -> Self:
        """Return the scenario with changed keys, each a path such as `traffic.0.cca`.

        `cca` is the algorithm of all traffic, and `share.bbr3` the share of `bbr3` in it; the other
        algorithms keep their proportions. The value `{"unset": True}` removes a key.

        The code that the changes name may run, since a program names it. Use `varied` for files.
        """
        name_by_hand([*map(code_in, changes), *changes.values()])
        return self.varied(changes)

    def varied(self, changes: Mapping[str, Any]) -> Self:
        """Return the scenario with keys changed by a file, whose code needs permission to run."""
        data = copy.deepcopy(self.to_dict())
        change_keys(data, changes.items())
        return fit_model(type(self), data, "")

    def without(self, *keys: str) -> Self:
        """Return the scenario without these keys, each a path such as `network.queue`.

        A key whose value is the default may be removed, which changes nothing. Raises
        ScenarioError for a key without a value, and for one that is required.
        """
        data = copy.deepcopy(self.to_dict())
        unset_keys(data, keys, self.model_dump(mode="json", exclude_none=True))
        return fit_model(type(self), data, "")


def _parts(value: object) -> Iterator[BaseModel]:
    """Yield every model within a value."""
    if isinstance(value, BaseModel):
        yield value
        for part in value.__dict__.values():
            yield from _parts(part)
    elif isinstance(value, tuple) and value and isinstance(value[0], BaseModel):
        for part in value:
            yield from _parts(part)
