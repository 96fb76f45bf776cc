"""Keys of an experiment that compares algorithms: crossed factors, deployments, roles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field, field_validator, model_validator

from headgate.base.errors import ScenarioError
from headgate.base.messages import also
from headgate.design.factor import Factor
from headgate.design.file import DesignFile, FactorTable, join_paths, shorten_paths
from headgate.experiment.conditions import level_name
from headgate.figures.analysis.roles import Pair, Question
from headgate.scenario.base import at
from headgate.scenario.keys import EVERY_CCA

#: The question that is answered by pairs of flows instead of responses.
OF_PAIRS = "fairness"


class ComparisonFile(DesignFile):
    """The keys of an experiment that compares algorithms."""

    crossed: dict[str, FactorTable] = Field(
        default_factory=dict,
        description="Factors with any levels; every run of the design meets each combination.",
    )
    switched: tuple[float, ...] = Field(
        (),
        description="Shares of the users who use an algorithm of crossed.cca; the others use"
        " `before`.",
    )
    before: str = Field(
        "", description="The algorithm that others replace; the first level of cca unless given."
    )
    congestion: str = Field("", description="The response that orders conditions by congestion.")
    periods: tuple[str, ...] = Field(
        (),
        description="What happens in each measurement period; responses are measured in each.",
    )
    questions: dict[Question, tuple[str, ...]] = Field(
        default_factory=dict, description="The responses that answer each of the five questions."
    )
    pairs: tuple[Pair, ...] = Field(
        (), description="Throughputs of new flows and of flows with `before` beside them."
    )

    @field_validator("crossed", mode="before")
    @classmethod
    def _join_dotted_keys(cls, given: Any) -> Any:
        return dict(join_paths(given)) if isinstance(given, Mapping) else given

    @field_validator("switched")
    @classmethod
    def _are_shares(cls, given: tuple[float, ...]) -> tuple[float, ...]:
        for share in given:
            if not 0 < share <= 1:
                raise ValueError(f"{share:g} is not a share of the users above 0 and up to 1")
        if len(set(given)) < len(given):
            raise ValueError("a share occurs twice")
        return given

    @field_validator("periods")
    @classmethod
    def _are_several(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        if len(given) == 1:
            raise ValueError("one period is the whole measured time; leave this key out")
        return given

    @field_validator("questions")
    @classmethod
    def _are_of_responses(cls, given: dict[Question, tuple[str, ...]]) -> Any:
        if OF_PAIRS in given:
            raise ValueError("fairness is answered by [[pairs]] of throughputs; leave it out here")
        return given

    @model_validator(mode="after")
    def _crossed_factors_are_apart(self) -> ComparisonFile:
        own = self.make_factors()
        for one in self.make_crossed():
            for other in own:
                if one.name == other.name or one.setting == other.setting:
                    raise at("crossed", f"{one.setting!r} is a factor already; name it once")
        return self

    @model_validator(mode="after")
    def _replaces_one_algorithm(self) -> ComparisonFile:
        table = next(iter(self._find_cca()), None)
        if table is None:
            for key in ("switched", "before"):
                if getattr(self, key):
                    says = 'compares algorithms; write cca = ["cubic", "bbr3"] below [crossed]'
                    raise at(key, f"this key {says}")
            return self
        if self.switched and EVERY_CCA not in self.crossed:
            raise at("switched", "this key needs the algorithms in [crossed], as cca = [...]")
        names = [str(level_name(level)) for level in _list_levels(table)]
        if self.before and self.before not in names:
            raise at("before", f"{self.before!r} is not one of {', '.join(names)}")
        return self

    def _find_cca(self) -> Iterator[FactorTable]:
        """Yield the factor of algorithms."""
        for name, table in (*self.crossed.items(), *self.factors.items()):
            if EVERY_CCA in {name, table.setting}:
                yield table

    def make_crossed(self) -> list[Factor]:
        """Return the crossed factors; each algorithm with each share of users is a level."""
        paths = [name for name, table in self.crossed.items() if not table.setting]
        names = shorten_paths(paths)
        return [
            replace(self._deploy(name, table).factor(name), name=names.get(name, name))
            for name, table in self.crossed.items()
        ]

    def _deploy(self, name: str, table: FactorTable) -> FactorTable:
        if not self.switched or EVERY_CCA not in {name, table.setting}:
            return table
        levels = _list_levels(table)
        before = next((one for one in levels if level_name(one) == self.before), levels[0])
        mixes = [
            make_mix(level, share, before)
            for level in levels
            for share in self.switched
            if level is not before
        ]
        return table.model_copy(update={"levels": (before, *mixes), "low": None, "high": None})

    def check_roles(self, better: Mapping[str, str], file: str = "") -> None:
        """Check that roles name responses, which `better` lists with their directions.

        Raises ScenarioError.
        """
        for place, names in self._named_responses():
            path = f"{file}: {place}" if file else place
            for name in names:
                if name not in better:
                    known = ", ".join(better)
                    says = f"{name!r} is not a response of this experiment; they are {known}"
                    raise ScenarioError(path, f"{says}{also(name, better)}")
                if place.startswith("questions") and not better[name]:
                    says = (
                        'its better direction is not known; add better = "higher" or "lower" to it'
                    )
                    raise ScenarioError(path, f"{name}: {says}")

    def _named_responses(self) -> Iterator[tuple[str, Iterable[str]]]:
        yield "congestion", filter(None, [self.congestion])
        for question, names in self.questions.items():
            yield f"questions.{question}", names
        for number, pair in enumerate(self.pairs):
            sides = (pair.own, pair.other, pair.available)
            yield f"pairs[{number}]", [side for side in sides if isinstance(side, str)]

    @property
    def before_name(self) -> str:
        """The label of the algorithm that others replace; "" without algorithms."""
        table = next(iter(self._find_cca()), None)
        return self.before or (str(level_name(_list_levels(table)[0])) if table else "")

    @property
    def is_comparison(self) -> bool:
        """Whether the file contains a key that only comparisons of algorithms use."""
        return any(getattr(self, key) for key in ComparisonFile.__annotations__)


def _list_levels(table: FactorTable) -> Sequence[Any]:
    return table.levels or (table.low, table.high)


def make_mix(cca: Any, share: float, before: Any) -> Any:
    """Return the value of `cca` with which a share of the users use another algorithm."""
    if share == 1:
        return cca
    return [{"cca": cca, "share": share}, {"cca": before, "share": round(1 - share, 12)}]
