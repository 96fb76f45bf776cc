"""Five questions about replacing TCP, answered from the numbers.

How fast do flows reach their rate? What do losses cost? Are TCP flows beside them treated fairly?
When are they useful? Are they safe? (Mills, Filliben, Cho, Schwartz 2011.) What the answers count
is ours: a response *moves* where the mean of the differences between replicates is at least 10 %
and its 95 % interval excludes zero; that it does not move takes an interval within 10 %, else it is
not known. With one replicate there is no interval and 10 % decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from headgate.figures.analysis.biplots import Biplots
from headgate.figures.analysis.changes import NOT_NAMED, Changes
from headgate.figures.analysis.findings import Finding
from headgate.figures.analysis.grid import Grid, Numbers
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.figures.analysis.roles import Asked, Roles
from headgate.figures.analysis.words import (
    BY_CHANCE,
    NOT_KNOWN,
    Tally,
    fair,
    name_tone,
    safe,
    useful,
)
from headgate.stats.changes import MATTERS_SHARE, Change
from headgate.stats.intervals import ratio_interval

#: Part of the conditions that counts as light, and as heavy, congestion.
QUARTER = 0.25
QUESTIONS: Mapping[Asked, str] = {
    "increase": "Increase rate: how quickly is the greatest rate reached?",
    "recovery": "Loss and recovery: what do losses cost, and how soon is the rate back?",
    "fairness": "Fairness to TCP: how do TCP flows fare beside each law?",
    "utility": "Utility: when do users get more?",
    "safety": "Safety: does anything in the network get worse?",
}
SHOWN = ("questions", "questions")
NO_NUMBERS = "there are no numbers to compare"


@dataclass(frozen=True)
class Answer:
    """What the numbers say to one question: a word for each law, and sentences."""

    asked: Asked
    words: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    missing: str = ""

    @property
    def question(self) -> str:
        """The question in words."""
        return QUESTIONS[self.asked]


def light(order: Sequence[int]) -> Sequence[int]:
    """Return the least congested quarter of conditions that are ordered by congestion."""
    return order[: _quarter(order)]


def heavy(order: Sequence[int]) -> Sequence[int]:
    """Return the most congested quarter of conditions that are ordered by congestion."""
    return order[-_quarter(order) :]


def _quarter(order: Sequence[int]) -> int:
    return max(1, round(QUARTER * len(order)))


@dataclass(frozen=True)
class Compared:
    """Laws beside the one before them, cell by cell; `changes` is absent where none is named.

    `ranked` are the conditions, of `order`, of which it is known how congested they are.
    """

    cells: Grid
    roles: Roles
    order: Sequence[int]
    ranked: Sequence[int]
    changes: Changes | None

    def tallies(self, names: Sequence[str], conditions: Sequence[int]) -> dict[str, Tally]:
        """Count, for each law, the cells in which it is better and worse."""
        assert self.changes is not None
        chosen = [self.cells.conditions[place] for place in conditions]
        good = {name: self._good(name) for name in names}
        found = {}
        for law in self.changes.others:
            cells = [(good[n], self.changes.cells[law, one, n]) for n in names for one in chosen]
            counted = _tally(cells)
            # One run each tells nothing of chance, whatever rearranging conditions would say.
            known = self.changes.replicated
            found[law] = replace(
                counted,
                chances=self.changes.chances(law, conditions, good) if known else None,
                replicated=known,
            )
        return found

    def _good(self, response: str) -> int:
        """Return the sign of a change for the better."""
        return -1 if self.roles.worse.get(response, "less") == "more" else 1


def _tally(found: Sequence[tuple[int, Change]]) -> Tally:
    """Count cells, each with the sign that is good, but for those with nothing to compare."""
    cells = [(good, one) for good, one in found if one.state != "nothing"]
    moved = [good * one.share > 0 for good, one in cells if one.matters]
    return Tally(
        better=sum(moved),
        worse=len(moved) - sum(moved),
        cells=len(cells),
        unknown=sum(one.state == "not known" for _, one in cells),
        risky=sum(not one.matters and one.reaches(-good) for good, one in cells),
    )


def answers(part: PeriodAnalysis) -> tuple[Answer, ...]:
    """Answer all five, in order; what the table cannot answer says what is missing."""
    changes = part.changes if part.roles.before else None
    compared = Compared(part.cells, part.roles, part.order, part.ranked, changes)
    return (
        _compare_laws(compared, "increase", "under light congestion", light(compared.ranked)),
        _compare_laws(compared, "recovery", "under heavy congestion", heavy(compared.ranked)),
        _fairness(part.cells, part.beside),
        _utility(compared, part.beside),
        _safety(compared),
    )


def _lacks(compared: Compared, asked: Asked) -> str:
    if compared.roles.before is None:
        return NOT_NAMED
    if not compared.roles.questions.get(asked):
        return f"no response is named for it (questions.{asked} = [...])"
    return ""


def _compare_laws(
    compared: Compared, asked: Asked, where: str, conditions: Sequence[int]
) -> Answer:
    """Say who is better and worse than the law before, under some conditions."""
    missing = _lacks(compared, asked)
    if missing:
        return Answer(asked, missing=missing)
    names = compared.roles.questions[asked]
    found = compared.tallies(names, conditions)
    sentence = (
        f"Compared with {compared.roles.before}, {where} ({len(conditions)} conditions,"
        f" {len(names)} responses): {_moving(found)}."
    )
    words = {law: name_tone(tally) for law, tally in found.items()}
    return Answer(asked, words, (Finding(sentence, *SHOWN),))


def _moving(found: Mapping[str, Tally]) -> str:
    """Name the laws that move anything, or may."""
    said = {law: one for law, one in found.items() if one.better or one.worse or one.unknown}
    most = max(tally.cells for tally in found.values())
    if not said:
        return f"no law moves any of {most} cells" if most else NO_NUMBERS
    return "; ".join(f"{law} {tally} cells" for law, tally in said.items())


def _fairness(cells: Grid, beside: Mapping[str, Biplots]) -> Answer:
    """Rank laws by what TCP flows get beside them, relative to the mean over all laws."""
    if not beside:
        return Answer("fairness", missing="no TCP flows run beside those of a law (pairs)")
    ratios = _tcp_beside(beside)
    found = {law: ratio_interval(of[~np.isnan(of)]) for law, of in ratios.items()}
    ranked = sorted(found, key=lambda law: -np.nan_to_num(found[law][0]))
    said = ", ".join(f"{law} {_say_beside(found[law][0], ratios[law])}" for law in ranked)
    sentence = (
        "What TCP flows get beside each law, over the mean beside all laws (geometric mean over"
        f" conditions): {said}."
    )
    words = {law: fair(*found[law][1:]) for law in cells.laws}
    return Answer("fairness", words, (Finding(sentence, *SHOWN),))


def _say_beside(mean: float, ratios: Numbers) -> str:
    zeros = int((ratios == 0).sum())
    return f"nothing in {zeros} conditions" if zeros else f"{mean:.2f}"


def _tcp_beside(beside: Mapping[str, Biplots]) -> dict[str, Numbers]:
    """Return TCP's throughput beside each law over its mean beside all, a ratio a condition.

    It is the geometric mean over pairs; NaN where TCP gets nothing beside another law.
    """
    logs: dict[str, list[Numbers]] = {}
    for found in beside.values():
        for condition, tcp in _by_condition(found).items():
            logs.setdefault(condition, []).append(_over_mean(tcp))
    laws = next(iter(beside.values())).panels
    means = np.array([np.mean(of, axis=0) for of in logs.values()]).reshape(-1, len(laws))
    return dict(zip(laws, np.exp(means).T, strict=True))


def _by_condition(found: Biplots) -> dict[str, Numbers]:
    """Return what TCP gets beside each law, by condition, where all laws have a number."""
    rows = [dict(zip(p.conditions, p.other, strict=True)) for p in found.panels.values()]
    kept = [name for name in rows[0] if all(name in row for row in rows)]
    return {name: np.array([row[name] for row in rows], dtype=float) for name in kept}


def _over_mean(tcp: Numbers) -> Numbers:
    """Return logs over their mean; where TCP gets nothing beside one law, of the others none."""
    with np.errstate(divide="ignore"):
        logs = np.log(tcp)
    known = np.isfinite(logs)
    return logs - logs.mean() if known.all() else np.where(known, np.nan, logs)


def _utility(compared: Compared, beside: Mapping[str, Biplots]) -> Answer:
    """Say how often flows of a law get at least 10 % more than the TCP flows beside them."""
    if not beside:
        return _compare_laws(compared, "utility", "under all conditions", compared.order)
    laws = [law for law in compared.cells.laws if law != compared.roles.before]
    found = {law: _gains(beside, law) for law in laws}
    said = ", ".join(f"{law} in {more} of {count}" for law, (more, count) in found.items())
    sentence = (
        f"Flows get at least {100 * MATTERS_SHARE:.0f} % more than the TCP flows beside them"
        f" (pairs of condition and kind of flow): {said}."
    )
    words = {law: useful(more, count) for law, (more, count) in found.items()}
    return Answer("utility", words, (Finding(sentence, *SHOWN),))


def _gains(beside: Mapping[str, Biplots], law: str) -> tuple[int, int]:
    panels = [found.panels[law] for found in beside.values()]
    gain = [(p.own > 0) & (p.own >= (1 + MATTERS_SHARE) * p.other) for p in panels]
    more = sum(int(of.sum()) for of in gain)
    return more, sum(len(p.own) for p in panels)


def _safety(compared: Compared) -> Answer:
    """Count what gets worse, everywhere and under heavy congestion."""
    missing = _lacks(compared, "safety")
    if missing:
        return Answer("safety", missing=missing)
    names = compared.roles.questions["safety"]
    everywhere = compared.tallies(names, compared.order)
    crowded = compared.tallies(names, heavy(compared.ranked))
    said = [
        f"{law} {_count_worse(tally, crowded[law])}"
        for law, tally in everywhere.items()
        if tally.worse or tally.risky
    ]
    none = "none of any law" if any(one.cells for one in everywhere.values()) else NO_NUMBERS
    sentence = (
        f"Cells that are worse than with {compared.roles.before} by 10 % or more:"
        f" {'; '.join(said) or none}."
    )
    words = {law: safe(everywhere[law]) for law in everywhere}
    return Answer("safety", words, (Finding(sentence, *SHOWN),))


def _count_worse(found: Tally, crowded: Tally) -> str:
    """Write in how many cells a law is worse, and in how many it may be."""
    heavily = f"{crowded.worse} of {crowded.cells} under heavy congestion"
    chance = ", no more than by chance" if safe(found) == BY_CHANCE else ""
    risky = f", {NOT_KNOWN} in {found.risky}" if found.risky else ""
    return f"{found.worse} of {found.cells} ({heavily}){chance}{risky}"
