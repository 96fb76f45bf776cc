"""The sentences and tables of an experiment, beside the planted means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from headgate.experiment.runs import Analysis
from headgate.experiment.tables import rows_of
from headgate.figures.analysis.answer import CcaAnswer
from headgate.figures.analysis.whole import TableAnalysis, analyse_table

from .experiment_sentences import Drifts, End, Ends, Moved, Statement, Steps, read
from .experiments import Truth, plant
from .rates import Promise, Rates

Numbers = NDArray[np.float64]
PROMISED: dict[str, Promise] = {
    "mean of a condition within its interval": (0.93, 0.97),
    "main effect within its interval": (0.93, 0.97),
    "main effect shown and false": (0, 0.05),
    "factor named as moving most and false": (0, 0.05),
    "factor named as moving most moves nearly most": (0.95, 1),
    "change of a true effect in a sentence within its interval": (0.93, 0.97),
    "direction of a change in a sentence is right": (0.99, 1),
    "change of an algorithm beside a larger effect": (0.93, 0.97),
    "main effect of five standard errors is shown": (0.8, 1),
    "both ways stated and false": (0, 0.05),
    "mean of the best or worst condition within its interval": (0.93, 0.97),
    "true best is among the indistinguishable ones": (0.95, 1),
    "level that all of these share is that of the true best": (0.95, 1),
    "drifting conditions are counted right": (0.95, 1),
    "algorithm's change stated and false": (0, 0.05),
    "direction of an algorithm's change is right": (0.99, 1),
    "algorithm's change within its interval": (0.93, 0.97),
    "algorithm's change stated to be small and is not": (0, 0.05),
    "algorithm's change both ways stated and false": (0, 0.05),
}
#: A difference below this part of the largest mean is none.
ROUNDING = 1e-9
#: A factor moves nearly most if its true effect is this part of the largest.
NEARLY = 0.8
#: Replicates from which a planted effect of five standard errors is to be shown.
LEAST_REPLICATES = 8


@dataclass
class Said:
    """One experiment, and all that is said of it before a page is made."""

    made: Truth
    analysis: Analysis

    @cached_property
    def statements(self) -> list[Statement]:
        return self.read(self.analysis.sentences)

    def read(self, sentences: Sequence[str]) -> list[Statement]:
        """Return what the experiment's own sentences state."""
        called = {
            one.title[:1].upper() + one.title[1:] or one.name: one.name
            for one in self.made.responses
        }
        return list(read(sentences, called))

    @cached_property
    def whole(self) -> TableAnalysis:
        """The analysis of its table of runs, as the page has it."""
        assert self.analysis.roles is not None
        return analyse_table(self.analysis.data[0], self.analysis.roles)


def look(seed: int) -> Said:
    made, runs = plant(seed)
    return Said(made, made.experiment.analyse(runs))


def judge(said: Said, found: Rates) -> None:
    made = said.made
    _judge_means(said, found)
    _judge_effects(said, found)
    drifting = next((one.count for one in said.statements if isinstance(one, Drifts)), 0)
    found.add("drifting conditions are counted right", drifting == len(made.drifts))
    for one in said.statements:
        if isinstance(one, Ends):
            _judge_ends(made, one, found)
        elif isinstance(one, Moved) and made.replicates > 1:
            _judge_moved(made, one, found)
        elif isinstance(one, Steps) and not made.same:
            for step in one.changes:
                _judge_step(made, step, found)
    for answer in said.whole.answers if made.replicates > 1 else ():
        _judge_answer(said, answer, found)


def _judge_means(said: Said, found: Rates) -> None:
    made = said.made
    for row in rows_of(said.analysis.data[1]):
        true = made.mean_at(row["response"], row)
        if row["low"] is not None:
            found.add("mean of a condition within its interval", row["low"] <= true <= row["high"])


