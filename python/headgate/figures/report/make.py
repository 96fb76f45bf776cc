"""Makes the report of a folder: all pictures, all tables, and one page of HTML."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from headgate.base.errors import StoreError, explain_os
from headgate.base.optional import require
from headgate.base.progress import count_steps
from headgate.base.terminal import escape_formula
from headgate.figures.analysis.answer import cca_title
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.whole import AnalysisResult, TableAnalysis, analyse_table
from headgate.figures.report import about as abouts
from headgate.figures.report import first, sections
from headgate.figures.report.about import FIGURES, TABLES, About
from headgate.figures.report.html import Codes, definitions, terms_in
from headgate.figures.report.page import WORDS, Charts, Page, Section, write_page
from headgate.figures.report.sections import write_claims

#: So few numbers are drawn before a second process has begun.
FEW = 4000


def draw(whole: TableAnalysis, folder: Path, workers: int) -> dict[str, list[str]]:
    """Draw every picture into `folder` as PNG and SVG; return their names by analysis."""
    places = [place for place, one in enumerate(whole.made) if not one.reason]
    numbers = len(whole.frame) * len(whole.roles.responses)
    with count_steps("pictures", len(places), "analyses drawn") as step:
        if workers > 1 and numbers >= FEW:
            with suppress(BrokenProcessPool):  # a process that the system killed: draw here
                return _name(whole, places, _draw_beside(whole, folder, workers, places, step))
        return _name(whole, places, [_draw_here(whole, folder, at, step) for at in places])


def _name(
    whole: TableAnalysis, places: Sequence[int], drawn: Sequence[list[str]]
) -> dict[str, list[str]]:
    return {whole.made[at].name: names for at, names in zip(places, drawn, strict=True)}


def _draw_here(
    whole: TableAnalysis, folder: Path, place: int, step: Callable[[], None]
) -> list[str]:
    names = _draw_one(whole.made[place], folder)
    step()
    return names


def _draw_beside(
    whole: TableAnalysis,
    folder: Path,
    workers: int,
    places: Sequence[int],
    step: Callable[[], None],
) -> list[list[str]]:
    """Draw in this process and in spawned ones: a fork of a process with threads may deadlock.

    The others begin with the first places, and this process with the last.
    """

    def count(done: Future[list[str]]) -> None:
        if not done.cancelled():
            step()

    begun = (whole.frame, whole.roles, folder)
    with ProcessPoolExecutor(workers - 1, get_context("spawn"), _begin, begun) as pool:
        others = {at: pool.submit(_draw, at, whole.made[at].result) for at in places}
        for other in others.values():
            other.add_done_callback(count)
        here: dict[int, list[str]] = {}
        for at in reversed(places):
            if not others[at].cancel():  # another process draws it, and those before it
                break
            here[at] = _draw_here(whole, folder, at, step)
        return [here[at] if at in here else others[at].result() for at in places]


@cache
def _worker_state() -> list[tuple[TableAnalysis, Path]]:
    return []


@cache
def _seldom() -> ExitStack:
    return ExitStack()


def _begin(frame: Frame, roles: Roles, folder: Path) -> None:
    from headgate.figures.plots.style import collect_seldom

    _seldom().enter_context(collect_seldom())  # until the process ends
    _worker_state().append((TableAnalysis(frame, roles), folder))


def _draw(place: int, result: Any) -> list[str]:
    whole, folder = _worker_state()[0]
    return _draw_one(AnalysisResult(*whole.steps[place], result), folder)


def _draw_one(made: AnalysisResult, folder: Path) -> list[str]:
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
    """Write booleans as 0 and 1, a tuple as words, and NaN as None."""
    if isinstance(value, bool | np.bool_):
        return int(value)
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return None if isinstance(value, float) and np.isnan(value) else value


PAGE = "report.html"


def make(folder: Path, workers: int | None = None) -> Path:
    """Write `figures`, `tables` and `report.html` into a folder with a `report.toml`.

    Returns the path of the page. Raises HeadgateError if the folder is incomplete.
    """
    require("report", "a report")
    from headgate.figures.plots.style import collect_seldom

    about = abouts.read(folder)
    found = _analyse(about, folder)
    drawn: Mapping[str, list[str]] = {}
    with collect_seldom():
        if found:
            drawn = draw(found, folder / FIGURES, workers or os.cpu_count() or 1)
            write_tables(found.tables(), folder / TABLES)
        return write_page(folder / PAGE, _page(about, found, drawn, folder))


def _analyse(about: About, folder: Path) -> TableAnalysis | None:
    if about.roles is None:
        return None
    return analyse_table(about.read_table(folder), about.roles)


def _page(
    about: About, found: TableAnalysis | None, drawn: Mapping[str, list[str]], folder: Path
) -> Page:
    """Put the answer first, and everything else into folded sections."""
    charts = _charts(found) if found else None
    codes = Codes.of(found)
    judged = abouts.read_claims(folder)
    main = first.main_picture(about, found, charts, folder)
    asked = sections.files_and_method(found, first.QUESTIONS, drawn, folder) if found else ""
    seen = [first.answer(about, found, judged, codes), first.questions(found, asked), main.html]
    top = "\n".join(f"<section>{html}</section>" for html in seen if html)
    said = first.first_sentences(about, found)
    specs = charts.specs if charts else {}
    analyses = sections.analyses(found, specs, drawn, folder, main.chart) if found else []
    parts = [
        Section("Claims", write_claims(judged, codes)) if judged else None,
        sections.findings_section(about, found, said, codes),
        *sections.pictures(about, folder, main.picture),
        sections.design(about, found),
        *analyses,
        *sections.listings(about),
        sections.missing(found) if found and not about.versions else None,
        sections.parameters(about),
        sections.versions(about),
    ]
    folded = [part for part in parts if part is not None]
    folded.append(_words(charts, [top, *(part.html for part in folded)]))
    footer = "; ".join(f"{key} {value}" for key, value in about.versions.items())
    return Page(about.title, about.question, top, folded, footer, charts)


def _words(charts: Charts | None, texts: list[str]) -> Section:
    drawn = str(charts.specs) if charts else ""
    return Section(WORDS, definitions(terms_in([*texts, drawn])))


def _charts(found: TableAnalysis) -> Charts | None:
    from headgate.figures.vega import CHARTS
    from headgate.figures.vega.data import collect_data, describe_conditions, order_conditions

    made = {one.kind.name for one in found.made if not one.reason}
    specs: dict[str, Mapping[str, Any]] = {
        name: draw_chart(found)
        for kind, charts in CHARTS.items()
        if kind in made
        for name, draw_chart in charts.items()
    }
    if not specs:
        return None
    order = order_conditions(found) if found.roles.cca else []
    words = describe_conditions(found) if order else {}
    choices = _choices(found, words)
    chosen = {name: next(iter(values)) for name, (_, values) in choices.items()}
    chosen |= {"period": found.focus.period} if "period" in choices else {}
    response = found.roles.responses[0]
    chosen |= {"response": response, "title": found.roles.title(response)}
    return Charts(specs, collect_data(found), choices, chosen, order[-1] if order else "", words)


def _choices(
    found: TableAnalysis, words: Mapping[str, str]
) -> dict[str, tuple[str, Mapping[str, str]]]:
    roles = found.roles
    ccas = list(found.all_periods.cells.ccas) if words else []
    others = {one.cca: cca_title(one.cca) for one in found.answers} or {
        cca: cca_title(cca) for cca in ccas if roles.before and cca != roles.before
    }
    possible = {
        "condition": ("Condition", {"": "all", **words}),
        "period": ("Period", {p.period: p.heading for p in found.parts if p.period}),
        "response": ("Response", {name: roles.title(name) for name in roles.responses}),
        "cca": ("Change to", others),
        "flows": ("Flows", {pair.title: pair.title for pair in roles.pairs}),
    }
    return {name: (title, values) for name, (title, values) in possible.items() if len(values) > 1}
