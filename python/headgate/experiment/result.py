"""The result of an experiment: tables, findings, judged claims, pictures and the report."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.claims.verdicts import JudgedClaim
from headgate.data.tables import Table
from headgate.experiment import runner
from headgate.experiment.recall import Answer
from headgate.figures.notebook import draw_svg, show_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from headgate.figures.paper.size import PaperSize
    from headgate.figures.spec.means import MeansLayout


class ExperimentResult:
    """The tables of an experiment, its findings and judged claims, and its report."""

    runs: Table
    """One row per run: levels, replicate, seed, responses."""
    table: Table
    """One row per condition and response: mean with Student's 95 % interval over replicates."""
    effects: Table
    """One row per effect: main effects and two-factor interactions with 95 % intervals."""
    tables: Mapping[str, Table]
    """More tables: those of special kinds of designs (`surface`, `optimum`, `sensitivity`, ...)."""
    parts: Table | None
    """One row per main effect on a link or a pair, if the experiment's `parts` ask for them."""

    def __init__(self, title: str, outcome: runner.StudyOutcome) -> None:
        self.title, self.outcome = title, outcome
        self.runs, self.table, self.effects, *more = outcome.analysis.data
        self.tables = {table.name: table for table in more}
        self.parts = self.tables.get("parts")

    @property
    def claims(self) -> tuple[JudgedClaim, ...]:
        """The judged claims."""
        return self.outcome.claims

    @property
    def findings(self) -> tuple[str, ...]:
        """The findings, as sentences."""
        return self.outcome.sentences

    @property
    def report(self) -> Path | None:
        """The page, which opens offline; None if libraries for it are missing."""
        return self.outcome.report

    def figures(self) -> dict[str, Figure]:
        """Return the pictures of means with intervals and of effects, by name."""
        return {picture.name: picture.figure for picture in self.outcome.analysis.pictures}

    def plot(
        self,
        out: str | Path | None = None,
        *,
        paper: PaperSize | str | None = None,
        layout: MeansLayout | None = None,
    ) -> None:
        """Show the pictures in a notebook; elsewhere save them, and print the paths.

        The default folder is that of the report's pictures. With `paper` ("ieee", "acm", "88 mm",
        or a size), it writes the means as figures for a paper into the folder `paper`; `layout`
        names the factors of axis, lines and panels. Raises HeadgateError.
        """
        if paper is not None:
            from headgate.experiment.plotted import plot_means

            plot_means(self.outcome.folder, out, paper, layout)
            return
        show_figures(self.figures(), self.outcome.folder / "figures" if out is None else Path(out))

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        return Answer.of(self.outcome).as_json()

    def __repr__(self) -> str:
        return "\n".join([f"{self.title}: {len(self.runs)} runs", *self.findings])

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.findings)
        first = next(iter(self.figures().values()), None)
        picture = "" if first is None else draw_svg(first)
        return f"<ul>{items}</ul>{self.table._repr_html_()}{picture}"
