"""The TOML file of a design: its factors, the choice of its runs, and their order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, get_args

from pydantic import ConfigDict, Field, field_validator, model_validator

from headgate.base import units
from headgate.base.errors import ScenarioError
from headgate.base.files import read_toml_file, write_bytes
from headgate.base.messages import as_toml, same_name
from headgate.base.strict import fit_model
from headgate.design.factor import Factor, Scale
from headgate.plugin.user_code import is_code
from headgate.scenario.base import Model, also_list, at
from headgate.scenario.keys import share_in
from headgate.scenario.toml import anchor_value

Kind = Literal[
    "two-level", "grid", "plackett-burman", "orthogonal-array", "definitive-screening",
    "central-composite", "box-behnken", "d-optimal", "morris", "saltelli", "latin-hypercube",
    "sobol", "random",
]  # fmt: skip
_KINDS: tuple[str, ...] = get_args(Kind)
#: Other names of kinds.
_ALIASES = {
    "lhs": "latin-hypercube", "dsd": "definitive-screening", "ccd": "central-composite",
    "bbd": "box-behnken",
}  # fmt: skip
#: Kinds that sample a given number of runs.
SAMPLES = ("latin-hypercube", "sobol", "random")
#: Kinds whose runs need a special analysis.
ANALYSED: tuple[Kind, ...] = (
    "definitive-screening", "central-composite", "box-behnken", "d-optimal", "morris", "saltelli",
)  # fmt: skip
#: Kinds whose levels lie between low and high.
INTERPOLATED: tuple[Kind, ...] = (*ANALYSED, "latin-hypercube", "sobol", "random")
#: Kinds whose runs lose their meaning if some are left out.
WHOLE: tuple[Kind, ...] = ("definitive-screening", "morris", "saltelli")
#: The kinds that accept a key.
_ONLY: Mapping[str, tuple[str, ...]] = {
    "design": ("two-level", "central-composite"),
    "generators": ("two-level",),
    "foldover": ("two-level",),
    "blocks": ("two-level",),
    "array": ("orthogonal-array",),
    "runs": ("two-level", "d-optimal", *SAMPLES),
    "fake_factors": ("definitive-screening",),
    "shape": ("central-composite",),
    "alpha": ("central-composite",),
    "model": ("d-optimal",),
    "constraints": ("d-optimal",),
    "trajectories": ("morris",),
    "grid_levels": ("morris",),
    "samples": ("saltelli",),
}
MINIMUM_ABERRATION = "minimum aberration"
_NAME = re.compile(r"[A-Za-z][\w.-]*")


class FactorTable(Model):
    """One factor of the file: `[factors.NAME]`."""

    model_config = ConfigDict(json_schema_extra=also_list)

    written: ClassVar[str] = "a list of levels, such as [1, 2], or a table with low and high"

    title: str = Field("", description="A title for readers.")
    setting: str = Field("", description="Path in the scenario, such as network.rate.")
    low: Any = Field(None, description="Level -1.")
    high: Any = Field(None, description="Level +1.")
    levels: tuple[Any, ...] = Field((), description="All levels, instead of low and high.")
    scale: Scale = Field("linear", description="How values between low and high are spaced.")
    source: str = Field("", description="The source of the levels.")
    words: tuple[str, ...] = Field(
        (), description="Words for the levels in sentences, in their order."
    )

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, given: Any) -> Any:
        return {"levels": given} if isinstance(given, list | tuple) else given

    @model_validator(mode="after")
    def _check_levels(self) -> FactorTable:
        if self.levels and (self.low is not None or self.high is not None):
            raise at("levels", "give either levels, or low and high")
        if "levels" in self.model_fields_set and len(self.levels) < 2 and self.low is None:
            raise at("levels", "a factor needs at least two levels")
        if not self.levels and (self.low is None or self.high is None):
            missing = "low" if self.low is None else "high"
            raise at(missing, "this key is required unless levels are given")
        count = len(self.levels) or 2
        if self.words and len(self.words) != count:
            raise at("words", f"there are {count} levels, and {len(self.words)} words for them")
        if says := _describe_equal_levels(self.levels or (self.low, self.high)):
            raise at("levels" if self.levels else "high", says)
        return self

    def factor(self, name: str) -> Factor:
        """Return the factor with its levels."""
        low, high = (self.levels[0], self.levels[-1]) if self.levels else (self.low, self.high)
        levels = self.levels if len(self.levels) > 2 else ()
        shown = self.setting or name
        return Factor(
            name, self.title, shown, low, high, self.scale, levels, self.source, self.words or None
        )


class DesignFile(Model):
    """The settings that decide the runs of a design and their order."""

    title: str = Field("", description="A title for readers.")
    kind: Kind = Field("two-level", description="How runs are chosen.")
    scenario: str | dict[str, Any] = Field(
        "", description="The base scenario: a path relative to this file, or a table."
    )
    design: str = Field("", description="A two-level design by name, such as 2^(6-1).")
    generators: dict[str, str] | Literal["minimum aberration"] = Field(
        default_factory=dict, description='Such as {F = "A B C"}, or "minimum aberration".'
    )
    array: str = Field("", description="An orthogonal array, such as L18; otherwise the smallest.")
    runs: int | None = Field(
        None, ge=1, description="The number of runs of a fraction, a D-optimal design or a sample."
    )
    fake_factors: int = Field(
        2,
        ge=0,
        le=20,
        description="Columns of a definitive screening design that give an error.",
    )
    shape: Literal["inscribed", "circumscribed", "faced"] = Field(
        "inscribed",
        description="Central composite: all runs between low and high, or the star beyond them.",
    )
    alpha: Literal["rotatable", "orthogonal", "spherical"] | float = Field(
        "rotatable", description="Distance of the star from the centre; the cube is at 1."
    )
    model: Literal["linear", "interactions", "quadratic"] | tuple[str, ...] = Field(
        "quadratic", description='The model of a D-optimal design, or its terms: ["A", "B", "A B"].'
    )
    constraints: tuple[str, ...] = Field(
        (), description="Inequalities of a D-optimal design, such as 2 * rate + rtt <= 100."
    )
    trajectories: int = Field(10, ge=2, le=10_000, description="Number of Morris' trajectories.")
    grid_levels: int = Field(4, ge=2, le=100, description="Levels of Morris' grid, an even number.")
    samples: int | None = Field(
        None, ge=2, le=2**20, description="Samples of Saltelli's scheme, each of k + 2 runs."
    )
    foldover: bool | tuple[str, ...] = Field(
        False, description="Folds over all factors, or the listed ones."
    )
    seed: int = Field(1, ge=0, lt=2**63, description="Decides the run order and samples.")
    replicates: int = Field(1, ge=1, description="The number of repetitions of each run.")
    centre_points: int | None = Field(
        None,
        ge=0,
        description="Runs per block with every factor at its centre; by default 0, and in a central"
        " composite or Box-Behnken design as many as is usual, or 1 in an experiment.",
    )
    blocks: tuple[str, ...] = Field(
        (), description="Effects whose signs divide the runs into blocks."
    )
    in_order: bool = Field(
        False, description="Runs in the order of the design instead of a random one."
    )
    factors: dict[str, FactorTable] = Field(
        description="The factors; a list of levels is short for a table."
    )

    #: Whether the centre is repeated unless the file says how often.
    repeats_centre: ClassVar[bool] = True

    @model_validator(mode="before")
    @classmethod
    def _reject_renamed(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and "plan" in given:
            raise at("plan", f"this key is now 'design'; write design = {as_toml(given['plan'])}")
        return given

    @field_validator("kind", mode="before")
    @classmethod
    def _spell_kind(cls, kind: Any) -> Any:
        if not isinstance(kind, str):
            return kind
        meant = same_name(kind, (*_KINDS, *_ALIASES))
        return kind if meant is None else _ALIASES.get(meant, meant)

    @field_validator("factors", mode="before")
    @classmethod
    def _join_dotted(cls, given: Any) -> Any:
        return dict(join_paths(given)) if isinstance(given, Mapping) else given

    @field_validator("factors")
    @classmethod
    def _check_factors(cls, factors: dict[str, FactorTable]) -> dict[str, FactorTable]:
        if not factors:
            raise at("factors", "there are no factors; write at least one [factors.NAME]")
        taken: dict[str, str] = {}
        for name, table in factors.items():
            if "*" in (path := table.setting or name):
                raise ValueError(
                    f"{path!r} is not a key; a factor sets one key, such as"
                    f" {path.replace('*', '0')}, or 'cca' for all traffic"
                )
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} is not a factor name; use only letters, digits and _.-")
            first = taken.setdefault(table.setting or name, name)
            if first != name:
                raise ValueError(f"{name} and {first} both set {table.setting}")
        return factors

    @model_validator(mode="after")
    def _check_kind(self) -> DesignFile:
        sample = self.kind in SAMPLES
        if (sample or self.kind == "d-optimal") and self.runs is None:
            raise at("runs", f"this key is required for the kind {self.kind}")
        if self.kind == "saltelli" and self.samples is None:
            raise at("samples", "this key is required for the kind saltelli")
        for key, kinds in _ONLY.items():
            default = type(self).model_fields[key].get_default(call_default_factory=True)
            if getattr(self, key) != default and self.kind not in kinds:
                raise at(key, f"is for the kind {' or '.join(kinds)}, not {self.kind}")
        if self.centre_points and self.kind in ("d-optimal", "morris", "saltelli"):
            raise at("centre_points", f"a {self.kind} design takes no centre points")
        if isinstance(self.alpha, float) and not 1 <= self.alpha <= 10:
            raise at("alpha", f"{self.alpha:g} is not between 1 and 10")
        fraction = self.runs is not None and self.kind == "two-level"
        given = bool(self.design) + bool(self.generators) + fraction
        if given > 1 and (self.design or self.generators != MINIMUM_ABERRATION):
            key = "design" if self.design else "runs"
            raise at(key, "give one of design, generators and runs")
        if self.generators == MINIMUM_ABERRATION and self.runs is None:
            raise at("runs", f'this key is required for generators = "{MINIMUM_ABERRATION}"')
        return self

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], place: str = "") -> Self:
        """Make a design file from nested dicts. Raises ScenarioError."""
        return fit_model(cls, given, place)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a TOML file. Raises ScenarioError."""
        data = read_toml_file(Path(path))
        if "responses" in data:
            raise ScenarioError(str(path), "this is an experiment; use `headgate experiment`")
        return cls.from_file(data, Path(path))

    @classmethod
    def from_file(cls, data: dict[str, Any], path: Path) -> Self:
        """Make a design file from the data of a file, which paths of code are relative to."""
        if "traffic" in data and "factors" not in data:
            says = "this is a scenario without factors; run it with `headgate run`"
            raise ScenarioError(str(path), says)
        cls.anchor(data, path.resolve().parent)
        return cls.from_dict(data, str(path))

    @classmethod
    def anchor(cls, data: dict[str, Any], folder: Path) -> None:
        """Make paths of code absolute; they are relative to the folder of the file."""
        factors = data.get("factors")
        if isinstance(factors, dict):
            joined = dict(join_paths(factors))
            data["factors"] = {n: anchor_factor(n, t, folder) for n, t in joined.items()}

    def save(self, path: Path) -> None:
        """Write the design file. Raises StoreError."""
        write_bytes(path, self.text().encode())

    def text(self) -> str:
        """Return the keys that differ from their defaults as TOML, with factors in their order."""
        import tomlkit

        data = self.model_dump(mode="json", exclude_defaults=True)
        factors = tomlkit.table(is_super_table=True)
        for name, table in data.pop("factors").items():
            factors[name] = tomlkit.item(table)
        return tomlkit.dumps({**data, "factors": factors})

    def make_factors(self) -> list[Factor]:
        """Return the factors; a path as a name is shortened to its last word."""
        names = shorten_paths([name for name, table in self.factors.items() if not table.setting])
        return [
            replace(table.factor(name), name=names.get(name, name))
            for name, table in self.factors.items()
        ]


