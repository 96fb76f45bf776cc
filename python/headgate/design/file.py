"""A design as a TOML file: its factors, how its runs are chosen, and what is done with them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from headgate.design.factor import Factor, Scale
from headgate.errors import HeadgateError, ScenarioError
from headgate.plugin import split, trust
from headgate.scenario.base import Model, at
from headgate.scenario.problems import scenario_error

Kind = Literal["two-level", "plackett-burman", "orthogonal-array", "latin-hypercube", "sobol"]
MINIMUM_ABERRATION = "minimum aberration"
_NAME = re.compile(r"[A-Za-z][\w.-]*")


class FactorTable(Model):
    """One factor of the file: `[factors.NAME]`."""

    title: str = Field("", description="For people.")
    setting: str = Field("", description="Path in the scenario, such as network.rate.")
    low: Any = Field(None, description="Level -1.")
    high: Any = Field(None, description="Level +1.")
    levels: tuple[Any, ...] = Field((), description="All levels, instead of low and high.")
    scale: Scale = Field("linear", description="How values lie between low and high.")
    source: str = Field("", description="Where the levels are from.")

    @model_validator(mode="after")
    def _has_levels(self) -> FactorTable:
        if self.levels and (self.low is not None or self.high is not None):
            raise at("levels", "give either levels, or low and high")
        if not self.levels and (self.low is None or self.high is None):
            missing = "low" if self.low is None else "high"
            raise at(missing, "this key is required, unless there are levels")
        if len(self.levels) == 1 or (not self.levels and self.low == self.high):
            raise at("levels" if self.levels else "high", "a factor has two levels or more")
        return self

    def factor(self, name: str) -> Factor:
        """Return the factor."""
        low, high = (self.levels[0], self.levels[-1]) if self.levels else (self.low, self.high)
        levels = self.levels if len(self.levels) > 2 else ()
        shown = self.setting or name
        return Factor(name, self.title, shown, low, high, self.scale, levels, self.source)


class DesignFile(Model):
    """Everything that decides the runs of a design, and their order."""

    title: str = Field("", description="For people.")
    kind: Kind = Field("two-level", description="How runs are chosen.")
    scenario: str = Field("", description="The scenario that is varied; a path beside this file.")
    design: str = Field("", description="A two-level design by name, such as 2^(6-1).")
    generators: dict[str, str] | Literal["minimum aberration"] = Field(
        default_factory=dict, description='Such as {F = "A B C"}, or "minimum aberration".'
    )
    array: str = Field("", description="An orthogonal array, such as L18; else the smallest.")
    runs: int | None = Field(None, ge=1, description="How many, for a fraction or a sample.")
    foldover: bool | tuple[str, ...] = Field(False, description="On all factors, or on these.")
    seed: int = Field(1, ge=0, lt=2**63, description="Root of run order and samples.")
    replicates: int = Field(1, ge=1, description="How often each run is made.")
    centre_points: int = Field(0, ge=0, description="Runs with every factor halfway, a block.")
    blocks: tuple[str, ...] = Field((), description="Effects whose signs part runs into blocks.")
    in_order: bool = Field(False, description="Runs in the order of the design, not a random one.")
    factors: dict[str, FactorTable] = Field(description="What is varied.")

    @model_validator(mode="before")
    @classmethod
    def _refuse_renamed(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and "plan" in given:
            raise at("plan", f"this key is now 'design'; write design = {given['plan']!r}")
        return given

    @field_validator("factors")
    @classmethod
    def _are_different(cls, factors: dict[str, FactorTable]) -> dict[str, FactorTable]:
        if not factors:
            raise at("factors", "there are no factors; write at least one [factors.NAME]")
        taken: dict[str, str] = {}
        for name, table in factors.items():
            if not _NAME.fullmatch(name):
                raise ValueError(
                    f"{name!r} is no name of a factor, which has letters, digits and _.- only"
                )
            first = taken.setdefault(table.setting or name, name)
            if first != name:
                raise ValueError(f"{name} and {first} both set {table.setting}; each has its own")
        return factors

    @model_validator(mode="after")
    def _fits_its_kind(self) -> DesignFile:
        sample = self.kind in ("latin-hypercube", "sobol")
        if sample and self.runs is None:
            raise at("runs", f"this key is required for the kind {self.kind}")
        for key, kinds in _ONLY.items():
            if getattr(self, key) and self.kind not in kinds:
                raise at(key, f"is for the kind {' or '.join(kinds)}, and this is {self.kind}")
        if bool(self.design) + bool(self.generators) + (self.runs is not None) * (not sample) > 1:
            aberrant = self.generators == MINIMUM_ABERRATION and not self.design
            if not aberrant:
                raise at(
                    "design" if self.design else "runs", "give one of design, generators and runs"
                )
        if self.generators == MINIMUM_ABERRATION and self.runs is None:
            raise at("runs", f'this key is required for generators = "{MINIMUM_ABERRATION}"')
        return self

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], place: str = "") -> DesignFile:
        """Make a design file of nested dicts; raise ScenarioError."""
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            wrong = scenario_error(error, given)
            where = f"{place}: {wrong.place}" if place and wrong.place else place or wrong.place
            raise ScenarioError(where, wrong.sentence) from None

    @classmethod
    def load(cls, path: str | Path) -> DesignFile:
        """Read a TOML file; raise ScenarioError."""
        file = Path(path)
        try:
            data = tomllib.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ScenarioError(str(file), "there is no such file") from None
        except (OSError, UnicodeDecodeError) as error:
            raise ScenarioError(str(file), f"cannot be read: {error}") from None
        except tomllib.TOMLDecodeError as error:
            raise ScenarioError(str(file), f"this is not TOML: {error}") from None
        read = cls.from_dict(data, str(file))
        for law in read.own_laws():
            trust.name_in_file(split(law)[0], str(file))
        return read

    def own_laws(self) -> Iterator[str]:
        """Give the levels of factors that are laws of one's own."""
        for name, table in self.factors.items():
            if "control" in (table.setting or name).split("."):
                levels = (table.low, table.high, *table.levels)
                yield from (level for level in levels if isinstance(level, str) and level)

    def save(self, path: Path) -> None:
        """Write it to a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text(), encoding="utf-8")

    def text(self) -> str:
        """Return as TOML what is not at its default; the order of factors decides their columns."""
        import tomlkit

        data = self.model_dump(mode="json", exclude_defaults=True)
        factors = tomlkit.table(is_super_table=True)
        for name, table in data.pop("factors").items():
            factors[name] = tomlkit.item(table)
        return tomlkit.dumps({**data, "factors": factors})

    def make_factors(self) -> list[Factor]:
        """Return the factors."""
        return [table.factor(name) for name, table in self.factors.items()]


_ONLY = {
    "design": ("two-level",),
    "generators": ("two-level",),
    "foldover": ("two-level",),
    "blocks": ("two-level",),
    "array": ("orthogonal-array",),
    "runs": ("two-level", "latin-hypercube", "sobol"),
}


def basic_of(runs: int) -> int:
    """Return m for 2^m runs."""
    if runs < 2 or runs & (runs - 1):
        raise HeadgateError(f"runs = {runs}: a two-level fraction has a power of two, from 2 on")
    return runs.bit_length() - 1
