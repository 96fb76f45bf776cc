"""Effects whose sign differs between conditions: both ways, and which factor says where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headgate.experiment.conditions import order_levels
from headgate.experiment.effects import Effect, Numbers
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
    return _of_model(found, response, effect)


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


def _of_model(found: Measured, response: str, effect: Effect) -> list[Side]:
    """Take the interaction that turns the sign round most, if one does beyond its interval."""
    (name,) = effect.factors
    pairs = [e for e in found.effects_by_response[response] if len(e.factors) == 2]
    turning = [pair for pair in pairs if name in pair.factors and _is_turned(effect, pair)]
    if not turning:
        return []
    most = max(turning, key=lambda pair: abs(pair.effect))
    (other,) = (factor for factor in most.factors if factor != name)
    first, *_, last = found.levels[other]
    ends = {first: effect.effect - most.effect, last: effect.effect + most.effect}
    return [
        Side(change, change, f"with {other} {level}")
        for level, change in sorted(ends.items(), key=lambda item: -item[1])
    ]


def _is_turned(effect: Effect, pair: Effect) -> bool:
    """Say whether the effects at both levels of the other factor have intervals of either sign."""
    half = float(np.hypot(effect.high - effect.effect, pair.high - pair.effect))
    low, high = sorted((effect.effect - pair.effect, effect.effect + pair.effect))
    return low + half < 0 < high - half
