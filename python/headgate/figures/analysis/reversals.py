"""Reversals: what grows under some conditions and falls under others, and which factor says where.

A mean over such conditions would say neither, so none is formed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headgate.base.level_order import LevelOrder
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.figures.analysis.phrases import level_phrase, levels_by_condition
from headgate.stats.both_ways import find_signs, turns_with_a_factor
from headgate.stats.changes import Change
from headgate.stats.separation import Way, separate


@dataclass(frozen=True)
class Side:
    """The conditions in which a measure changes one way: how far, and where."""

    least: Change
    most: Change
    way: Way

    def write(self) -> str:
        """Write how far it changes, in how many conditions, and which."""
        ends = dict.fromkeys([self.least.write(), self.most.write()])
        where = f" with {' or '.join(self.way.levels)}" if self.way.levels else ""
        rest = f" and in {self.way.others} others" if self.way.others else ""
        counted = f"in {self.way.count} of {self.way.among} conditions"
        return f"{' to '.join(ends)} {counted}{where}{rest}"


@dataclass(frozen=True)
class Reversal:
    """A measure that grows under some conditions and falls under others.

    `factor` is the one that separates them best, "" if none does.
    """

    factor: str
    sides: tuple[Side, ...]

    def write(self) -> str:
        """Write both ways."""
        return ", ".join(side.write() for side in self.sides)


def find_reversal(
    part: PeriodAnalysis, law: str, rows: Sequence[int], response: str
) -> Reversal | None:
    """Return how a measure changes both ways under these conditions; None if it does not."""
    labels = [part.cells.conditions[row] for row in rows]
    cells = [part.changes.cells[law, label, response] for label in labels]
    by_condition = levels_by_condition(part.frame, part.roles)
    levels = [by_condition.get(label, {}) for label in labels]
    signs = _find_signs(cells, levels, replicated=part.changes.replicated)
    if not {1, -1} <= set(signs):
        return None
    order = {f: part.frame.levels(f).names for f in by_condition.get(labels[0], ())}
    factor, ways = separate(levels, signs, LevelOrder(order))
    sides = []
    for sign, way in zip((1, -1), ways, strict=True):
        own = [one for one, known in zip(cells, signs, strict=True) if known == sign]
        own.sort(key=lambda one: abs(one.share))
        known_levels = order.get(factor, ())
        words = tuple(level_phrase(part.roles, factor, one, known_levels) for one in way.levels)
        sides.append(Side(own[0], own[-1], Way(words, way.count, way.among, way.others)))
    return Reversal(factor, tuple(sides))


def _find_signs(
    cells: Sequence[Change], levels: Sequence[Mapping[str, str]], *, replicated: bool
) -> list[int]:
    """Return 1 where a change that matters is a rise, -1 where it is a fall, 0 elsewhere.

    Of replicates it is one that is shown, however many conditions there are. With one run of each
    condition, changes count by their size, if rises and falls are shown at levels of a factor.
    """
    shares = [one.share for one in cells]
    if replicated:
        signs = find_signs([one.p for one in cells], [share > 0 for share in shares])
    elif turns_with_a_factor(shares, levels):
        signs = [1 if share > 0 else -1 for share in shares]
    else:
        return [0] * len(cells)
    return [sign if one.matters else 0 for sign, one in zip(signs, cells, strict=True)]
