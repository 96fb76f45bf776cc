"""Pieces of HTML with escaped text; terms link to definitions, codes become words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from html import escape
from typing import Any

from headgate.figures.analysis.phrases import phrases, short
from headgate.figures.analysis.whole import TableAnalysis


class Markup(str):
    """Text that is already HTML."""


def slug(text: str) -> str:
    """Return a text as lower-case words joined by hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def text_of(text: str) -> str:
    """Return a text as HTML."""
    return text if isinstance(text, Markup) else escape(text)


def findings(sentences: Sequence[str]) -> str:
    """Return a list of sentences; Markup is not escaped."""
    items = "".join(f"<li>{text_of(sentence)}</li>" for sentence in sentences)
    return f'<ul class="findings">{items}</ul>'


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph."""
    return f"<p{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{text_of(text)}</p>"


def link(target: str, text: str) -> Markup:
    """Return a link, to a part of the page or to a file beside it."""
    return Markup(f'<a href="{escape(target)}">{text_of(text)}</a>')


def tip(text: str, more: str) -> Markup:
    """Return a text with a tooltip."""
    return Markup(f'<span title="{escape(more)}">{text_of(text)}</span>')


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], kind: str = "") -> str:
    """Return a table; numbers are aligned, verdicts coloured."""
    head = "".join(_heading(name, [row[at] for row in rows]) for at, name in enumerate(columns))
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    begin = f'<table class="{kind}">' if kind else "<table>"
    return wide(f"{begin}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>", "Table")


def wide(html: str, called: str) -> str:
    """Return HTML that scrolls sideways if it does not fit, also by the keyboard."""
    return f'<div class="wide" role="group" tabindex="0" aria-label="{escape(called)}">{html}</div>'


def verdict(word: str, tone: str = "") -> Markup:
    """Return a verdict as a coloured word."""
    return Markup(f'<span class="verdict {tone or slug(word)}">{escape(word)}</span>')


def fold(summary: str, html: str) -> str:
    """Return HTML that opens by a click."""
    return f"<details><summary>{text_of(summary)}</summary>{html}</details>"


def number(value: float) -> str:
    """Return a number with few digits, and with the minus sign of axes and sentences."""
    large = abs(value) >= 1000 and math.isfinite(value)
    return (f"{value:,.0f}" if large else f"{value:.4g}").replace("-", "\N{MINUS SIGN}")


def _heading(name: str, values: Sequence[Any]) -> str:
    """Return a column head, right-aligned above numbers; a head without a name is a cell."""
    if not name:
        return "<td></td>"
    right = values and all(isinstance(value, int | float) for value in values)
    begin = '<th scope="col" class="number">' if right else '<th scope="col">'
    return f"{begin}{text_of(name)}</th>"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td class="number">{number(value)}</td>'
    if isinstance(value, int):
        return f'<td class="number">{value:,}</td>'.replace("-", "\N{MINUS SIGN}")
    if not isinstance(value, Markup):
        value = _QUANTITY.sub("\\1\N{NO-BREAK SPACE}\\2", str(value))
    return f"<td>{text_of(value)}</td>"


#: A cell that is a number with its unit, which stay on one line.
_QUANTITY = re.compile(r"^([\d.]+) ([^\W\d]\S*)$")


#: Terms with their definitions; a term matches in any case.
TERMS: Mapping[str, str] = {
    "algorithm": "A congestion control algorithm: it sets a sender's window and pace.",
    "response": "A number that was measured of every run, such as its loss rate.",
    "measure": "A response for which one direction is known to be worse for users or the network.",
    "factor": "What was varied on purpose, such as the speed of the network.",
    "condition": "One combination of the levels of all factors.",
    "replicate": "A run of the same condition with other random numbers. Algorithms meet the same"
    " ones.",
    "period": "A part of the measured time; each is analysed by itself.",
    "cell": "One response under one condition.",
    "heavy congestion": "The quarter of the conditions in which congestion is greatest.",
    "light congestion": "The quarter of the conditions in which congestion is least.",
    "95 % interval": "Were everything repeated, 95 of 100 such intervals would hold the true mean"
    " (Student's t over the replicates).",
    "p": "How likely a difference at least this large would be by chance alone.",
    "q": "p corrected for the number of tests (false-discovery rate; Benjamini, Hochberg 1995).",
    "Psi": (
        "The share of responses on which an effect of a factor is shown: p < 0.01 counts whole,"
        " p < 0.05 half."
    ),
    "effect": "The mean at the last level of a factor minus the mean at its first level.",
    "eta squared": "The share of a response's variance that one factor explains.",
    "interaction": "Half the difference of one factor's effect at the two levels of another.",
    "outlier": "The algorithm farthest from the mean of all algorithms, if a test excludes chance.",
    "residual": "An algorithm's value minus the mean of all algorithms in the same condition.",
    "linkage": "The mean distance of two groups of algorithms when they are joined; algorithms that"
    " behave alike are joined early, at a small one.",
    "dendrogram": "A tree of which algorithms are alike: the lower two algorithms join, the more"
    " alike.",
    "principal component": "A weighted sum of the responses along which the runs differ most.",
    "r": "Pearson's correlation: 1 if two responses go together, -1 if against, 0 if neither.",
    "rank": "The place of an algorithm in a condition; the greatest throughput has the highest"
    " rank.",
    "access router": "The last router before the hosts: directly connected to the backbone"
    " (D), fast (F) or normal (N).",
    "DD": "Flows between two directly connected (D) access routers, those with the fastest links.",
    "DF": "Flows between a directly connected (D) and a fast (F) access router.",
    "DN": "Flows between a directly connected (D) and a normal (N) access router.",
    "FF": "Flows between two fast (F) access routers.",
    "FN": "Flows between a fast (F) and a normal (N) access router.",
    "NN": "Flows between two normal (N) access routers, those with the slowest links.",
    "retransmission rate": "Retransmitted segments over all segments that enter the network.",
    "flow-completion rate": "Flows that end in an interval over those that end or go on.",
    "connection-failure rate": "Connections that are given up over those and the flows under way.",
    "sources transmitting": "Sources that have a flow under way, of all that there are.",
    "congestion window": "The most packets that a sender may have in flight (cwnd).",
    "ssthresh": "Slow-start threshold: the window at which slow start ends and congestion"
    " avoidance begins (RFC 5681).",
    "BDP": "Bandwidth-delay product: the bottleneck's rate times the round-trip time without"
    " queueing; the least in flight that keeps the link busy.",
    "goodput": "Data that reach the application, each byte once, per second.",
    "resolution": "How far a design keeps effects apart: at IV no factor is mixed up with another,"
    " nor with a pair of others.",
    "verdict": "Holds: the whole 95 % interval is within the tolerance. Differs: none of it is."
    " Undecided: it contains the bound. Corrected: what should be said instead holds."
    " Not checkable: an input is missing. Not run: not at this scale.",
    "detectable": "The least deviation from the bound that would be found half of the time.",
    "tolerance": "What a finding may be for the claim to hold, written before the first run.",
    "STATED": "The source gives the value.",
    "INFERRED": "The value follows from what the source says.",
    "OURS": "The source is silent, and the value is ours.",
}  # fmt: skip
#: Too common, as a word or a letter, to be marked everywhere.
UNMARKED = (
    "p", "q", "r", "algorithm",
    "measure", "cell", "effect", "rank", "response", "factor", "condition",
    "period", "replicate",
)  # fmt: skip


def explain(text: str, *, all_terms: bool = False) -> Markup:
    """Return a text in which the first use of every term links to its definition.

    Common words that are terms, such as `rank`, are marked only if all are asked for.
    """
    if isinstance(text, Markup):
        return text
    seen: set[str] = set() if all_terms else set(UNMARKED)

    def mark(found: re.Match[str]) -> str:
        term = _by_text()[found[1].lower()]
        if term in seen:
            return escape(found[0])
        seen.add(term)
        said = escape(TERMS[term])
        return f'<a class="term" href="#{term_anchor(term)}" title="{said}">{escape(found[0])}</a>'

    parts, last = [], 0
    for found in _term_pattern().finditer(text):
        parts += [escape(text[last : found.start()]), mark(found)]
        last = found.end()
    return Markup("".join([*parts, escape(text[last:])]))


def term_anchor(term: str) -> str:
    """Return the anchor of a definition."""
    return f"term-{slug(term)}"


def terms_in(texts: Iterable[str]) -> list[str]:
    """Return the terms that occur in these texts, in the order of the glossary."""
    whole = " ".join(texts)
    found = {_by_text()[match[1].lower()] for match in _term_pattern().finditer(whole)}
    return [term for term in TERMS if term in found]


def definitions(terms: Iterable[str]) -> str:
    """Return the definitions of terms as a list."""
    items = "".join(
        f'<dt id="{term_anchor(term)}">{escape(term)}</dt><dd>{escape(TERMS[term])}</dd>'
        for term in terms
    )
    return f"<dl>{items}</dl>"


@cache
def _by_text() -> Mapping[str, str]:
    return {term.lower(): term for term in TERMS}


@cache
def _term_pattern() -> re.Pattern[str]:
    """Match whole words, longer terms first; terms in capitals match exactly."""
    ordered = sorted(TERMS, key=lambda term: (-len(term), term))
    exact = [re.escape(t) for t in ordered if t.isupper() or len(t) == 1]
    loose = [re.escape(t) for t in ordered if not (t.isupper() or len(t) == 1)]
    return re.compile(rf"(?<![\w-])({'|'.join(exact)}|(?i:{'|'.join(loose)}))(s?)(?![\w-])")


#: A very small p as a number is false precision, and 0 is wrong.
_SMALL_P = re.compile(r"\bp = (?:0(?![.\d])|\d(?:\.\d+)?e-\d+|0\.000\d*)")
LEAST_P = "p < 0.001"
#: A hyphen instead of a minus sign: before a number, after a space or a bracket.
_MINUS = re.compile(r"(?<=[\s(\[])-(?=\d)")


def _is_said_before(words: str, text: str, code: re.Match[str]) -> bool:
    """Return whether the words precede their code, as in `buffer size (X3)`."""
    before, after = text[: code.start()].lower(), text[code.end() :]
    return before.endswith(f"{words.lower()} (") and after.startswith(")")


class Codes:
    """The words for codes of conditions, factors and responses on a page."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    @classmethod
    def of(cls, found: TableAnalysis | None) -> Codes:
        """Return the names of codes, such as X1 and y10, and of conditions."""
        if found is None:
            return cls({})
        roles = found.roles
        columns = [name for name in (*roles.factors, *roles.responses) if re.search(r"\d", name)]
        named = {name: short(roles, name) for name in columns}
        conditions = phrases(found.frame, roles) if roles.cca else {}
        if len(roles.conditions) == 1 and roles.conditions[0] in roles.factors:
            conditions = {}  # a condition is called by a level, which sentences name as such
        return cls(
            {code: words for code, words in {**named, **conditions}.items() if code != words}
        )

    def explain(self, text: str) -> Markup:
        """Return a text with its codes in words and its terms linked to their definitions."""
        if isinstance(text, Markup):
            return text
        plain = _MINUS.sub("\N{MINUS SIGN}", _SMALL_P.sub(LEAST_P, text))
        if not self._names:
            return explain(plain)
        parts, last = [], 0
        for found in self._pattern.finditer(plain):
            words = self._names[found[0]]
            if _is_said_before(words, plain, found):
                continue
            parts += [explain(plain[last : found.start()]), tip(words, found[0])]
            last = found.end()
            if plain.startswith(f" {words}", last):  # `y5 loss rate` says the words itself
                last += 1 + len(words)
        return Markup("".join([*parts, explain(plain[last:])]))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        ordered = sorted(self._names, key=lambda code: (-len(code), code))
        codes = "|".join(map(re.escape, ordered))
        return re.compile(rf"(?<![\w.-])(?:{codes})(?!\.?[\w+\N{{MINUS SIGN}}-])")
