"""The table of runs in a finished folder, as pictures of responses by factor need it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headgate.base.errors import HeadgateError
from headgate.base.files import read_toml_file
from headgate.base.level_order import LevelOrder
from headgate.data.folder import EXPERIMENT
from headgate.data.parquet import read_columns
from headgate.data.tables import Table
from headgate.experiment.effect_sentences import unit_of, within
from headgate.experiment.form import ExperimentFile, read_order
from headgate.experiment.responses import Response
from headgate.figures.spec.means import CHOSEN, MeansLayout, MeasuredTable, draw_means

if TYPE_CHECKING:
    from headgate.figures.paper.size import PaperSize

RUNS = "runs.parquet"


def read_measured(folder: Path) -> MeasuredTable | None:
    """Return the runs of an experiment or study; None without a table of runs.

    Code that the experiment's file names is not run. Raises HeadgateError.
    """
    if (folder / EXPERIMENT).is_file() and (folder / RUNS).is_file():
        file = ExperimentFile.from_dict(read_toml_file(folder / EXPERIMENT))
        titles = {factor.name: factor.title for factor in file.make_factors() if factor.title}
        table = Table("runs", read_columns(folder / RUNS))
        return make_measured(table, file.make_responses(), read_order(folder), titles)
    return _read_reported(folder)


def plot_means(
    folder: Path, out: str | Path | None, paper: PaperSize | str, layout: MeansLayout | None
) -> None:
    """Write the means of a finished experiment as figures for a paper. Raises HeadgateError."""
    from headgate.figures.paper.save import plot_for_paper

    table = read_measured(folder)
    if table is None:
        raise HeadgateError(f"{folder} is not the folder of a finished experiment")
    plot_for_paper(draw_means(table, layout or CHOSEN), out or folder / "paper", paper)


def make_measured(
    runs: Table, responses: tuple[Response, ...], order: LevelOrder, titles: dict[str, str]
) -> MeasuredTable:
    """Return a table of runs with the titles of its responses and factors."""
    named = {one.name: _label(one) for one in responses}
    factors = tuple(name for name in runs if name not in (*named, "replicate", "seed"))
    columns = {name: runs[name] for name in runs}
    return MeasuredTable(columns, factors, tuple(named), "replicate", titles | named, order)


def _label(response: Response) -> str:
    said, unit = within(response), unit_of(response.unit)
    return f"{said} ({unit})" if unit else said


def _read_reported(folder: Path) -> MeasuredTable | None:
    """Return the table that a folder's report analyses; None without such a report."""
    from headgate.figures.report import about

    if not (folder / about.FILE).is_file():
        return None
    found = about.read(folder)
    if found.table is None or found.roles is None:
        return None
    roles, frame = found.roles, found.read_table(folder)
    if roles.period:
        raise HeadgateError(f"{folder}: its table has periods; `headgate report` draws each")
    factors = tuple(dict.fromkeys([*roles.factors, *filter(None, [roles.cca])]))
    columns = dict(frame.columns) | {name: frame.numbers(name) for name in roles.responses}
    return MeasuredTable(
        columns, factors, roles.responses, roles.replicate, roles.titles, LevelOrder(roles.order)
    )
