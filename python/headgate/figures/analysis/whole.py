"""The whole analysis of a table: every kind that its roles allow, period by period."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from headgate.base.errors import AnalysisError
from headgate.base.terminal import safe_file_name
from headgate.figures.analysis.answer import CcaAnswer, answer_each_cca
from headgate.figures.analysis.findings import Finding
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.headline import write_headline
from headgate.figures.analysis.kinds import KINDS, Kind
from headgate.figures.analysis.notes import write_notes
from headgate.figures.analysis.part import PeriodAnalysis, make_slugs
from headgate.figures.analysis.phrases import distinguish_titles
from headgate.figures.analysis.roles import Roles

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class AnalysisResult:
    """A kind of analysis, of one period or of all; `reason` explains a missing result."""

    kind: Kind
    part: PeriodAnalysis
    result: Any = None
    reason: str = ""

    @property
    def suffix(self) -> str:
        """The end of the names of its pictures and tables."""
        return f"-{self.part.slug}" if self.part.period else ""

    @property
    def name(self) -> str:
        """The name of its table."""
        return f"{self.kind.name}{self.suffix}"

    def findings(self) -> Iterator[Finding]:
        """Yield its findings, in sentences that name the period."""
        said = f"{self.part.heading}: " if self.suffix else ""
        for found in self.kind.findings(self.result, self.part):
            yield replace(
                found,
                sentence=f"{said}{found.sentence}",
                picture=safe_file_name(f"{found.picture}{self.suffix}"),
                table=safe_file_name(f"{found.table}{self.suffix}"),
            )

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Draw its pictures, one after another."""
        for name, figure in self.kind.figures(self.result, self.part):
            yield safe_file_name(f"{name}{self.suffix}"), figure

    def rows(self) -> list[dict[str, Any]]:
        """Return its table, one record a row."""
        return [dict(row) for row in self.kind.rows(self.result)]


@dataclass(frozen=True)
class TableAnalysis:
    """All analyses of a table."""

    frame: Frame
    roles: Roles

    @cached_property
    def parts(self) -> tuple[PeriodAnalysis, ...]:
        """One part per period; a single one if there are none."""
        if self.roles.period is None:
            return (PeriodAnalysis(self.frame, self.roles),)
        groups = self.frame.groups([self.roles.period])
        parts = [
            PeriodAnalysis(self.frame.only(rows), self.roles, *key) for key, rows in groups.items()
        ]
        names = make_slugs([part.title for part in parts])
        return tuple(replace(part, slug=name) for part, name in zip(parts, names, strict=True))

    @property
    def focus(self) -> PeriodAnalysis:
        """The period that is reported first: the middle one, in which congestion begins."""
        return self.parts[len(self.parts) // 2]

    @cached_property
    def answers(self) -> tuple[CcaAnswer, ...]:
        """The first sentence of each algorithm; () if none replaces another."""
        try:
            return answer_each_cca(self.focus)
        except AnalysisError:
            return ()

    @property
    def headline(self) -> str:
        """One sentence on all algorithms; "" if none replaces another."""
        return write_headline(self.focus, self.answers, len(self.parts))

    @cached_property
    def notes(self) -> list[str]:
        """Rows that the analyses omit, and labels that may be mistakes."""
        roles = self.roles
        labels = [name for name in (*roles.condition, roles.cca, roles.period) if name]
        return write_notes(self.frame, roles.factors, roles.responses, labels, roles.replicate)

    @cached_property
    def all_periods(self) -> PeriodAnalysis:
        """All rows together."""
        return PeriodAnalysis(self.frame, self.roles)

    @cached_property
    def steps(self) -> tuple[tuple[Kind, PeriodAnalysis], ...]:
        """Every kind of analysis with each part that it is made of, in the registry's order."""
        return tuple(
            (kind, part)
            for kind in KINDS
            for part in (self.parts if kind.by_period else (self.all_periods,))
        )

    def one(self, place: int) -> AnalysisResult:
        """Run one of the steps."""
        return _try_kind(*self.steps[place])

    @cached_property
    def made(self) -> tuple[AnalysisResult, ...]:
        """Everything that is planned."""
        return tuple(self.one(place) for place in range(len(self.steps)))

    def of(self, kind: str) -> tuple[AnalysisResult, ...]:
        """Return the results of one kind, one a period."""
        return tuple(one for one in self.made if one.kind.name == kind)

    def findings(self) -> list[Finding]:
        """Return all findings in words."""
        return [found for one in self.made if not one.reason for found in one.findings()]

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Return every table by its name."""
        return {one.name: one.rows() for one in self.made if not one.reason}

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Draw every picture, one after another, so that memory holds only one."""
        for one in self.made:
            if not one.reason:
                yield from one.figures()

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(found.sentence)}</li>" for found in self.findings())
        return f"<ul>{items}</ul>"


def analyse_table(table: object, roles: Roles) -> TableAnalysis:
    """Check that the table contains the columns of the roles, and run every analysis on demand.

    Raises AnalysisError.
    """
    frame = Frame.of(table).with_order(roles.order)
    if not len(frame):
        raise AnalysisError(f"{frame.name}: has no rows")
    roles.check(frame)
    columns = [*roles.factors_beside_cca, *roles.responses]
    titles = distinguish_titles(columns, roles.titles)
    return TableAnalysis(frame, roles.model_copy(update={"titles": titles}))


def _try_kind(kind: Kind, part: PeriodAnalysis) -> AnalysisResult:
    try:
        return AnalysisResult(kind, part, kind.make(part))
    except AnalysisError as reason:
        return AnalysisResult(kind, part, reason=str(reason))
