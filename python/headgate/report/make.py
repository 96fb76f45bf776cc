"""Makes the report of a folder: all pictures, all tables, and one page of HTML."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headgate.analysis.whole import Whole, whole
from headgate.errors import HeadgateError
from headgate.optional import require
from headgate.report import about as abouts
from headgate.report import sections
from headgate.report.about import About
from headgate.report.page import Charts, Page, Section, write_page
from headgate.report.render import draw, write_tables

PAGE = "report.html"
#: The analysis that answers what a study of laws is asked: before its own pictures.
QUESTIONS = "questions"


def make(folder: Path, workers: int | None = None) -> Path:
    """Write `figures`, `tables` and `report.html` into a folder with a `report.toml`.

    Returns the path of the page. Raises HeadgateError where the folder does not have what it takes.
    """
    require("report", "a report")
    about = abouts.read(folder)
    found = _analyse(about, folder)
    drawn: Mapping[str, list[str]] = {}
    if found:
        drawn = draw(found, folder / sections.FIGURES, workers or os.cpu_count() or 1)
        write_tables(found.tables(), folder / sections.TABLES)
    charts = _charts(found) if found else None
    parts = _sections(about, found, charts, drawn, folder)
    footer = "; ".join(f"{key} {value}" for key, value in about.versions.items())
    page = Page(about.title, about.question, parts, footer, charts)
    return write_page(folder / PAGE, page)


def _analyse(about: About, folder: Path) -> Whole | None:
    if about.roles is None:
        return None
    if about.table is None:
        raise HeadgateError(f"{folder / abouts.FILE}: table: roles are those of a table; name it")
    return whole(folder / about.table, about.roles)


def _sections(
    about: About,
    found: Whole | None,
    charts: Charts | None,
    drawn: Mapping[str, list[str]],
    folder: Path,
) -> list[Section]:
    """Put findings first, then the picture that answers the question, claims, all the rest."""
    own = sections.pictures(about, folder)
    judged = abouts.claims(folder)
    analyses = sections.analyses(found, charts.specs, drawn, folder) if found and charts else []
    asked = found is not None and any(not one.reason for one in found.of(QUESTIONS))
    answer, analyses = (analyses[:1], analyses[1:]) if asked or not own else ([], analyses)
    parts = [
        sections.findings_section(about, found),
        *answer,
        *own[:1],
        sections.claims(judged) if judged else None,
        sections.design(about, found),
        *own[1:],
        *analyses,
        sections.missing(found) if found else None,
        *sections.listings(about),
        sections.parameters(about),
        sections.versions(about),
    ]
    return [part for part in parts if part is not None]


def _charts(found: Whole) -> Charts | None:
    """Return the interactive pictures of what could be made, with their data and choices."""
    from headgate.charts import CHARTS
    from headgate.charts.data import conditions, data

    made = {one.kind.name for one in found.made if not one.reason}
    specs: dict[str, Mapping[str, Any]] = {
        name: draw_chart(found)
        for kind, charts in CHARTS.items()
        if kind in made
        for name, draw_chart in charts.items()
    }
    if not specs:
        return None
    order = conditions(found) if found.roles.law else []
    choices = _choices(found, order)
    first = {name: next(iter(values)) for name, (_, values) in choices.items()}
    first |= {"period": found.focus.period} if "period" in choices else {}
    return Charts(specs, data(found), choices, first, order[-1] if order else "")


def _choices(found: Whole, order: list[str]) -> dict[str, tuple[str, Mapping[str, str]]]:
    roles = found.roles
    laws = list(found.all_periods.cells.laws) if roles.law else []
    others = {law: law for law in laws if roles.before and law != roles.before}
    possible = {
        "condition": ("Condition", {"": "all", **{name: name for name in order}}),
        "period": ("Period", {p.period: p.title.capitalize() for p in found.parts if p.period}),
        "response": ("Response", {name: roles.title(name) for name in roles.responses}),
        "law": ("Change to", others),
        "flows": ("Flows", {pair.title: pair.title for pair in roles.pairs}),
    }
    return {name: (title, values) for name, (title, values) in possible.items() if len(values) > 1}
