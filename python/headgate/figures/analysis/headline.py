"""The headline: one sentence that counts what each algorithm changes, over all conditions.

A measure counts as better if its change matters under some group of conditions and is for the
better under each in which it matters; as worse likewise. It counts as both if the change of a group
reverses between its conditions, or if two groups change in different directions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headgate.base.messages import count_others
from headgate.figures.analysis.answer import CcaAnswer, cca_title
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.figures.analysis.roles import Roles

#: The largest number of algorithms that the sentence names.
MOST_NAMED = 4
BOTH_WAYS = "better or worse depending on the conditions"
SINGLE = "with one run of each condition, so that changes may be chance"


@dataclass(frozen=True)
class MeasureCounts:
    """The number of measures that an algorithm makes better, worse, or both."""

    better: int
    worse: int
    both: int

    def write(self) -> str:
        """Write the counts, such as `3 better and 1 worse`."""
        named = ((self.better, "better"), (self.worse, "worse"), (self.both, BOTH_WAYS))
        said = [f"{count} {word}" for count, word in named if count]
        *others, last = said or ["none better or worse"]
        return f"{', '.join(others)} and {last}" if others else last


def count_measures(roles: Roles, answer: CcaAnswer) -> MeasureCounts:
    """Count the measures with a better direction that an algorithm changes, over all groups."""
    ways: dict[str, set[bool]] = {}
    for moving in answer.changes.values():
        for name, change in moving.items():
            ways.setdefault(name, set()).add(roles.is_worse(name, change.share))
    for name in {name for of in answer.reversals.values() for name in of}:
        ways[name] = {True, False}
    return MeasureCounts(
        sum(of == {False} for of in ways.values()),
        sum(of == {True} for of in ways.values()),
        sum(of == {True, False} for of in ways.values()),
    )


def write_headline(part: PeriodAnalysis, answers: Sequence[CcaAnswer], periods: int) -> str:
    """Return one sentence on all algorithms; "" if none replaces another."""
    if not answers or part.roles.before is None:
        return ""
    measures = sum(name in part.roles.worse for name in part.cells.responses)
    counted = list(_count_each(part.roles, answers))
    more = len(answers) - len(counted)
    place = f"In {part.title} of {periods}, " if part.period else ""
    begin = f"of {measures} measures" if measures > 1 else "of 1 measure"
    verb = "is shown to make" if part.changes.replicated else "makes"
    first, *rest = counted
    said = "; ".join([f"{first[0]} {verb} {first[1]}", *(f"{name} {of}" for name, of in rest)])
    single = "" if part.changes.replicated else f", {SINGLE}"
    verb_of_others = "is" if more == 1 else "are"
    others = f"; {count_others(more, 'algorithm')} {verb_of_others} listed below" * (more > 0)
    begin = f"{place}{begin}" if place else begin.capitalize()
    before = cca_title(part.roles.before)
    return f"{begin}, compared with {before}, {said}{others}{single}."


def _count_each(roles: Roles, answers: Sequence[CcaAnswer]) -> Iterable[tuple[str, str]]:
    for one in answers[:MOST_NAMED]:
        yield cca_title(one.cca), count_measures(roles, one).write()
