"""Makes the report of a folder: all pictures, all tables, and one page of HTML."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headgate.base.errors import HeadgateError
from headgate.base.optional import require
from headgate.figures.analysis.answer import law_title
from headgate.figures.analysis.whole import TableAnalysis, analyse_table
from headgate.figures.report import about as abouts
from headgate.figures.report import first, glossary, sections
from headgate.figures.report.about import FIGURES, TABLES, About
from headgate.figures.report.claims import claims
from headgate.figures.report.codes import Codes
from headgate.figures.report.page import WORDS, Charts, Page, Section, write_page
from headgate.figures.report.render import draw, write_tables

PAGE = "report.html"


def make(folder: Path, workers: int | None = None) -> Path:
    """Write `figures`, `tables` and `report.html` into a folder with a `report.toml`.

    Returns the path of the page. Raises HeadgateError where the folder does not have what it takes.
    """
    require("report", "a report")
    about = abouts.read(folder)
    found = _analyse(about, folder)
    drawn: Mapping[str, list[str]] = {}
    if found:
        drawn = draw(found, folder / FIGURES, workers or os.cpu_count() or 1)
        write_tables(found.tables(), folder / TABLES)
    return write_page(folder / PAGE, _page(about, found, drawn, folder))


def _analyse(about: About, folder: Path) -> TableAnalysis | None:
    if about.roles is None:
        return None
    if about.table is None:
        raise HeadgateError(f"{folder / abouts.FILE}: table: roles are those of a table; name it")
    return analyse_table(folder / about.table, about.roles)


def _page(
    about: About, found: TableAnalysis | None, drawn: Mapping[str, list[str]], folder: Path
) -> Page:
    """Put the answer first, and everything else into sections that are folded."""
    charts = _charts(found) if found else None
    codes = Codes.of(found)
    judged = abouts.claims(folder)
    main = first.main_picture(about, found, charts, folder)
    asked = sections.files_and_method(found, first.QUESTIONS, drawn, folder) if found else ""
    seen = [first.answer(about, found, judged, codes), first.questions(found, asked), main.html]
    top = "\n".join(f"<section>{html}</section>" for html in seen if html)
    said = first.first_sentences(about, found)
    specs = charts.specs if charts else {}
    analyses = sections.analyses(found, specs, drawn, folder, main.chart) if found else []
    parts = [
        Section("Claims", claims(judged, codes)) if judged else None,
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
    """Return the definitions of the terms that the page uses."""
    drawn = str(charts.specs) if charts else ""
    return Section(WORDS, glossary.definitions(glossary.terms_in([*texts, drawn])))


def _charts(found: TableAnalysis) -> Charts | None:
    """Return the interactive pictures of what could be made, with their data and choices."""
    from headgate.figures.charts import CHARTS
    from headgate.figures.charts.data import conditions, data, in_words

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
    words = in_words(found) if order else {}
    choices = _choices(found, words)
    chosen = {name: next(iter(values)) for name, (_, values) in choices.items()}
    chosen |= {"period": found.focus.period} if "period" in choices else {}
    response = found.roles.responses[0]
    chosen |= {"response": response, "title": found.roles.title(response)}
    return Charts(specs, data(found), choices, chosen, order[-1] if order else "", words)


def _choices(
    found: TableAnalysis, words: Mapping[str, str]
) -> dict[str, tuple[str, Mapping[str, str]]]:
    roles = found.roles
    laws = list(found.all_periods.cells.laws) if words else []
    others = {one.law: law_title(one.law) for one in found.answers} or {
        law: law_title(law) for law in laws if roles.before and law != roles.before
    }
    possible = {
        "condition": ("Condition", {"": "all", **words}),
        "period": ("Period", {p.period: p.title.capitalize() for p in found.parts if p.period}),
        "response": ("Response", {name: roles.title(name) for name in roles.responses}),
        "law": ("Change to", others),
        "flows": ("Flows", {pair.title: pair.title for pair in roles.pairs}),
    }
    return {name: (title, values) for name, (title, values) in possible.items() if len(values) > 1}
