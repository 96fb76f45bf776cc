"""The words of a report that a network engineer may not know, each with its definition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape

from headgate.figures.report.html import Markup, slug

#: Terms with their definitions; a term is found as it stands here, whatever its case.
TERMS: Mapping[str, str] = {
    "law": "A congestion-control algorithm: what sets a sender's window and pace.",
    "response": "A number that was measured of every run, such as its loss rate.",
    "measure": "A response for which one direction is known to be worse for users or the network.",
    "factor": "What was varied on purpose, such as the speed of the network.",
    "condition": "One combination of the levels of all factors.",
    "replicate": "A run of the same condition with other random numbers. Laws meet the same ones.",
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
    "outlier": "The law farthest from the mean of all laws, where a test says it is no chance.",
    "residual": "A law's value minus the mean of all laws in the same condition.",
    "linkage": "The mean distance of two groups of laws when they are joined; laws that behave"
    " alike are joined early, at a small one.",
    "dendrogram": "A tree of which laws are alike: the lower two laws join, the more alike.",
    "principal component": "A weighted sum of the responses along which the runs differ most.",
    "r": "Pearson's correlation: 1 if two responses go together, -1 if against, 0 if neither.",
    "rank": "The place of a law in a condition; the greatest throughput has the highest rank.",
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
#: Too common, as a word or a letter, to be marked wherever it stands.
UNMARKED = (
    "p", "q", "r", "law", "measure", "cell", "effect", "rank", "response", "factor", "condition",
    "period", "replicate",
)  # fmt: skip


def explain(text: str, *, all_terms: bool = False) -> Markup:
    """Return a text in which every term links, where it first stands, to its definition.

    Common words that are terms, such as `law`, are marked only if all are asked for.
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
        return f'<a class="term" href="#{anchor(term)}" title="{said}">{escape(found[0])}</a>'

    parts, last = [], 0
    for found in _pattern().finditer(text):
        parts += [escape(text[last : found.start()]), mark(found)]
        last = found.end()
    return Markup("".join([*parts, escape(text[last:])]))


def anchor(term: str) -> str:
    """Return where a term is defined."""
    return f"term-{slug(term)}"


def terms_in(texts: Iterable[str]) -> list[str]:
    """Return the terms that occur in these texts, in the order of the glossary."""
    whole = " ".join(texts)
    found = {_by_text()[match[1].lower()] for match in _pattern().finditer(whole)}
    return [term for term in TERMS if term in found]


def definitions(terms: Iterable[str]) -> str:
    """Return the definitions of terms as a list."""
    items = "".join(
        f'<dt id="{anchor(term)}">{escape(term)}</dt><dd>{escape(TERMS[term])}</dd>'
        for term in terms
    )
    return f"<dl>{items}</dl>"


@cache
def _by_text() -> Mapping[str, str]:
    return {term.lower(): term for term in TERMS}


@cache
def _pattern() -> re.Pattern[str]:
    """Match every term as a word of its own; words in capitals as they are, longer ones first."""
    ordered = sorted(TERMS, key=lambda term: (-len(term), term))
    exact = [re.escape(t) for t in ordered if t.isupper() or len(t) == 1]
    loose = [re.escape(t) for t in ordered if not (t.isupper() or len(t) == 1)]
    return re.compile(rf"(?<![\w-])({'|'.join(exact)}|(?i:{'|'.join(loose)}))(s?)(?![\w-])")
