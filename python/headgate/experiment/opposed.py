"""Effects whose sign differs between conditions: both ways, and which factor says where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headgate.design import Factor
from headgate.experiment.conditions import label_levels, order_levels
from headgate.experiment.effects import Effect, Numbers, SimpleEffect
from headgate.experiment.tables import Measured
from headgate.level_order import level_text
from headgate.stats.changes import MATTERS_SHARE
from headgate.stats.intervals import mean_interval
from headgate.stats.separation import Way, separate


@dataclass(frozen=True)
class Side:
    """How far a response changes one way, from the least to the most, and where."""

    least: float
    most: float
    where: str


def find_sides(found: Measured, response: str, effect: Effect) -> list[Side]:
    """Return both ways of a main effect whose sign differs between conditions; none if it has one.

    Of a fitted model these are the effects at both levels of the factor that reverses it.
    """
    if effect.pairs:
        return _of_pairs(found, response, effect)
    return _of_model(found, effect)


def _of_pairs(found: Measured, response: str, effect: Effect) -> list[Side]:
    """Tell rises from falls pair by pair: beyond the replicates' interval, alone by its size."""
    starts = [condition for condition, _ in effect.pairs]
    means = [float(np.nanmean(change)) for _, change in effect.pairs]
    before = [np.nanmean(found.told[response][condition]) for condition in starts]
    signs = [
        _sign(change, float(level)) for (_, change), level in zip(effect.pairs, before, strict=True)
    ]
    if not {1, -1} <= set(signs):
        return []
    others = [name for name in found.labels if name not in effect.factors]
    levels = [{n: level_text(found.labels[n][c]) for n in others} for c in starts]
    factor, ways = separate(levels, signs, order_levels(found.levels))
    return [
        _side([m for m, own in zip(means, signs, strict=True) if own == sign], factor, way)
        for sign, way in zip((1, -1), ways, strict=True)
    ]


def _sign(change: Numbers, before: float) -> int:
    known = change[np.isfinite(change)]
    mean, low, high = mean_interval(known)
    if len(known) == 1:
        return int(np.sign(mean)) if abs(mean) >= MATTERS_SHARE * abs(before) else 0
    return 1 if low > 0 else -1 if high < 0 else 0


def _side(changes: Sequence[float], factor: str, way: Way) -> Side:
    ordered = sorted(changes, key=abs)
    levels = f" with {factor} {' or '.join(way.levels)}" if way.levels else ""
    rest = f" and in {way.others} others" if way.others else ""
    return Side(ordered[0], ordered[-1], f"in {way.count} of {way.among} pairs{levels}{rest}")


def _of_model(found: Measured, effect: Effect) -> list[Side]:
    """Take the factor at whose levels the sign differs beyond the intervals, and differs most."""
    by_factor: dict[str, list[SimpleEffect]] = {}
    for one in effect.simple:
        by_factor.setdefault(one.other, []).append(one)
    turned = {
        name: of
        for name, of in by_factor.items()
        if max(one.low for one in of) > 0 > min(one.high for one in of)
    }
    if not turned:
        return []
    name, levels = max(turned.items(), key=lambda item: np.ptp([one.effect for one in item[1]]))
    factor = next(factor for factor in found.factors if factor.name == name)
    return [
        _side_at(factor, [one for one in levels if one.low > 0]),
        _side_at(factor, [one for one in levels if one.high < 0]),
    ]


def _side_at(factor: Factor, levels: Sequence[SimpleEffect]) -> Side:
    ordered = sorted((one.effect for one in levels), key=abs)
    named = map(level_text, label_levels(factor, [one.level for one in levels]))
    return Side(ordered[0], ordered[-1], f"with {factor.name} {' or '.join(named)}")
