"""Effects whose sign differs between conditions: both ways, and which factor says where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headgate.base.level_order import level_text
from headgate.design.factor import Factor
from headgate.experiment.conditions import label_levels, order_levels
from headgate.experiment.effects import Effect, SimpleEffect
from headgate.experiment.tables import MeasuredRuns
from headgate.stats.changes import MATTERS_SHARE
from headgate.stats.intervals import compute_mean_interval, compute_mean_p
from headgate.stats.reversals import (
    Direction,
    Levels,
    compute_relative_changes,
    find_separating_factor,
    find_shown_signs,
    is_reversed_by_a_factor,
)


@dataclass(frozen=True)
class Side:
    """How far a response changes one way, from the least to the most, and where."""

    least: float
    most: float
    where: str


def find_sides(found: MeasuredRuns, response: str, effect: Effect) -> list[Side]:
    """Return both ways of a main effect whose sign differs between conditions; none if it has one.

    Of a fitted model these are the effects at both levels of the factor that reverses it.
    """
    if effect.pairs:
        return _of_pairs(found, response, effect)
    return _of_model(found, response, effect)


def _of_pairs(found: MeasuredRuns, response: str, effect: Effect) -> list[Side]:
    """Distinguish rises from falls, pair by pair."""
    starts = [condition for condition, _ in effect.pairs]
    others = [name for name in found.labels if name not in effect.factors]
    levels = [{n: level_text(found.labels[n][c]) for n in others} for c in starts]
    means = [compute_mean_interval(change)[0] for _, change in effect.pairs]
    before = [compute_mean_interval(found.told[response][condition])[0] for condition in starts]
    if any(np.isfinite(change).sum() > 1 for _, change in effect.pairs):
        signs = find_shown_signs(
            [compute_mean_p(of) for _, of in effect.pairs], [mean > 0 for mean in means]
        )
    else:
        signs = _sign_by_size(compute_relative_changes(means, before), levels, exact=found.same)
    if not {1, -1} <= set(signs):
        return []
    factor, ways = find_separating_factor(levels, signs, order_levels(found.levels))
    return [
        _side([m for m, own in zip(means, signs, strict=True) if own == sign], factor, way)
        for sign, way in zip((1, -1), ways, strict=True)
    ]


def _sign_by_size(shares: Sequence[float], levels: Levels, *, exact: bool) -> list[int]:
    """Return the signs of the changes of 10 % or more, of single runs if their turn is shown."""
    if not exact and not is_reversed_by_a_factor(shares, levels):
        return [0] * len(shares)
    return [int(np.sign(one)) if abs(one) >= MATTERS_SHARE else 0 for one in shares]


def _side(changes: Sequence[float], factor: str, way: Direction) -> Side:
    ordered = sorted(changes, key=abs)
    levels = f" with {factor} {' or '.join(way.levels)}" if way.levels else ""
    rest = f" and in {way.others} others" if way.others else ""
    return Side(ordered[0], ordered[-1], f"in {way.count} of {way.among} pairs{levels}{rest}")


def _of_model(found: MeasuredRuns, response: str, effect: Effect) -> list[Side]:
    """Take the factor at whose levels both signs are shown, and the effect differs most.

    Their interaction has to be shown, too.
    """
    shown = {frozenset(one.factors) for one in found.shown[response]}
    simple = [one for one in effect.simple if frozenset((*effect.factors, one.other)) in shown]
    rises = [one.effect > 0 for one in simple]
    by_factor: dict[str, list[tuple[int, SimpleEffect]]] = {}
    signs = find_shown_signs([one.p for one in simple], rises)
    for sign, one in zip(signs, simple, strict=True):
        by_factor.setdefault(one.other, []).append((sign, one))
    turned = {name: of for name, of in by_factor.items() if {1, -1} <= {sign for sign, _ in of}}
    if not turned:
        return []
    name, levels = max(turned.items(), key=lambda item: np.ptp([one.effect for _, one in item[1]]))
    factor = next(factor for factor in found.factors if factor.name == name)
    return [_side_at(factor, [one for own, one in levels if own == sign]) for sign in (1, -1)]


def _side_at(factor: Factor, levels: Sequence[SimpleEffect]) -> Side:
    ordered = sorted((one.effect for one in levels), key=abs)
    named = map(level_text, label_levels(factor, [one.level for one in levels]))
    return Side(ordered[0], ordered[-1], f"with {factor.name} {' or '.join(named)}")
