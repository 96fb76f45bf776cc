"""A scenario: network, transport, traffic, measurement, seed and duration.

The typed object and the TOML file are the same thing; `scenario/plan.py` turns it into what the
engine runs, and `headgate.Scenario` is the one that can be run.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, Field, model_validator

from headgate.base.strict import fit_model
from headgate.base.units import format_time_ps, parse_time_ps
from headgate.plugin import user_code
from headgate.plugin.trust import name_by_hand, name_in_file
from headgate.scenario.base import Model, Time, at
from headgate.scenario.control import Control
from headgate.scenario.measure import Measure
from headgate.scenario.networks import Network
from headgate.scenario.queue import Queue
from headgate.scenario.strays import refuse_strays
from headgate.scenario.traffic import Traffic
from headgate.scenario.transport import Transport


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
            refuse_strays(given, cls)
        return given

    @model_validator(mode="after")
    def _measures_within_the_run(self) -> Self:
        if not self.traffic:
            raise at("traffic", "there is no traffic; write at least one [[traffic]]")
        if self.measure.warmup >= self.duration:
            raise at(
                "measure.warmup",
                f"the warm-up must end before the run of {format_time_ps(self.duration)} does;"
                f" {format_time_ps(self.measure.warmup)} does not: shorten it, or lengthen"
                " duration",
            )
        periods = self.measure.period_bounds(self.duration)
        if periods and periods[-1][1] > self.duration:
            raise at(
                "measure",
                "a period ends after the run; shorten measure.periods or lengthen duration",
            )
        interval = self.measure.sampling_ps(self.duration)
        if any(end - start < interval for start, end in periods):
            says = f"{format_time_ps(interval)} is longer than a period"
            raise at("measure.interval", f"{says}; shorten it, or lengthen duration")
        return self

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Make a scenario of nested dicts with units written. Raises ScenarioError.

        The code that it names runs: the caller's program names it. What a file says is given to
        `from_file`.
        """
        name_by_hand(given)
        return fit_model(cls, given, "")

    @classmethod
    def from_file(cls, given: Mapping[str, Any], where: str) -> Self:
        """Make a scenario of what the file `where` says. Raises ScenarioError.

        The code that it names runs once its user allows it.
        """
        return fit_model(cls, given, "").named_by(where)

    @classmethod
    def load(cls, path: str | Path, *, trust: bool = False) -> Self:
        """Read a TOML file; files that it names are looked up beside it.

        Laws and disciplines of your own that it names are code: they run once you allowed them,
        with `trust`.
        """
        from headgate.scenario.toml import read_toml

        read = cls.from_file(read_toml(Path(path)), str(path))
        if trust:
            read.allow_own_code()
        return read

    def named_by(self, where: str) -> Self:
        """Note for messages that the file `where` names the code in this scenario."""
        for source, _ in self.own_code():
            name_in_file(source, where)
        return self

    def allow_own_code(self) -> None:
        """Remember for this user that the own code which this scenario names may run, as it is."""
        for source, interface in self.own_code():
            user_code.allow(source, interface)

    def own_code(self) -> list[tuple[str, user_code.Interface]]:
        """Return the sources of the user's own laws and disciplines in it, each with its kind."""
        laws = [(control.source, user_code.LAW) for control in self.own_laws()]
        return laws + [(queue.name, user_code.DISCIPLINE) for queue in self.own_disciplines()]

    def own_laws(self) -> list[Control]:
        """Return the laws in it that are not of the catalogue."""
        return [part for part in _parts(self.traffic) if isinstance(part, Control)]

    def own_disciplines(self) -> list[Queue]:
        """Return the queue disciplines in it that are not of the catalogue."""
        parts = _parts(self.network)
        return [part for part in parts if isinstance(part, Queue) and part.is_own]

    def save(self, path: str | Path) -> None:
        """Write the scenario as TOML."""
        from headgate.scenario.toml import write_toml

        write_toml(self.to_dict(), Path(path))

    def to_dict(self, *, resolved: bool = False) -> dict[str, Any]:
        """Return nested dicts with units written, which `from_dict` reads.

        What equals its default is left out, unless `resolved`.
        """
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
        """Return the scenario with every field of its TCP profiles written out."""
        traffic = tuple(
            group
            if group.transport is None
            else group.model_copy(update={"transport": group.transport.fill_in()})
            for group in self.traffic
        )
        return self.model_copy(update={"transport": self.transport.fill_in(), "traffic": traffic})

    def replaced(self, changes: Mapping[str, Any]) -> Self:
        """Return the scenario with keys changed, each a path such as `traffic.0.law`.

        The code that the changes name runs: the caller's program names it. What a file says is
        given to `varied`.
        """
        name_by_hand(changes)
        return self.varied(changes)

    def varied(self, changes: Mapping[str, Any]) -> Self:
        """Return the scenario with keys changed as a file says. Raises ScenarioError.

        The code that the changes name runs once its user allows it.
        """
        from headgate.scenario.toml import set_key

        data = copy.deepcopy(self.to_dict())
        for key, value in changes.items():
            set_key(data, key, value)
        return fit_model(type(self), data, "")


def _parts(value: object) -> Iterator[BaseModel]:
    """Yield every model within a value, at any depth."""
    if isinstance(value, BaseModel):
        yield value
        for part in value.__dict__.values():
            yield from _parts(part)
    elif isinstance(value, tuple) and value and isinstance(value[0], BaseModel):
        for part in value:
            yield from _parts(part)
