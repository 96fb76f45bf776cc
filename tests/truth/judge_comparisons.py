"""The headline, the sentences and the words about algorithms, beside the planted means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from headgate.experiment.runs import Analysis
from headgate.figures.analysis.answer import CcaAnswer, find_reversal
from headgate.figures.analysis.findings import TONES
from headgate.figures.analysis.phrases import levels_by_condition
from headgate.figures.analysis.questions import answer_questions, select_heavy, select_light
from headgate.figures.analysis.whole import TableAnalysis, analyse_table

from . import judge_experiments
from .comparisons import RESPONSES, Compared, plant
from .experiment_sentences import Ends, Moved
from .rates import Promise, Rates

PROMISED: dict[str, Promise] = {
    "mean of a condition within its interval, in every period": (0.93, 0.97),
    "factor named as moving most and false, in a period": (0, 0.05),
    "direction of a change in a sentence is right, in a period": (0.99, 1),
    "measure counted as better or worse and false": (0, 0.05),
    "direction of a counted measure is right": (0.99, 1),
    "measure counted as both ways and false": (0, 0.05),
    "reversal of 40 % or more is counted as both ways": (0.8, 1),
    "conditions stated for a way of a reversal change that way": (0.95, 1),
    "factor named for a reversal separates it best": (0.95, 1),
    "change under a group of conditions within its interval": (0.93, 0.97),
    "question answered by better or worse and false": (0, 0.05),
}
ROUNDING = 1e-9
#: The begin of each sentence about one period.
_PERIOD = "Period 2 of 3: "
#: A counted measure in the headline: `BBR v3 is shown to make 3 better and 1 worse`.
_COUNTED = re.compile(
    r"(?:compared with .+?, |; )(.+?) (?:is shown to make )?"
    r"((?:\d+|none) (?:better|worse).*?)(?=;|\.$)"
)
#: The least change of a reversal that must be found.
LARGE = 0.4


@dataclass
class Said:
    """One experiment, and all that is said of it before a page is made."""

    made: Compared
    analysis: Analysis

    @cached_property
    def whole(self) -> TableAnalysis:
        """The analysis of its table of runs, as the page has it."""
        assert self.analysis.roles is not None
        return analyse_table(self.analysis.data[0], self.analysis.roles)

    @property
    def headline(self) -> str:
        return self.analysis.sentences[0]

    @cached_property
    def statements(self) -> list[Ends | Moved]:
        """The statements of the sentences on the period in the middle."""
        own = [
            one.removeprefix(_PERIOD) for one in self.analysis.sentences if one.startswith(_PERIOD)
        ]
        read = judge_experiments.Said(self.made, self.analysis).read(own)
        return [one for one in read if isinstance(one, Ends | Moved)]


def look(seed: int) -> Said:
    made, runs = plant(seed)
    return Said(made, made.experiment.analyse(runs))


def judge(said: Said, found: Rates) -> None:
    _judge_means(said, found)
    for one in said.statements:
        if isinstance(one, Moved) and one.factor and not one.aliases:
            _judge_moved(said.made, one, found)
    groups = _list_groups(said)
    for answer in said.whole.answers:
        _judge_counts(said, answer, groups, found)
    _judge_questions(said, groups, found)


def _judge_means(said: Said, found: Rates) -> None:
    table = said.analysis.data[1]
    truths = {2: said.made, **said.made.others}
    for place in range(len(table)):
        row = {name: table[name][place] for name in table}
        true = truths[int(row["period"])].mean_at(str(row["response"]), row)
        if np.isfinite(row["low"]):
            name = "mean of a condition within its interval, in every period"
            found.add(name, bool(row["low"] <= true <= row["high"]))


def _judge_moved(made: Compared, said: Moved, found: Rates) -> None:
    exists = made.has_effect(said.response, said.factor)
    name = "factor named as moving most and false, in a period"
    found.add(name, not exists, "" if exists else str(said))
    true = made.change(said.response, said.factor, said.first, said.last)
    if said.interval is not None and not said.ways and abs(true) > ROUNDING:
        right = (said.value > 0) == (true > 0)
        found.add("direction of a change in a sentence is right, in a period", right)


def _list_groups(said: Said) -> dict[str, Sequence[int]]:
    """Return the conditions of each group, as the answer names it."""
    part = said.whole.focus
    if part.roles.congestion is None:
        return {"on average": part.order}
    return {
        "under heavy congestion": select_heavy(part.ranked),
        "under light congestion": select_light(part.ranked),
    }


def _judge_counts(
    said: Said, answer: CcaAnswer, groups: dict[str, Sequence[int]], found: Rates
) -> None:
    made, part = said.made, said.whole.focus
    for name in (name for name in RESPONSES if name in part.roles.worse):
        by_label = made.true_ratios(name, str(part.roles.before), answer.cca)
        known: list[float] = []
        for place, rows in groups.items():
            ratios = np.array([by_label[part.cells.conditions[row]] for row in rows])
            known += ratios.tolist()
            true = float(np.exp(np.log(ratios).mean())) - 1
            change = part.changes.compare_mean(answer.cca, rows, name)
            hit = change.low <= true <= change.high
            if not made.has_gaps:
                found.add("change under a group of conditions within its interval", hit)
            if name in answer.changes[place]:
                found.add("measure counted as better or worse and false", abs(true) < ROUNDING)
                right = (true > 0) == (change.share > 0)
                found.add("direction of a counted measure is right", right)
            _judge_reversal(said, answer, (place, name), ratios, found)


def _judge_reversal(
    said: Said, answer: CcaAnswer, cell: tuple[str, str], ratios: np.ndarray, found: Rates
) -> None:
    made, part = said.made, said.whole.focus
    place, name = cell
    stated = name in answer.reversals[place]
    both = ratios.min() < 1 - ROUNDING and ratios.max() > 1 + ROUNDING
    if stated:
        found.add("measure counted as both ways and false", not both)
    large = min(1 - ratios.min(), ratios.max() - 1) >= LARGE
    several = (ratios < 1 - LARGE).sum() > 1 and (ratios > 1 + LARGE).sum() > 1
    quiet = made.noise[name] <= 0.02 * RESPONSES[name][1]
    if large and several and quiet and made.replicates > 2 and not made.has_gaps:
        found.add("reversal of 40 % or more is counted as both ways", stated)
    if not stated:
        return
    rows = _list_groups(said)[place]
    reversal = find_reversal(part, answer.cca, rows, name)
    assert reversal is not None
    for side, changed in zip(reversal.sides, (ratios > 1, ratios < 1), strict=True):
        count = side.way.count + side.way.others
        found.add(
            "conditions stated for a way of a reversal change that way", changed.sum() >= count
        )
    best = _find_separating(said, [part.cells.conditions[row] for row in rows], ratios)
    if len(best) == 1 and reversal.factor:
        found.add("factor named for a reversal separates it best", reversal.factor == best[0])


def _find_separating(said: Said, labels: Sequence[str], ratios: np.ndarray) -> list[str]:
    """Return the factors whose levels predict the direction of most of the changes."""
    part = said.whole.focus
    levels = [levels_by_condition(part.frame, part.roles)[label] for label in labels]
    right = {
        factor: sum(
            max(int((up & at).sum()), int((~up & at).sum()))
            for level in {one[factor] for one in levels}
            for at in [np.array([one[factor] == level for one in levels])]
            for up in [ratios > 1]
        )
        for factor in levels[0]
    }
    return [factor for factor, count in right.items() if count == max(right.values())]


def _judge_questions(said: Said, groups: dict[str, Sequence[int]], found: Rates) -> None:
    """Count words that call an algorithm better or worse although no measure changes."""
    part = said.whole.focus
    rows = {"recovery": select_heavy(part.ranked), "safety": part.order}
    for one in answer_questions(part):
        for cca, word in one.words.items():
            if one.asked in rows and abs(TONES.get(word, 0)) and word != "nothing worse":
                names = part.roles.questions[one.asked]
                moves = any(_moves(said, cca, name, rows[one.asked]) for name in names)
                found.add("question answered by better or worse and false", not moves)


def _moves(said: Said, cca: str, name: str, rows: Sequence[int]) -> bool:
    part = said.whole.focus
    by_label = said.made.true_ratios(name, str(part.roles.before), cca)
    return any(abs(by_label[part.cells.conditions[row]] - 1) > ROUNDING for row in rows)


def read_headline(sentence: str) -> dict[str, str]:
    """Return what a headline counts for each algorithm, by its title."""
    return {match[1]: match[2] for match in _COUNTED.finditer(sentence)}
