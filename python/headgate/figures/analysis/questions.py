"""Five questions about replacing TCP, answered from the numbers.

How fast do flows reach their rate? What do losses cost? Are TCP flows beside them treated fairly?
When are they useful? Are they safe? (Mills, Filliben, Cho, Schwartz 2011.) The counting rule
is ours: a response *moves* if the mean of the differences between replicates is at least 10 %
and its 95 % interval excludes zero; that it does not move takes an interval within 10 %, else it is
not known. With one replicate there is no interval and 10 % decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from headgate.figures.analysis.changes import NOT_NAMED, Changes
from headgate.figures.analysis.findings import (
    NOT_KNOWN,
    Finding,
    Tally,
    is_worse_by_chance,
    judge_fairness,
    judge_safety,
    judge_usefulness,
    name_tone,
)
from headgate.figures.analysis.grid import Grid, Numbers
from headgate.figures.analysis.pairs import Biplots
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.figures.analysis.roles import Question, Roles
from headgate.stats.changes import MATTERS_SHARE, Change
from headgate.stats.intervals import compute_ratio_interval

#: Part of the conditions that counts as light, and as heavy, congestion.
QUARTER = 0.25
QUESTIONS: Mapping[Question, str] = {
    "increase": "Increase rate: how quickly is the greatest rate reached?",
    "recovery": "Loss and recovery: what do losses cost, and how soon is the rate back?",
    "fairness": "Fairness to TCP: how do TCP flows fare beside each algorithm?",
    "utility": "Utility: when do users get more?",
    "safety": "Safety: does anything in the network get worse?",
}
SHOWN = ("questions", "questions")
NO_NUMBERS = "there are no numbers to compare"


@dataclass(frozen=True)
class Answer:
    """The answer to one question: a word for each algorithm, and sentences."""

    asked: Question
    words: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    missing: str = ""

    @property
    def question(self) -> str:
        """The question in words."""
        return QUESTIONS[self.asked]


def select_light(order: Sequence[int]) -> Sequence[int]:
    """Return the least congested quarter of conditions that are ordered by congestion."""
    return order[: _quarter(order)]


def select_heavy(order: Sequence[int]) -> Sequence[int]:
    """Return the most congested quarter of conditions that are ordered by congestion."""
    return order[-_quarter(order) :]


def _quarter(order: Sequence[int]) -> int:
    return max(1, round(QUARTER * len(order)))


@dataclass(frozen=True)
class Comparison:
    """Algorithms beside the one before them, cell by cell; `changes` is absent if none is named.

    `ranked` are the conditions in `order` with known congestion.
    """

    cells: Grid
    roles: Roles
    order: Sequence[int]
    ranked: Sequence[int]
    changes: Changes | None

    def tallies(self, names: Sequence[str], conditions: Sequence[int]) -> dict[str, Tally]:
        """Count, for each algorithm, the cells in which it is better and worse."""
        assert self.changes is not None
        chosen = [self.cells.conditions[place] for place in conditions]
        good = {name: self._good(name) for name in names}
        found = {}
        for cca in self.changes.others:
            cells = [(good[n], self.changes.cells[cca, one, n]) for n in names for one in chosen]
            counted = _tally(cells)
            # With one run each, chance is unknown, even if conditions could be rearranged.
            known = self.changes.replicated
            found[cca] = replace(
                counted,
                chances=self.changes.chances(cca, conditions, good) if known else None,
                replicated=known,
            )
        return found

    def _good(self, response: str) -> int:
        """Return the sign of an improvement."""
        return -1 if self.roles.worse.get(response, "less") == "more" else 1


def _tally(found: Sequence[tuple[int, Change]]) -> Tally:
    """Count the cells that can be compared, given the sign of an improvement."""
    cells = [(good, one) for good, one in found if one.state != "nothing"]
    moved = [good * one.share > 0 for good, one in cells if one.matters]
    return Tally(
        better=sum(moved),
        worse=len(moved) - sum(moved),
        cells=len(cells),
        unknown=sum(one.state == "not known" for _, one in cells),
        risky=sum(not one.matters and one.reaches(-good) for good, one in cells),
    )


def answer_questions(part: PeriodAnalysis) -> tuple[Answer, ...]:
    """Answer all five, in order; an unanswered question names what the table lacks."""
    changes = part.changes if part.roles.before else None
    compared = Comparison(part.cells, part.roles, part.order, part.ranked, changes)
    return (
        _compare_ccas(
            compared, "increase", "under light congestion", select_light(compared.ranked)
        ),
        _compare_ccas(
            compared, "recovery", "under heavy congestion", select_heavy(compared.ranked)
        ),
        _fairness(part.beside),
        _utility(compared, part.beside),
        _safety(compared),
    )


def _lacks(compared: Comparison, asked: Question) -> str:
    if compared.roles.before is None:
        return NOT_NAMED
    if not compared.roles.questions.get(asked):
        return f"no response is named for it (questions.{asked} = [...])"
    return ""


def _compare_ccas(
    compared: Comparison, asked: Question, place: str, conditions: Sequence[int]
) -> Answer:
    """Compare each algorithm with the one before, under some conditions."""
    missing = _lacks(compared, asked)
    if missing:
        return Answer(asked, missing=missing)
    names = compared.roles.questions[asked]
    found = compared.tallies(names, conditions)
    sentence = (
        f"Compared with {compared.roles.before}, {place} ({len(conditions)} conditions,"
        f" {len(names)} responses): {_moving(found)}."
    )
    words = {cca: name_tone(tally) for cca, tally in found.items()}
    return Answer(asked, words, (Finding(sentence, *SHOWN),))


def _moving(found: Mapping[str, Tally]) -> str:
    said = {cca: one for cca, one in found.items() if one.better or one.worse or one.unknown}
    most = max(tally.cells for tally in found.values())
    if not said:
        return f"no algorithm moves any of {most} cells" if most else NO_NUMBERS
    return "; ".join(f"{cca} {tally} cells" for cca, tally in said.items())


def _fairness(beside: Mapping[str, Biplots]) -> Answer:
    """Rank algorithms by the throughput of competing TCP flows, relative to the mean."""
    if not beside:
        return Answer("fairness", missing="no TCP flows run beside those of an algorithm (pairs)")
    ratios = _tcp_beside(beside)
    found = {cca: compute_ratio_interval(of[~np.isnan(of)]) for cca, of in ratios.items()}
    ranked = sorted(found, key=lambda cca: -np.nan_to_num(found[cca][0]))
    said = ", ".join(f"{cca} {_say_beside(found[cca][0], ratios[cca])}" for cca in ranked)
    sentence = (
        "What TCP flows get beside each algorithm, over the mean beside all algorithms (geometric"
        f" mean over conditions): {said}."
    )
    words = {cca: judge_fairness(*of[1:]) for cca, of in found.items()}
    return Answer("fairness", words, (Finding(sentence, *SHOWN),))


def _say_beside(mean: float, ratios: Numbers) -> str:
    zeros = int((ratios == 0).sum())
    return f"nothing in {zeros} conditions" if zeros else f"{mean:.2f}"


def _tcp_beside(beside: Mapping[str, Biplots]) -> dict[str, Numbers]:
    """Return TCP's throughput beside each algorithm over its mean beside all, per condition.

    The value is the geometric mean over pairs; NaN if TCP gets nothing beside another algorithm.
    """
    logs: dict[str, list[Numbers]] = {}
    for found in beside.values():
        for condition, tcp in _by_condition(found).items():
            logs.setdefault(condition, []).append(_over_mean(tcp))
    ccas = next(iter(beside.values())).panels
    means = np.array([np.mean(of, axis=0) for of in logs.values()]).reshape(-1, len(ccas))
    return dict(zip(ccas, np.exp(means).T, strict=True))


def _by_condition(found: Biplots) -> dict[str, Numbers]:
    """Return TCP's throughput beside each algorithm in conditions with all numbers."""
    rows = [dict(zip(p.conditions, p.other, strict=True)) for p in found.panels.values()]
    kept = [name for name in rows[0] if all(name in row for row in rows)]
    return {name: np.array([row[name] for row in rows], dtype=float) for name in kept}


