"""Roles: which columns of a table are factors, responses, labels, and what responses mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field

from headgate.base.errors import AnalysisError
from headgate.base.strict import Strict
from headgate.figures.analysis.frame import Frame

Way = Literal["more", "less"]
#: The test of main effects: the model with interactions, that without, or Dataplot's analysis.
Method = Literal["interactions", "main-effects", "one-way"]
Question = Literal["increase", "recovery", "fairness", "utility", "safety"]


class Pair(Strict):
    """Flows of an algorithm beside TCP flows on the same paths: two throughputs of every run."""

    title: str = Field(description="What kind of flows these are.")
    own: str = Field(description="Column: throughput of the algorithm's flows.")
    other: str = Field(description="Column: throughput of the TCP flows beside them.")
    available: str | float | None = Field(
        None, description="Column or number: what the path has to give, in the same unit."
    )


class Roles(Strict):
    """The role of each column of a table; `titles` is by column, `worse` by response."""

    responses: tuple[str, ...] = Field(min_length=1, description="What was measured.")
    factors: tuple[str, ...] = Field((), description="What was varied on purpose.")
    condition: tuple[str, ...] = Field(
        (), description="What names a condition; all factors together unless given."
    )
    cca: str | None = Field(None, description="Column of the algorithms that are compared.")
    replicate: str | None = Field(
        None,
        description="Column of replicates, such as their seeds: runs with the same one are pairs.",
    )
    period: str | None = Field(None, description="Column of periods; each is analysed by itself.")
    periods: Mapping[str, str] = Field(
        {}, description="What happens in each period, by its name in the table: `congestion comes`."
    )
    before: str | None = Field(None, description="The algorithm that others are compared with.")
    congestion: str | None = Field(None, description="Response that orders the conditions.")
    pairs: tuple[Pair, ...] = Field((), description="Throughputs of flows that compete.")
    titles: Mapping[str, str] = Field({}, description="What columns are called, with units.")
    levels: Mapping[str, Mapping[str, str]] = Field(
        {}, description="Levels of factors in words: factor, level as in the table, words."
    )
    order: Mapping[str, tuple[str, ...]] = Field(
        {},
        description="All levels of a factor, or all algorithms, in their order: the first is low.",
    )
    method: Method = Field(
        "interactions",
        description="Test of main effects: in a model with interactions, in one without, or one-way"
        " as NIST's Dataplot has it.",
    )
    worse: Mapping[str, Way] = Field({}, description="Which way a response is worse.")
    questions: Mapping[Question, tuple[str, ...]] = Field(
        {}, description="The responses that speak of each question."
    )

    @property
    def conditions(self) -> tuple[str, ...]:
        """The columns that name a condition."""
        return self.condition or self.factors_beside_cca

    @property
    def factors_beside_cca(self) -> tuple[str, ...]:
        """The factors without the column of algorithms, which may be listed among them."""
        return tuple(name for name in self.factors if name != self.cca)

    @property
    def before_level(self) -> tuple[str, str] | None:
        """The column of algorithms, and the algorithm that others are compared with."""
        return (self.cca, self.before) if self.cca and self.before else None

    def is_worse(self, response: str, change: float) -> bool:
        """Return whether a change of a response is for the worse.

        Raises KeyError for a response without better and worse.
        """
        return (change > 0) == (self.worse[response] == "more")

    def title(self, column: str) -> str:
        """Return the title of a column."""
        return self.titles.get(column, column)

    def check(self, frame: Frame) -> None:
        """Raise AnalysisError if a role names a column, algorithm or response that is not there."""
        for name in self._columns():
            frame.column(name)
        self._check_doubles(frame.name)
        self._check_responses(frame.name)
        self._check_before(frame)
        self._check_order(frame)

    def _columns(self) -> Iterable[str]:
        labels = [name for name in (self.cca, self.replicate, self.period) if name]
        sides = [side for pair in self.pairs for side in (pair.own, pair.other, pair.available)]
        columns = [side for side in sides if isinstance(side, str)]
        return [*self.responses, *self.factors, *self.condition, *labels, *columns, *self.titles]

    def _check_doubles(self, table: str) -> None:
        for role, names in (("responses", self.responses), ("factors", self.factors)):
            for name in names:
                if names.count(name) > 1:
                    raise AnalysisError(f"{table}: {role}: {name} is named twice")
        for name in self.responses:
            if name in (*self.factors, *self.condition, self.cca, self.replicate, self.period):
                raise AnalysisError(f"{table}: {name} is a response and a label")

    def _check_responses(self, table: str) -> None:
        asked = [name for names in self.questions.values() for name in names]
        congestion = [self.congestion] if self.congestion else []
        for name in self.levels:
            if name not in self.factors:
                known = ", ".join(self.factors) or "none"
                raise AnalysisError(f"{table}: levels: {name!r} is no factor; they are {known}")
        for name in (*asked, *self.worse, *congestion):
            if name not in self.responses:
                known = ", ".join(self.responses)
                raise AnalysisError(f"{table}: {name!r} is no response; they are {known}")

    def _check_before(self, frame: Frame) -> None:
        if self.before is None:
            return
        if self.cca is None:
            raise AnalysisError(
                f"{frame.name}: before: there is no column of algorithms (cca = ...)"
            )
        ccas = dict.fromkeys(frame.labels(self.cca))
        if self.before not in ccas:
            raise AnalysisError(
                f"{frame.name}: before: {self.before!r} is none of the algorithms {', '.join(ccas)}"
            )

    def _check_order(self, frame: Frame) -> None:
        for name, levels in self.order.items():
            if name not in (*self.factors, self.cca):
                known = ", ".join([*self.factors, *filter(None, [self.cca])]) or "none"
                raise AnalysisError(
                    f"{frame.name}: order: {name!r} is no factor and not the column of algorithms;"
                    f" they are {known}"
                )
            for level in frame.find_unordered(name):
                raise AnalysisError(
                    f"{frame.name}: order.{name}: the table has the level {level!r} too; write it"
                    f" among {', '.join(levels)}"
                )