def _describe_equal_levels(levels: Sequence[Any]) -> str:
    """Return a message for the first level that occurs twice, in any units; "" if none does."""
    plain = all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in levels)
    known = units.sizes([str(one) for one in levels]) if plain else None
    seen: dict[Any, str] = {}
    for level, worth in zip(levels, known or map(repr, levels), strict=True):
        text = as_toml(level)
        if worth in seen:
            both = f"{seen[worth]} and {text} are the same level"
            says = f"{text} occurs twice" if seen[worth] == text else both
            return f"{says}; each level must be different"
        seen[worth] = text
    return ""


def anchor_factor(name: str, table: Any, folder: Path) -> Any:
    """Make the paths of code in a factor absolute; the factor is a table or a list."""
    if not isinstance(table, dict) or not table.keys() & FactorTable.model_fields:
        return anchor_value(table, folder, name)
    setting = str(table.get("setting") or name)
    levels = {key: table[key] for key in ("low", "high", "levels") if key in table}
    anchored = {key: anchor_value(level, folder, setting) for key, level in levels.items()}
    if is_code(code := share_in(setting)):
        anchored["setting"] = setting.removesuffix(code) + str(folder / code)
    return table | anchored


def shorten_paths(paths: Sequence[str]) -> dict[str, str]:
    """Return a name for each path: its last word, or the whole path if last words are equal.

    The name of a share is its path too: `share_bbr3`.
    """
    words = [path.rpartition(".")[2] for path in paths]
    return {
        path: word
        if words.count(word) == 1 and not word.isdigit() and not share_in(path)
        else path.replace(".", "_")
        for path, word in zip(paths, words, strict=True)
    }


def join_paths(factors: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield factors by name; an unquoted path in the file is nested tables."""
    for name, table in factors.items():
        if isinstance(table, Mapping) and table and not table.keys() & FactorTable.model_fields:
            yield from join_paths(table, f"{above}{name}.")
        else:
            yield f"{above}{name}", table
