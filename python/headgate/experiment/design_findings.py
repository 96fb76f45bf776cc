"""The analysis of a design whose runs another program made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from headgate.design.generate import MadeDesign, load_design
from headgate.experiment import design_tables, findings
from headgate.experiment.design_runs import find_missing_runs, read_design_runs
from headgate.experiment.tables import MeasuredRuns
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.notes import write_notes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from headgate.data.tables import Table

#: The name of the table of effects; a page shows them as pictures.
EFFECTS = "effects"


@dataclass(frozen=True)
class DesignFindings:
    """The analysis of a response surface, a screening or a sensitivity design.

    `sentences` answer the question of the design. `notes` concern missing values and missing runs.
    `tables` are by name: `surface`, `optimum` and `second_order` of a response surface,
    `sensitivity` of other designs, and `effects`. Their columns are those of `headgate analyse
    --design --json`.
    """

    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    tables: Mapping[str, Table]
    runs: MeasuredRuns = field(repr=False)

    def draw(self) -> dict[str, Figure]:
        """Return the pictures of `headgate analyse --design` by name."""
        return {one.name: one.figure for one in findings.pictures(self.runs)}


def analyse_design(
    design: str | Path | MadeDesign,
    table: object,
    responses: Sequence[str],
    lower: Sequence[str] = (),
) -> DesignFindings:
    """Analyse the runs of a design of `headgate design new`, as `headgate analyse --design` does.

    `table` is a file, a data frame or a mapping of columns, with a row per run: the columns of the
    design's sheet, and the responses in their own units. Responses in `lower` are better if they
    are lower. Source: Box and Draper 2007 for surfaces, Morris 1991 for elementary effects,
    Saltelli et al. 2010 for shares of the variance.

    Raises AnalysisError for a design that needs no special analysis, such as a factorial, and for a
    table without these columns or with other levels than the design.
    """
    made = design if isinstance(design, MadeDesign) else load_design(str(design))
    frame = Frame.of(table)
    found = read_design_runs(made, frame, tuple(responses), tuple(lower))
    notes = (*write_notes(frame, (), tuple(responses)), *find_missing_runs(made, frame))
    own = {one.name: one for one in design_tables.tables(found)}
    return DesignFindings(findings.sentences(found), notes, own | {EFFECTS: found.effects}, found)