def _judge_effects(said: Said, found: Rates) -> None:
    made = said.made
    for row in rows_of(said.analysis.data[2]):
        factor, response = row["factors"], row["response"]
        if " x " in factor or row["confounded_with"] or made.same:
            continue
        true = made.change(response, factor, row["from"], row["to"])
        if row["shown"]:
            found.add("main effect shown and false", abs(true) < ROUNDING * made.largest(response))
        if row["low"] is None:
            continue
        found.add("main effect within its interval", row["low"] <= true <= row["high"])
        error = made.error(response, factor, row["from"], row["to"])
        if row["replicates"] >= LEAST_REPLICATES and abs(true) >= 5 * error > 0:
            found.add("main effect of five standard errors is shown", bool(row["shown"]))


def _judge_ends(made: Truth, said: Ends, found: Rates) -> None:
    means = made.means[said.response]
    for end, way in ((said.first, 1), (said.last, -1)):
        sign = way if said.word == "highest" else -way
        condition = made.find(end.condition)
        if end.interval is not None:
            low, high = end.interval
            hit = low <= means[condition] <= high
            found.add("mean of the best or worst condition within its interval", hit)
        if made.replicates > 1 and not made.same and not made.has_gaps:
            _judge_best(made, end, condition, sign * means, found)


def _judge_best(made: Truth, end: End, condition: int, means: Numbers, found: Rates) -> None:
    best = int(means.argmax())
    if end.alike == 0:
        near = means[condition] >= means[best] - ROUNDING * np.abs(means).max()
        found.add("true best is among the indistinguishable ones", near)
    elif end.shared:
        labels = made.describe(best).split(", ")
        hit = set(end.shared) <= set(labels)
        found.add("level that all of these share is that of the true best", hit)


def _judge_moved(made: Truth, said: Moved, found: Rates) -> None:
    if not said.factor or said.aliases or made.same:
        return
    exists = made.has_effect(said.response, said.factor)
    found.add("factor named as moving most and false", not exists, "" if exists else str(said))
    if exists and said.most:
        sizes = {name: made.size(said.response, name) for name in made.factors}
        near = sizes[said.factor] >= NEARLY * max(sizes.values())
        found.add("factor named as moving most moves nearly most", near)
    changes = made.changes(said.response, said.factor, said.first, said.last)
    if said.ways:
        both = min(changes) < 0 < max(changes)
        found.add("both ways stated and false", not both, "" if both else str(said))
    true = float(np.mean(changes))
    if said.interval is None or not exists:
        return
    low, high = said.interval
    found.add("change of a true effect in a sentence within its interval", low <= true <= high)
    if true:
        right = (said.value > 0) == (true > 0)
        found.add("direction of a change in a sentence is right", right)


def _judge_step(made: Truth, said: Moved, found: Rates) -> None:
    changes = made.changes(said.response, said.factor, said.first, said.last)
    true = float(np.mean(changes))
    if said.ways:
        both = min(changes) < 0 < max(changes)
        found.add("both ways stated and false", not both, "" if both else str(said))
    elif said.interval is not None:
        low, high = said.interval
        found.add("change of an algorithm beside a larger effect", low <= true <= high)
        if said.shown[0]:
            right = (said.value > 0) == (true > 0)
            found.add("direction of a change in a sentence is right", right)


def _judge_answer(said: Said, answer: CcaAnswer, found: Rates) -> None:
    made, part = said.made, said.whole.focus
    before = str(part.roles.before)
    for name in part.roles.responses:
        ratios = made.ratios(name, before, answer.cca)
        if made.same or len(ratios) < len(part.order) or made.has_gaps:
            continue
        true = float(np.exp(np.log(ratios).mean())) - 1
        change = part.changes.compare_mean(answer.cca, part.order, name)
        found.add("algorithm's change within its interval", change.low <= true <= change.high)
        if change.state == "small":
            found.add("algorithm's change stated to be small and is not", abs(true) >= 0.1)
        if any(name in of for of in answer.changes.values()):
            found.add("algorithm's change stated and false", abs(true) < ROUNDING)
            found.add(
                "direction of an algorithm's change is right", (true > 0) == (change.share > 0)
            )
        if any(name in of for of in answer.reversals.values()):
            both = ratios.min() < 1 - ROUNDING and ratios.max() > 1 + ROUNDING
            example = "" if both else answer.sentence
            found.add("algorithm's change both ways stated and false", not both, example)
