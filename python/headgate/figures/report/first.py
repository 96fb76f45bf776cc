"""The first screen: the answer in a sentence per CCA, the five questions, the main picture."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from headgate.claims.verdicts import JudgedClaim, count_claims, tally
from headgate.figures.analysis.answer import cca_title
from headgate.figures.analysis.findings import MEANINGS, TONES
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.figures.analysis.phrases import shared
from headgate.figures.analysis.questions import Answer, select_heavy, select_light
from headgate.figures.analysis.whole import AnalysisResult, TableAnalysis
from headgate.figures.report.about import FIGURES, About
from headgate.figures.report.heat import heat
from headgate.figures.report.html import (
    Codes,
    Markup,
    explain,
    findings,
    fold,
    link,
    paragraph,
    table,
    tip,
    verdict,
)
from headgate.figures.report.page import Charts, anchor, chart, picture

#: Sentences that a first screen has room for.
MOST_SENTENCES = 5
#: Interactive pictures that may be the main one, if there is neither a heat map nor one drawn
#: by the study: the first that was made.
MAIN_CHARTS = ("outliers", "effects", "influence", "correlations")
QUESTIONS = "questions"
EFFECTS = "main-effects"
#: The sentence of an algorithm: its users, its title, and the rest.
_REPLACED = re.compile(r"(If (?:everyone|[\d.]+ % of the users) used )(.+?) instead of (.+)")
#: Which effects an answer on factors names.
EFFECTS_SCOPE = (
    "An effect is named if p < 0.05 after a correction for all tests of the table (Holm), so one"
    " table in twenty names a false effect. Brackets contain 95 % intervals. An effect that"
    " is not named may still exist."
)
HEAT = "What gets worse, and what better"
#: The name of the same picture if a study draws it.
CHANGES = "changes"


def answer(
    about: About, found: TableAnalysis | None, judged: Sequence[JudgedClaim], codes: Codes
) -> str:
    """Return the answer in sentences: one per algorithm if algorithms replace another."""
    said = [Markup(_emphasise(one, codes)) for one in first_sentences(about, found)]
    scope = ""
    if found and found.answers:
        scope = paragraph(explain(_scope(found), all_terms=True), "scope")
    elif found and not about.findings and _effects(found):
        scope = paragraph(explain(EFFECTS_SCOPE, all_terms=True), "scope")
    if found:
        scope += "".join(paragraph(f"Note: {one}", "scope") for one in found.notes)
    counted = [_count(judged)] if judged else []
    return f"<h2>Answer</h2>{findings([*said, *counted])}{scope}"


def _count(judged: Sequence[JudgedClaim]) -> Markup:
    count = count_claims(judged)
    claims = link(f"#{anchor('Claims')}", count)
    return Markup(f"{escape(tally(judged)).replace(count, claims)}.")


def first_sentences(about: About, found: TableAnalysis | None) -> tuple[str, ...]:
    """Return the first sentences of the page.

    If algorithms replace another, a headline on all of them, and a sentence on each; then, as far
    as there is room, other findings, such as the effects of other factors.
    """
    if found and found.answers:
        compared = (found.headline, *(one.sentence for one in found.answers))
        rest = [one for one in about.findings if one not in compared]
        return (*compared, *rest[: max(0, MOST_SENTENCES - len(compared))])
    own = tuple(about.findings[:MOST_SENTENCES])
    if own or found is None:
        return own
    sentences = _effects(found) or [said.sentence for said in found.findings()]
    return tuple(sentences[:MOST_SENTENCES])


def _effects(found: TableAnalysis) -> list[str]:
    """Return the effects of factors in the period that is reported first."""
    made = [one for one in found.of(EFFECTS) if not one.reason and one.part is found.focus]
    return [said.sentence for one in made for said in one.findings()]


def _emphasise(sentence: str, codes: Codes) -> str:
    """Emphasise the algorithm in `If everyone used CCA instead of ...`."""
    found = _REPLACED.fullmatch(sentence)
    if found is None:
        return codes.explain(sentence)
    used, cca, after = found.groups()
    return f"{used}<strong>{escape(cca)}</strong> instead of {explain(after)}"


def _scope(found: TableAnalysis) -> str:
    """State the conditions and the period of the answer, and which changes count."""
    part, roles = found.focus, found.roles
    period = f", in {_when(part, len(found.parts))}" if part.period else ""
    replicates = part.cells.runs.shape[2]
    chance = (
        f' and the 95 % interval over {replicates} replicates excludes zero. "Not known" means that'
        " the interval includes both no change and a change of 10 %"
        if replicates > 1
        else ". With one run of each condition, a change may be chance"
    )
    count = len(part.cells.conditions)
    said = (
        f"Compared under {count} conditions{period}. A change over several conditions is the"
        " geometric mean of their ratios, or the ratio of the sums if an algorithm has zero under"
        f" one of them. It counts if it is 10 % or more{chance}."
    )
    if roles.congestion is None or len(part.order) < 2 or not part.ranked:
        return said
    levels = part.levels_by_condition
    names = part.cells.conditions
    common = [
        shared(levels, roles, [names[n] for n in of(part.ranked)])
        for of in (select_heavy, select_light)
    ]
    most, least = (f" ({text})" if text else "" for text in common)
    return (
        f"{said} Heavy congestion is the most congested quarter of the conditions{most}, light"
        f" congestion the least congested quarter{least}. A measure that gets worse under some"
        " conditions and better under others is not averaged."
    )


def _when(part: PeriodAnalysis, count: int) -> str:
    happens = part.roles.periods.get(part.period, "")
    return f"{part.title} of {count}{happens and f' ({happens})'}"


def questions(found: TableAnalysis | None, more: str) -> str:
    """Return the table of the five questions, with sentences and `more` folded below it."""
    made = [one for one in found.of(QUESTIONS) if not one.reason] if found else []
    if not made or found is None:
        return ""
    first = [one for one in made if one.part is found.focus]
    rest = [one for one in made if one.part is not found.focus]
    said = "".join(_sentences(one) for one in first)
    said += "".join(
        f"<h3>{escape(one.part.heading)}</h3>{_table(one)}{_sentences(one)}" for one in rest
    )
    shown = "".join(_table(one) + _define(one) + _name_missing(one) for one in first)
    return f"<h2>Five questions</h2>{shown}{fold('The numbers', said + more)}"


def _table(one: AnalysisResult) -> str:
    answers: tuple[Answer, ...] = one.result
    ccas = [cca for cca in one.part.cells.ccas if cca != one.part.roles.before]
    ccas.sort(key=lambda cca: -sum(TONES.get(a.words.get(cca, ""), 0) < 0 for a in answers))
    known = [answer for answer in answers if answer.words]
    before = one.part.roles.before
    first = f"Instead of {cca_title(before)}" if before else "Cca"
    columns = [first, *map(_heading, known)]
    rows = [[tip(cca_title(cca), cca), *(_word(a, cca) for a in known)] for cca in ccas]
    return table(columns, rows, "questions")


def _heading(answer: Answer) -> Markup:
    name, _, asked = answer.question.partition(": ")
    return Markup(f"{escape(name)}<small>{escape(asked)}</small>")


def _word(answer: Answer, cca: str) -> Markup:
    word = answer.words.get(cca)
    if word is None:
        return Markup('<span class="none">no data</span>')
    return verdict(word, {1: "good", -1: "bad"}.get(TONES.get(word, 0), "neither"))


def _sentences(one: AnalysisResult) -> str:
    answers: tuple[Answer, ...] = one.result
    known = [answer for answer in answers if not answer.missing]
    return findings([explain(f"{one.question} {one.findings[0].sentence}") for one in known])


def _define(one: AnalysisResult) -> str:
    """Define the words of the table that a reader could misunderstand."""
    answers: tuple[Answer, ...] = one.result
    used = {word for answer in answers for word in answer.words.values()}
    said = [text for words, text in MEANINGS.items() if used.intersection(words)]
    if not said:
        return ""
    return paragraph(f"A case is a measure under a condition. Words: {'; '.join(said)}.", "scope")


def _name_missing(one: AnalysisResult) -> str:
    """Name the questions without an answer and the reason, without the advice on files."""
    answers: tuple[Answer, ...] = one.result
    said = [
        f"{answer.question} Not tested: {answer.missing.partition(' (')[0]}."
        for answer in answers
        if answer.missing
    ]
    return "".join(paragraph(explain(text, all_terms=True), "scope") for text in said)


@dataclass(frozen=True)
class Main:
    """The main picture, and the picture or chart that the page does not repeat."""

    html: str = ""
    picture: str = ""
    chart: str = ""


def main_picture(
    about: About, found: TableAnalysis | None, charts: Charts | None, folder: Path
) -> Main:
    """Return the main picture: the heat map, the study's first, or an interactive one."""
    drawn = heat(found) if found and found.answers else ""
    if drawn:
        return Main(f"<h2>{HEAT}</h2>{drawn}", picture=CHANGES)
    if about.pictures:
        own = about.pictures[0]
        shown = picture(folder / FIGURES / f"{own.name}.png", own.title, own.caption)
        return Main(f"<h2>{escape(own.title)}</h2>{shown}", picture=own.name)
    specs: Mapping[str, Mapping[str, object]] = charts.specs if charts else {}
    name = next((one for one in MAIN_CHARTS if one in specs), "")
    if not name:
        return Main()
    said = str(specs[name]["description"])
    return Main(f"<h2>{escape(said)}</h2>{chart(name, said)}", chart=name)
