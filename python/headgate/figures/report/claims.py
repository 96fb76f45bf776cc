"""Claims with their verdicts, as a table that filters by verdict and by text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from headgate.claims.verdicts import Judged, Verdict
from headgate.figures.report.codes import Codes
from headgate.figures.report.glossary import explain
from headgate.figures.report.html import Markup, number, table, verdict

COLUMNS = ("verdict", "claim", "published", "found", "how it is judged")
#: A mean over so few is said to be one.
FEW = 3


def claims(judged: Sequence[Judged], codes: Codes) -> str:
    """Return the filter and the table; without JavaScript there is the table alone."""
    rows = [_row(claim, codes) for claim in judged]
    return _filter(judged) + table(COLUMNS, rows, "claims")


def _filter(judged: Sequence[Judged]) -> str:
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


def _row(claim: Judged, codes: Codes) -> tuple[object, ...]:
    source = f"<br><small>{escape(claim.source)}</small>" if claim.source else ""
    said = Markup(f"{codes.explain(claim.statement)}{source}")
    return verdict(claim.verdict), said, claim.published, _found(claim), _judged_by(claim, codes)


def _found(claim: Judged) -> Markup:
    """Return the number with its interval, and over how much it is."""
    if claim.ours is None:
        return Markup("\N{EN DASH}")
    found = escape(number(claim.ours))
    if claim.ci is None:
        return Markup(f"{found}<br><small>one number, without an interval</small>")
    low, high = map(number, claim.ci)
    return Markup(f"{found}<br><small>{low} to {high} (95 %){_over(claim)}</small>")


def _over(claim: Judged) -> str:
    if claim.sample is None:
        return ""
    count, unit = claim.sample.count, escape(claim.sample.unit)
    only = "only " if count <= FEW else ""
    return f", over {only}{count} {unit if count > 1 else unit.removesuffix('s')}"


def _judged_by(claim: Judged, codes: Codes) -> Markup:
    """Return how the number is formed, what it may be, and what is to be said of the outcome."""
    parts = [codes.explain(f"{claim.measure[:1].upper()}{claim.measure[1:]}".rstrip("."))]
    if claim.tolerance:
        parts.append(Markup(f"{explain('tolerance')} {escape(claim.tolerance)}"))
    if claim.detectable is not None:
        parts.append(Markup(f"{explain('detectable')} {claim.detectable:.2g}"))
    note = f"<br>{codes.explain(claim.note)}" if claim.note else ""
    return Markup("; ".join(parts) + "." + note)
