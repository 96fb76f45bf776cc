"""The folded sections of a report: claims, findings, design, analyses, parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from headgate.claims.verdicts import JudgedClaim, Verdict
from headgate.figures.analysis.findings import Finding
from headgate.figures.analysis.kinds import Kind
from headgate.figures.analysis.phrases import phrases, short
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.whole import AnalysisResult, TableAnalysis
from headgate.figures.report.about import FIGURES, TABLES, About, Parameter
from headgate.figures.report.first import QUESTIONS
from headgate.figures.report.html import (
    Codes,
    Markup,
    explain,
    findings,
    fold,
    link,
    number,
    paragraph,
    table,
    tip,
    verdict,
)
from headgate.figures.report.page import Section, anchor, chart, picture
from headgate.figures.vega import CHARTS

COLUMNS = ("verdict", "claim", "published", "found", "how it is judged")
#: A mean over so few is said to be one.
FEW = 3
#: Rows of an analysis without a picture that the page shows.
FIRST_ROWS = 40


def write_claims(judged: Sequence[JudgedClaim], codes: Codes) -> str:
    """Return the filter and the table; without JavaScript only the table is visible."""
    rows = [_row(claim, codes) for claim in judged]
    return _filter(judged) + table(COLUMNS, rows, "claims")


def _filter(judged: Sequence[JudgedClaim]) -> str:
    counts = Counter(claim.verdict.value for claim in judged)
    options = "".join(
        f'<option value="{escape(word)}">{escape(word)} ({counts[word]})</option>'
        for word in map(str, Verdict)
        if counts[word]
    )
    return (
        '<form class="filter" id="filter" aria-label="Filter of the claims" hidden>'
        '<label for="filter-verdict">Verdict<select id="filter-verdict">'
        f'<option value="">all ({len(judged)})</option>{options}</select></label>'
        '<label for="filter-text">Words<input id="filter-text" type="search"></label>'
        '<p id="filtered" role="status" aria-live="polite"></p></form>'
    )


def _row(claim: JudgedClaim, codes: Codes) -> tuple[object, ...]:
    source = f"<br><small>{escape(claim.source)}</small>" if claim.source else ""
    said = Markup(f"{codes.explain(claim.statement)}{source}")
    return verdict(claim.verdict), said, claim.published, _found(claim), _judged_by(claim, codes)


def _found(claim: JudgedClaim) -> Markup:
    if claim.ours is None:
        return Markup("\N{EN DASH}")
    found = escape(number(claim.ours))
    if claim.ci is None:
        return Markup(f"{found}<br><small>one number, without an interval</small>")
    low, high = map(number, claim.ci)
    return Markup(f"{found}<br><small>{low} to {high} (95 %){_over(claim)}</small>")


def _over(claim: JudgedClaim) -> str:
    if claim.sample is None:
        return ""
    count, unit = claim.sample.count, escape(claim.sample.unit)
    only = "only " if count <= FEW else ""
    return f", over {only}{count} {unit if count > 1 else unit.removesuffix('s')}"


def _judged_by(claim: JudgedClaim, codes: Codes) -> Markup:
    """Return the measure, its tolerance, and the note on the outcome."""
    parts = [codes.explain(f"{claim.measure[:1].upper()}{claim.measure[1:]}".rstrip("."))]
    if claim.tolerance:
        parts.append(Markup(f"{explain('tolerance')} {escape(claim.tolerance)}"))
    if claim.detectable is not None:
        parts.append(Markup(f"{explain('detectable')} {claim.detectable:.2g}"))
    note = f"<br>{codes.explain(claim.note)}" if claim.note else ""
    return Markup("; ".join(parts) + "." + note)


Specs = Mapping[str, Mapping[str, Any]]


def findings_section(
    about: About, whole: TableAnalysis | None, shown: Sequence[str], codes: Codes
) -> Section | None:
    """Return the findings that the page does not show yet, each with a link to its analysis."""
    own = [codes.explain(one) for one in about.findings if one not in shown]
    if whole is None:
        return Section("More findings", findings(own)) if own else None
    results = [one for one in whole.made if not one.reason and one.kind.name != QUESTIONS]
    first = [one for one in results if not one.suffix or one.part is whole.focus]
    said = [*own, *_link_findings(first, shown, codes)]
    periods = {
        part.heading: _link_findings([o for o in results if o.part is part], shown, codes)
        for part in whole.parts
        if part.title and part is not whole.focus
    }
    others = "".join(fold(title, findings(of)) for title, of in periods.items() if of)
    return Section("More findings", findings(said) + others) if said or others else None


def _link_findings(
    made: Sequence[AnalysisResult], shown: Sequence[str], codes: Codes
) -> list[Markup]:
    return [
        Markup(_with_link(found, one, codes))
        for one in made
        for found in one.findings()
        if found.sentence not in shown
    ]


def _with_link(said: Finding, one: AnalysisResult, codes: Codes) -> str:
    section = link(f"#{anchor(one.kind.title)}", "see")
    drawn = link(f"{FIGURES}/{said.picture}.svg", "picture")
    numbers = link(f"{TABLES}/{said.table}.csv", "table")
    return f"{codes.explain(said.sentence)} <small>({section}, {drawn}, {numbers})</small>"


def design(about: About, whole: TableAnalysis | None) -> Section | None:
    """Return the design: its description, factors and conditions."""
    parts = [paragraph(explain(text)) for text in about.design]
    if whole and whole.roles.factors:
        effects = [one.result for one in whole.of("main-effects") if not one.reason]
        parts += [fold("Levels", findings(of.levels())) for of in effects[:1]]
        parts.append(_conditions(whole))
    return Section("Design and conditions", "".join(parts)) if parts else None


def _conditions(whole: TableAnalysis) -> str:
    part, roles = whole.all_periods, whole.roles
    if roles.cca is None or not part.has_cells:
        return ""
    words = phrases(part.frame, roles)
    by = [roles.congestion] if roles.congestion else []
    rows = [
        (
            number,
            words[part.cells.conditions[place]],
            part.cells.conditions[place],
            *(float(part.cells.of(name)[place].mean()) for name in by),
        )
        for number, place in enumerate(part.order, 1)
    ]
    order = "from the least to the most congested" if by else "as the table has them"
    columns = (
        "number",
        "condition",
        "code",
        *(f"{short(roles, n)}, mean over the algorithms" for n in by),
    )
    return paragraph(f"Conditions {order}:") + table(columns, rows, "conditions")


def pictures(about: About, folder: Path, shown: str) -> list[Section]:
    """Return the pictures of the study, except the main picture."""
    return [
        Section(one.title, picture(folder / FIGURES / f"{one.name}.png", one.title, one.caption))
        for one in about.pictures
        if one.name != shown
    ]


def listings(about: About) -> list[Section]:
    """Return the tables of the study."""
    return [
        Section(one.title, paragraph(explain(one.caption)) + table(one.columns, one.rows))
        for one in about.tables
    ]


def analyses(
    whole: TableAnalysis, specs: Specs, drawn: Mapping[str, Sequence[str]], folder: Path, shown: str
) -> list[Section]:
    """Return a section per kind of analysis, with its pictures, its method and its files."""
    kinds: dict[str, Kind] = {kind.name: kind for kind, _ in whole.steps}
    sections = []
    for name, kind in kinds.items():
        made = any(not one.reason for one in whole.of(name))
        if made and name != QUESTIONS:
            names = [c for c in CHARTS.get(name, {}) if c != shown]
            charts = "".join(chart(c, str(specs[c]["description"])) for c in names)
            html = charts + files_and_method(whole, name, drawn, folder)
            sections.append(Section(kind.title, html))
    return sections


def files_and_method(
    whole: TableAnalysis, name: str, drawn: Mapping[str, Sequence[str]], folder: Path
) -> str:
    """Return the method and files of an analysis, and its pictures if none is interactive."""
    made = [one for one in whole.of(name) if not one.reason]
    if not made:
        return ""
    focus = [one for one in made if not one.suffix or one.part is whole.focus]
    inside = not CHARTS.get(name) and name != QUESTIONS
    shown = _show(focus, drawn, folder, whole.roles) if inside else ""
    method = paragraph(explain(f"Method: {made[0].kind.method}"), "method")
    return shown + _files(made, drawn) + method


def _show(
    made: Sequence[AnalysisResult], drawn: Mapping[str, Sequence[str]], folder: Path, roles: Roles
) -> str:
    """Return the pictures of analyses; if they have none, the first rows of their tables."""
    if any(drawn[one.name] for one in made):
        return _pictures(made, drawn, folder) + _name_factors(roles)
    return "".join(write_first_rows(one) for one in made)


def write_first_rows(made: AnalysisResult) -> str:
    """Return the first rows of an analysis, folded; nothing if it has none."""
    rows = list(made.rows())
    if not rows:
        return ""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    of = f"the first {FIRST_ROWS} of {len(rows):,}" if len(rows) > FIRST_ROWS else "all"
    said = paragraph(f"Rows: {of}.", "scope")
    shown = [["" if (v := row.get(c)) is None else v for c in columns] for row in rows[:FIRST_ROWS]]
    return fold("Numbers", said + table(columns, shown))


def _pictures(
    made: Sequence[AnalysisResult], drawn: Mapping[str, Sequence[str]], folder: Path
) -> str:
    names = [name for one in made for name in drawn[one.name]]
    shown = [picture(folder / FIGURES / f"{n}.png", n.replace("-", " "), "") for n in names]
    return f'<div class="pictures">{"".join(shown)}</div>'


def _name_factors(roles: Roles) -> str:
    named = {factor: short(roles, factor) for factor in roles.factors}
    said = [f"{code} {words}" for code, words in named.items() if code != words]
    return (
        paragraph(f"{', '.join(said)}; \N{MINUS SIGN} is the low level, + the high one.")
        if said
        else ""
    )


def missing(whole: TableAnalysis) -> Section | None:
    """Return the analyses that this table does not allow, with the reasons."""
    reasons = {one.kind.title: one.reason for one in whole.made if one.reason}
    said = [f"{title}: {reason}." for title, reason in reasons.items()]
    return Section("What this table does not show", findings(said)) if said else None


def _files(made: Sequence[AnalysisResult], drawn: Mapping[str, Sequence[str]]) -> str:
    names = [name for one in made for name in drawn[one.name]]
    files = [link(f"{FIGURES}/{name}.svg", f"{name}.svg") for name in names]
    files += [link(f"{TABLES}/{one.name}.csv", f"{one.name}.csv") for one in made]
    beside = f'<p class="links">Files: {", ".join(files)}</p>'
    return fold("Files beside this page", beside)


def parameters(about: About) -> Section | None:
    """Return the parameters with the marks of their sources."""
    if not about.parameters:
        return None
    rows = [_parameter(one) for one in about.parameters]
    columns = ("parameter", "value", "mark", "source")
    return Section("Parameters", table(columns, rows, "parameters"))


def _parameter(one: Parameter) -> tuple[str, ...]:
    name = tip(one.title, one.name) if one.title else one.name
    return name, one.value, explain(one.mark or ""), one.source


def versions(about: About) -> Section | None:
    """Return program, scale, seeds and cost."""
    if not about.versions:
        return None
    rows = list(about.versions.items())
    return Section("Versions and seeds", table(("what", "which"), rows))
