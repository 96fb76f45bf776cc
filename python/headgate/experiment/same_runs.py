"""Sentences on pairs of levels whose runs are the same, packet by packet."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from headgate.base.level_order import level_text
from headgate.base.messages import count_others
from headgate.experiment.run_sentences import MOST_NAMED
from headgate.experiment.tables import MeasuredRuns

#: The condition with each level of a factor, for one combination of the other factors.
Group = dict[str, int]


def say_same_runs(found: MeasuredRuns) -> Iterator[str]:
    """Name pairs of levels whose runs give the same digests, and the conditions of these runs."""
    for place, factor in enumerate(found.factors):
        groups = _group(found, place)
        same: dict[tuple[str, str], list[str]] = {}
        for others, group in groups.items():
            for pair in _find_same(found, group):
                same.setdefault(pair, []).append(others)
        for (one, other), conditions in list(same.items())[:MOST_NAMED]:
            among = sum(one in group and other in group for group in groups.values())
            yield (
                f"The runs with {factor.name} {one} and with {factor.name} {other} are the same,"
                f" packet by packet{_end_sentence(conditions, among)}."
            )
        if len(same) > MOST_NAMED:
            more = count_others(len(same) - MOST_NAMED, "pair", f" of levels of {factor.name}")
            yield f"The same holds for {more}."


def _end_sentence(conditions: list[str], among: int) -> str:
    """Write under which conditions of the other factors a choice changes nothing."""
    if len(conditions) == among:
        every = ", under every condition of the other factors" if among > 1 else ""
        return f"{every}: this choice changes nothing"
    left = len(conditions) - MOST_NAMED
    named = "; ".join([*conditions[:MOST_NAMED], *([f"and {left} more"] if left > 0 else [])])
    counted = f"{len(conditions)} of {among} conditions of the other factors"
    return f", under {counted} ({named}): this choice changes nothing there"


def _group(found: MeasuredRuns, place: int) -> dict[str, Group]:
    """Return the conditions that differ in one factor only, by the levels of the others."""
    levels = {name: list(map(level_text, labels)) for name, labels in found.labels.items()}
    own = levels.pop(found.factors[place].name)
    groups: dict[str, Group] = {}
    for condition, level in enumerate(own):
        others = ", ".join(f"{name} {of[condition]}" for name, of in levels.items())
        groups.setdefault(others, {})[level] = condition
    return groups


def _find_same(found: MeasuredRuns, group: Group) -> Iterator[tuple[str, str]]:
    """Yield the pairs of levels with the same digest in each replicate."""
    levels: dict[tuple[str, ...], list[str]] = {}
    for level, condition in group.items():
        levels.setdefault(tuple(found.digests[condition]), []).append(level)
    for digests, alike in levels.items():
        if "" not in digests:
            yield from combinations(alike, 2)