def _over_mean(tcp: Numbers) -> Numbers:
    """Return logarithms minus their mean; if one value is zero, NaN for the others."""
    with np.errstate(divide="ignore"):
        logs = np.log(tcp)
    known = np.isfinite(logs)
    return logs - logs.mean() if known.all() else np.where(known, np.nan, logs)


def _utility(compared: Comparison, beside: Mapping[str, Biplots]) -> Answer:
    """Count how often flows get at least 10 % more than the TCP flows beside them."""
    if not beside:
        return _compare_ccas(compared, "utility", "under all conditions", compared.order)
    ccas = [cca for cca in compared.cells.ccas if cca != compared.roles.before]
    found = {cca: _gains(beside, cca) for cca in ccas}
    said = ", ".join(f"{cca} in {more} of {count}" for cca, (more, count) in found.items())
    sentence = (
        f"Flows get at least {100 * MATTERS_SHARE:.0f} % more than the TCP flows beside them"
        f" (pairs of condition and kind of flow): {said}."
    )
    words = {cca: judge_usefulness(more, count) for cca, (more, count) in found.items()}
    return Answer("utility", words, (Finding(sentence, *SHOWN),))


def _gains(beside: Mapping[str, Biplots], cca: str) -> tuple[int, int]:
    panels = [found.panels[cca] for found in beside.values()]
    gain = [(p.own > 0) & (p.own >= (1 + MATTERS_SHARE) * p.other) for p in panels]
    more = sum(int(of.sum()) for of in gain)
    return more, sum(len(p.own) for p in panels)


def _safety(compared: Comparison) -> Answer:
    missing = _lacks(compared, "safety")
    if missing:
        return Answer("safety", missing=missing)
    names = compared.roles.questions["safety"]
    everywhere = compared.tallies(names, compared.order)
    crowded = compared.tallies(names, select_heavy(compared.ranked))
    said = [
        f"{cca} {_count_worse(tally, crowded[cca])}"
        for cca, tally in everywhere.items()
        if tally.worse or tally.risky
    ]
    none = "none of any algorithm" if any(one.cells for one in everywhere.values()) else NO_NUMBERS
    sentence = (
        f"Cells that are worse than with {compared.roles.before} by 10 % or more:"
        f" {'; '.join(said) or none}."
    )
    words = {cca: judge_safety(everywhere[cca]) for cca in everywhere}
    return Answer("safety", words, (Finding(sentence, *SHOWN),))


def _count_worse(found: Tally, crowded: Tally) -> str:
    heavily = f"{crowded.worse} of {crowded.cells} under heavy congestion"
    chance = ", no more than by chance" if is_worse_by_chance(found) else ""
    risky = f", {NOT_KNOWN} in {found.risky}" if found.risky else ""
    return f"{found.worse} of {found.cells} ({heavily}){chance}{risky}"
