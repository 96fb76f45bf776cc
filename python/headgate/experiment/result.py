"""What an experiment gives: its tables, findings, judged claims, pictures, and its report."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.claims.verdicts import JudgedClaim
from headgate.data.tables import Table
from headgate.experiment.runner import StudyOutcome
from headgate.experiment.tables import rows_of
from headgate.figures.notebook import draw_svg, show_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ExperimentResult:
    """The tables of an experiment, and its report."""

    def __init__(self, title: str, outcome: StudyOutcome) -> None:
        self.title, self.outcome = title, outcome
        self.runs, self.table, self.effects = outcome.analysis.data

    runs: Table
    """One row a run: levels, replicate, seed, responses."""
    table: Table
    """One row a condition and response: mean with 95 % interval of Student's t over replicates."""
    effects: Table
    """One row an effect: main effects and two-factor interactions with 95 % intervals."""

    @property
    def claims(self) -> tuple[JudgedClaim, ...]:
        """The judged claims."""
        return self.outcome.claims

    @property
    def findings(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        return self.outcome.sentences

    @property
    def report(self) -> Path | None:
        """The page, which opens with the network off; none where libraries for it are missing."""
        return self.outcome.report

    def figures(self) -> dict[str, Figure]:
        """Return the pictures of means with intervals and of effects, by name."""
        return {picture.name: picture.figure for picture in self.outcome.analysis.pictures}

    def plot(self, out: str | Path | None = None) -> None:
        """Show the pictures below the cell of a notebook; elsewhere save them, and print the paths.

        They are saved in the folder `out`, unless given that of the report's pictures. Raises
        StoreError.
        """
        show_figures(self.figures(), self.outcome.folder / "figures" if out is None else Path(out))

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        return self.outcome.as_json() | {
            "means": list(rows_of(self.table)),
            "effects": list(rows_of(self.effects)),
            "findings": list(self.findings),
            "report": None if self.report is None else str(self.report),
        }

    def __repr__(self) -> str:
        return "\n".join([f"{self.title}: {len(self.runs)} runs", *self.findings])

    def _repr_html_(self) -> str:
        told = "".join(f"<li>{escape(said)}</li>" for said in self.findings)
        first = next(iter(self.figures().values()), None)
        picture = "" if first is None else draw_svg(first)
        return f"<ul>{told}</ul>{self.table._repr_html_()}{picture}"
