"""The sections of a report, in order: what was found before how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from headgate.analysis.findings import Finding
from headgate.analysis.kinds import Kind
from headgate.analysis.questions import Answer
from headgate.analysis.whole import Made, Whole
from headgate.analysis.words import TONES
from headgate.charts import CHARTS
from headgate.report.about import About, Parameter
from headgate.report.page import (
    Markup,
    Section,
    anchor,
    chart,
    findings,
    fold,
    link,
    paragraph,
    picture,
    table,
    verdict,
)
from headgate.verdicts import Judged

CLAIM_COLUMNS = (
    "claim",
    "published",
    "tolerance",
    "measured as",
    "ours",
    "95 % CI",
    "detectable",
    "verdict",
)
FIGURES, TABLES = "figures", "tables"
Specs = Mapping[str, Mapping[str, Any]]


def findings_section(about: About, whole: Whole | None) -> Section:
    """Return what was found: by the study, and by each analysis with a link to it."""
    if whole is None:
        return Section("Findings", findings(about.findings))
    told = [one for one in whole.made if not one.reason]
    first = [one for one in told if not one.suffix or one.part is whole.focus]
    rest = {part.title: [one for one in told if one.part is part] for part in whole.parts}
    rest.pop(whole.focus.title)
    others = "".join(
        fold(title.capitalize(), findings(_link_findings(of))) for title, of in rest.items()
    )
    return Section("Findings", findings([*about.findings, *_link_findings(first)]) + others)


def _link_findings(made: Sequence[Made]) -> list[Markup]:
    return [Markup(_with_link(found, one)) for one in made for found in one.findings()]


def _with_link(said: Finding, one: Made) -> str:
    where = link(f"#{anchor(one.kind.title)}", "see")
    drawn = link(f"{FIGURES}/{said.picture}.svg", "picture")
    numbers = link(f"{TABLES}/{said.table}.csv", "table")
    return f"{escape(said.sentence)} <small>({where}, {drawn}, {numbers})</small>"


def claims(judged: Sequence[Judged]) -> Section:
    """Return the table of claims with their verdicts."""
    return Section("Claims", table(CLAIM_COLUMNS, [claim_row(claim) for claim in judged]))


def claim_row(claim: Judged) -> tuple[object, ...]:
    """Return the row of a claim."""
    ci = "" if claim.ci is None else f"{claim.ci[0]:.3g} … {claim.ci[1]:.3g}"
    said = f"{claim.statement} ({claim.source})" if claim.source else claim.statement
    measured = f"{claim.measure}. {claim.note}".strip() if claim.note else claim.measure
    ours = "" if claim.ours is None else claim.ours
    tolerance = claim.tolerance or ""
    detectable = "" if claim.detectable is None else f"{claim.detectable:.2g}"
    return said, claim.published, tolerance, measured, ours, ci, detectable, verdict(claim.verdict)


def design(about: About, whole: Whole | None) -> Section | None:
    """Return the design: what it is, its factors and conditions."""
    parts = [paragraph(text) for text in about.design]
    if whole and whole.roles.factors:
        effects = [one.result for one in whole.of("main-effects") if not one.reason]
        parts += [fold("Levels", findings(of.levels())) for of in effects[:1]]
        parts.append(fold("Conditions", _conditions(whole)))
    return Section("Design", "".join(parts)) if parts else None


def _conditions(whole: Whole) -> str:
    """Return every condition with its levels, from the least to the most congested."""
    roles = whole.roles
    rows = whole.frame.groups([*roles.conditions, *roles.factors])
    names = dict.fromkeys([*roles.conditions, *roles.factors])
    unique = dict.fromkeys(
        tuple(dict(zip([*roles.conditions, *roles.factors], key, strict=True)).values())
        for key in rows
    )
    return table([roles.title(name) for name in names], list(unique))


def pictures(about: About, folder: Path) -> list[Section]:
    """Return the pictures that a study drew itself."""
    return [
        Section(one.title, picture(folder / FIGURES / f"{one.name}.png", one.caption))
        for one in about.pictures
    ]


def listings(about: About) -> list[Section]:
    """Return the tables that a study made itself."""
    return [
        Section(one.title, paragraph(one.caption) + table(one.columns, one.rows))
        for one in about.tables
    ]


def questions(whole: Whole) -> str:
    """Return the answers to the five questions, a row a law, period by period."""
    made = [one for one in whole.of("questions") if not one.reason]
    first = "".join(_answer_table(one) for one in made if one.part is whole.focus)
    rest = [one for one in made if one.part is not whole.focus]
    return first + "".join(fold(one.part.title.capitalize(), _answer_table(one)) for one in rest)


def _answer_table(one: Made) -> str:
    answers: tuple[Answer, ...] = one.result
    laws = one.part.cells.laws
    rows = [[law, *(_word(answer.words.get(law)) for answer in answers)] for law in laws]
    said = [f"{a.question} {a.missing or a.findings[0].sentence}" for a in answers]
    title = f"<h3>{one.part.title.capitalize()}</h3>" if one.part.title else ""
    columns = ["law", *(answer.question.partition(":")[0] for answer in answers)]
    return title + table(columns, rows) + findings(said)


def _word(word: str | None) -> Markup:
    if word is None:
        return Markup("\N{EN DASH}")
    return verdict(word, {1: "good", -1: "bad"}.get(TONES.get(word, 0), "neither"))


def analyses(
    whole: Whole, specs: Specs, drawn: Mapping[str, Sequence[str]], folder: Path
) -> list[Section]:
    """Return a section a kind of analysis, with its pictures, its method and its files."""
    kinds: dict[str, Kind] = {kind.name: kind for kind, _ in whole.steps}
    show: dict[str, Callable[[], str]] = {"questions": lambda: questions(whole)}
    sections = []
    for name, kind in kinds.items():
        made = [one for one in whole.of(name) if not one.reason]
        if made:
            charts = "".join(chart(c, specs[c]["description"]) for c in CHARTS.get(name, {}))
            own = show[name]() if name in show else charts
            html = own + _files(made, drawn, folder, inside=not own)
            method = paragraph(f"Method: {kind.method}", "method")
            sections.append(Section(kind.title, html + method))
    return sections


def missing(whole: Whole) -> Section | None:
    """Return what could not be made of this table, and why."""
    reasons = {one.kind.title: one.reason for one in whole.made if one.reason}
    said = [f"{title}: {reason}." for title, reason in reasons.items()]
    return Section("What this table does not show", findings(said)) if said else None


def _files(
    made: Sequence[Made], drawn: Mapping[str, Sequence[str]], folder: Path, *, inside: bool
) -> str:
    """Return pictures that have no interactive form, and links to all files."""
    names = [name for one in made for name in drawn[one.name]]
    shown = [picture(folder / FIGURES / f"{name}.png", name.replace("-", " ")) for name in names]
    files = [link(f"{FIGURES}/{name}.svg", f"{name}.svg") for name in names]
    files += [link(f"{TABLES}/{one.name}.csv", f"{one.name}.csv") for one in made]
    beside = f'<p class="links">Files: {", ".join(files)}</p>'
    return (fold("Pictures", "".join(shown)) if inside else "") + fold(
        "Files beside this page", beside
    )


def parameters(about: About) -> Section | None:
    """Return the parameters with the marks of their sources."""
    if not about.parameters:
        return None
    rows = [_parameter(one) for one in about.parameters]
    columns = ("parameter", "value", "mark", "source")
    return Section("Parameters", table(columns, rows))


def _parameter(one: Parameter) -> tuple[str, ...]:
    return f"{one.name} {one.title}".strip(), one.value, one.mark or "", one.source


def versions(about: About) -> Section | None:
    """Return program, scale, seeds and cost."""
    if not about.versions:
        return None
    rows = list(about.versions.items())
    return Section("Versions and seeds", table(("what", "which"), rows))
