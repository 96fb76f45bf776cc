"""All pictures and tables of an analysis as files, drawn by several processes at once."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from headgate.base.errors import StoreError, explain_os
from headgate.base.progress import count_steps
from headgate.base.terminal import escape_formula
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.whole import Made, TableAnalysis

#: So few numbers are drawn before a second process has begun.
FEW = 4000


def draw(whole: TableAnalysis, folder: Path, workers: int) -> dict[str, list[str]]:
    """Draw every picture into `folder` as PNG and SVG; return their names by analysis."""
    places = [place for place, one in enumerate(whole.made) if not one.reason]
    numbers = len(whole.frame) * len(whole.roles.responses)
    with count_steps("pictures", len(places), "analyses drawn") as step:
        if workers > 1 and numbers >= FEW:
            with suppress(BrokenProcessPool):  # a process that the system killed: draw here
                return _collect(whole, places, _draw_beside(whole, folder, workers, places), step)
        drawn = (_draw_one(whole.made[place], folder) for place in places)
        return _collect(whole, places, drawn, step)


def _collect(
    whole: TableAnalysis,
    places: Sequence[int],
    drawn: Iterable[list[str]],
    step: Callable[[], None],
) -> dict[str, list[str]]:
    """Name what was drawn by its analysis, one step each."""
    found = {}
    for place, names in zip(places, drawn, strict=True):
        found[whole.made[place].name] = names
        step()
    return found


def _draw_beside(
    whole: TableAnalysis, folder: Path, workers: int, places: Sequence[int]
) -> Iterator[list[str]]:
    """Draw in processes that begin afresh: a fork of one with threads may never come to an end."""
    begun = (whole.frame, whole.roles, folder)
    with ProcessPoolExecutor(workers, get_context("spawn"), _begin, begun) as pool:
        yield from pool.map(_draw, places, [whole.made[place].result for place in places])


@cache
def _worker_state() -> list[tuple[TableAnalysis, Path]]:
    """Return what a process was begun with, once it was."""
    return []


def _begin(frame: Frame, roles: Roles, folder: Path) -> None:
    _worker_state().append((TableAnalysis(frame, roles), folder))


def _draw(place: int, result: Any) -> list[str]:
    """Draw one of the analyses, whose result is there."""
    whole, folder = _worker_state()[0]
    return _draw_one(Made(*whole.steps[place], result), folder)


def _draw_one(made: Made, folder: Path) -> list[str]:
    import matplotlib as mpl

    mpl.use("agg")
    from headgate.figures.plots.style import save_figure

    names = []
    for name, figure in made.figures():
        save_figure(figure, folder, name)
        names.append(name)
    return names


def write_tables(tables: Mapping[str, Sequence[Mapping[str, Any]]], folder: Path) -> None:
    """Write each table as CSV and Parquet."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in tables.items():
            _write_csv(folder / f"{name}.csv", rows)
            if rows:  # a table without columns is none to Parquet
                _write_parquet(folder / f"{name}.parquet", rows)
    except OSError as error:
        raise StoreError(f"{folder}: tables cannot be written ({explain_os(error)})") from None


def _write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        names = list(rows[0]) if rows else []
        writer.writerow(map(escape_formula, names))
        writer.writerows([_in_csv(row[name]) for name in names] for row in rows)


def _in_csv(value: Any) -> Any:
    """Return what stands in a file that spreadsheets open; numbers as they are."""
    cell = _cell(value)
    return escape_formula(cell) if isinstance(cell, str) else cell


def _write_parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    from headgate.data.parquet import write_table
    from headgate.data.tables import Table, Words

    columns = {key: [_cell(row[key]) for row in rows] for key in (rows[0] if rows else ())}

    def column(cells: list[Any]) -> Any:
        if not all(isinstance(cell, int | float | None) for cell in cells):
            return Words.of(["" if cell is None else str(cell) for cell in cells])
        return np.array([np.nan if cell is None else cell for cell in cells])

    write_table(path, Table(path.stem, {key: column(cells) for key, cells in columns.items()}))


def _cell(value: Any) -> Any:
    """Write truth as 0 and 1, a tuple as words, and what is missing as None."""
    if isinstance(value, bool | np.bool_):
        return int(value)
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return None if isinstance(value, float) and np.isnan(value) else value
