"""The sentence on the largest effect on a response of an experiment that is shown.

An effect is shown if its p is below 5 % after a correction for all effects of the experiment. With
one run of each condition nothing is shown, and the sentence says so. If a response rises by 10 % or
more under some conditions and falls so under others, the sentence gives both ways, and the factor
that separates them. The word "most" is left out if a larger effect of another factor is not shown;
the sentence gives that effect. A second sentence is about the algorithms, if the largest effect is
that of another factor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from headgate.base.level_order import level_text
from headgate.base.titles import begin_small
from headgate.base.units import format_figure, readable
from headgate.experiment.conditions import label_levels, order_levels
from headgate.experiment.effects import Effect, SimpleEffect
from headgate.experiment.responses import Response
from headgate.experiment.tables import MeasuredRuns
from headgate.stats.changes import MATTERS_SHARE, compute_share
from headgate.stats.intervals import compute_mean_interval, compute_mean_p
from headgate.stats.reversals import (
    find_separating_factor,
    find_shown_signs,
    is_reversed_by_a_factor,
)

CCA = "cca"
#: The largest number of main effects that a sentence names after the largest one.
MOST_OTHERS = 2
SINGLE = "with one run of each condition no interval can be given, and this may be chance"
TOO_FEW = "too few runs give a value for an interval, and this may be chance"
CONSTANT = "every replicate gives the same change, so that its spread is unknown"


def say_effects(found: MeasuredRuns, response: Response) -> Iterator[str]:
    """Yield the sentence on the effects on a response; nothing if no effect is defined."""
    effects = found.effects_by_response[response.name]
    main = [e for e in effects if len(e.factors) == 1 and np.isfinite(e.effect)]
    if not main:
        if effects:
            name = within(response)
            yield f"No main effect on {name} can be computed: too few runs give a value."
        return
    tested = [e for e in effects if np.isfinite(e.p)]
    if not tested and not found.same:
        largest = max(main, key=lambda e: e.size)
        moved = _say_largest(found, response, largest, "most ")
        yield f"{moved}; {_explain_no_test(found, largest)}."
        return
    shown = found.shown[response.name]
    named = [e for e in main if e in shown or find_sides(found, response.name, e)]
    counts = list(_count_shown(found, response))
    counted = f"; shown after a correction for all tests: {' and '.join(counts)}"
    counted *= bool(tested)
    first = sorted(named, key=lambda effect: -effect.size)[: 1 + MOST_OTHERS]
    others = [one for one in first[1:] if not find_sides(found, response.name, one)]
    if first:
        larger = _find_larger(main, first[0])
        most = "" if larger else "most "
        also = _say_others(found, response, others) + _say_larger(found, response, larger)
        yield f"{_say_largest(found, response, first[0], most)}{counted}{also}."
    else:
        several = counted if len(tested) > 1 else ""
        if several and found.has_pairs and not found.same:
            several += f", by t tests over {_say_replicates(tested)} replicates"
        yield f"No main effect on {within(response)} is shown{several}."
    said = [*first[:1], *others]
    yield from _say_algorithms(found, response, [e for e in main if e not in said])


def _say_replicates(effects: Sequence[Effect]) -> str:
    """Write the least and the largest number of replicates."""
    counts = sorted({effect.replicates for effect in effects})
    return " to ".join(map(str, dict.fromkeys([counts[0], counts[-1]])))


def _explain_no_test(found: MeasuredRuns, effect: Effect) -> str:
    if found.repeats == 1:
        return SINGLE
    return CONSTANT if effect.replicates > 1 else TOO_FEW


def _count_shown(found: MeasuredRuns, response: Response) -> Iterator[str]:
    """Yield how many main effects and interactions are shown, and how many cannot be tested."""
    effects, shown = found.effects_by_response[response.name], found.shown[response.name]
    groups = {
        "main effects": [e for e in effects if len(e.factors) == 1],
        "interactions": [e for e in effects if len(e.factors) > 1],
    }
    for name, group in groups.items():
        untested = 0 if found.same else sum(not np.isfinite(effect.p) for effect in group)
        lacking = f" ({untested} cannot be tested)" * (untested > 0)
        if group:
            yield f"{sum(effect in shown for effect in group)} of {len(group)} {name}{lacking}"


def _say_others(found: MeasuredRuns, response: Response, others: Sequence[Effect]) -> str:
    """Name other main effects that are shown."""
    said = [
        f"{_name_factor(found, one)}, {low} to {high}: {_format_effect(found, response, one)}"
        for one in others
        for low, high in [found.ends(one)]
    ]
    verb = "is" if len(said) == 1 else "are"
    return f"; the next {verb} {', and '.join(said)}" if said else ""


def _find_larger(main: Sequence[Effect], named: Effect) -> Effect | None:
    """Return the largest main effect if it is that of another factor than the named one."""
    largest = max(main, key=lambda effect: effect.size)
    return largest if largest.size > named.size and largest.factors != named.factors else None


def _say_larger(found: MeasuredRuns, response: Response, larger: Effect | None) -> str:
    """Give an effect that is larger than the named one, and not shown."""
    if larger is None:
        return ""
    low, high = found.ends(larger)
    said = (
        f"{_name_factor(found, larger)}, {low} to {high}: {_format_effect(found, response, larger)}"
    )
    return f"; a larger change is not shown: {said}"


def _say_algorithms(
    found: MeasuredRuns, response: Response, main: Sequence[Effect]
) -> Iterator[str]:
    """Yield the sentence on the other algorithms, which a comparison gives by itself."""
    if found.roles is not None and found.roles.is_comparison:
        return
    effects = [e for e in main if e.factors == (CCA,) and np.isfinite(e.p) and not e.aliases]
    if effects:
        said = "; ".join(_say_algorithm(found, response, effect) for effect in effects)
        yield f"{spoken(response)} by algorithm: {said}."


def _say_algorithm(found: MeasuredRuns, response: Response, effect: Effect) -> str:
    first, last = found.ends(effect)
    if sides := find_sides(found, response.name, effect):
        both = " and ".join(_format_side(response, side) for side in sides)
        return f"from {first} to {last} it changes by {both}"
    text = _format_effect(found, response, effect)
    if effect in found.shown[response.name]:
        return f"from {first} to {last} it changes by {text}"
    low, high = effect.interval
    by_itself = " after the correction for all tests" if low > 0 or high < 0 else ""
    return f"no change from {first} to {last} is shown{by_itself}: {text}"


def spoken(response: Response) -> str:
    """Return the name of a response at the start of a sentence: its title, or its name."""
    return response.title[:1].upper() + response.title[1:] or response.name


def within(response: Response) -> str:
    """Return the name of a response within a sentence."""
    return begin_small(response.title) if response.title else response.name


def unit_of(unit: str) -> str:
    """Return a unit as it is written after a number; nothing for 1."""
    return "" if unit == "1" else unit


def _say_largest(found: MeasuredRuns, response: Response, largest: Effect, most: str) -> str:
    first, last = found.ends(largest)
    aliases = " or ".join(" x ".join(term) for term in largest.aliases)
    also = (
        f" (or by {aliases}, which this design cannot distinguish: no interval)" if aliases else ""
    )
    moved = f"{spoken(response)} is moved {most}by {_name_factor(found, largest)}{also}"
    if sides := find_sides(found, response.name, largest):
        both = " and ".join(_format_side(response, side) for side in sides)
        return f"{moved}, and not one way: from {first} to {last} it changes by {both}"
    return (
        f"{moved}: from {first} to {last} it changes by {_format_effect(found, response, largest)}"
    )


def _name_factor(found: MeasuredRuns, effect: Effect) -> str:
    """Return the title of the factor that the file gives, and its name."""
    factor = next(one for one in found.factors if one.name == effect.factors[0])
    plain = (factor.name, factor.setting, factor.name.replace("_", " "), "")
    return factor.name if factor.title in plain else f"{factor.title} ({factor.name})"


def _format_effect(found: MeasuredRuns, response: Response, effect: Effect) -> str:
    low, high = effect.interval
    sizes = [abs(end) for end in (effect.effect, low, high) if np.isfinite(end)]
    factor, unit = readable(response.unit, max(sizes))
    value, *ends = (format_figure(end * factor, "+", 3) for end in (effect.effect, low, high))
    text = f"{value} {unit_of(unit)}".strip()
    if np.isfinite(low):
        text += f" ({' to '.join(ends)})"
    return text + _say_lacking(found, response, effect)


def _say_lacking(found: MeasuredRuns, response: Response, effect: Effect) -> str:
    """Count the pairs and the replicates of an effect if some lack a value."""
    used, among = len(effect.pairs), found.distinct[response.name].shape[1]
    counts = [f"{used} of {used + effect.absent} pairs of conditions"] * (effect.absent > 0)
    if effect.pairs and effect.replicates < among:
        counts.append(f"{effect.replicates} of {among} replicates")
    return f", over {' and '.join(counts)}" if counts else ""


@dataclass(frozen=True)
class Side:
    """The changes of a response in one direction: the least, the largest, and their conditions."""

    least: float
    most: float
    place: str

    @classmethod
    def of(cls, changes: Sequence[float], place: str) -> Side:
        """Return the side of these changes."""
        ordered = sorted(changes, key=abs)
        return cls(ordered[0], ordered[-1], place)


def _format_side(response: Response, side: Side) -> str:
    factor, unit = readable(response.unit, abs(side.most))
    ends = dict.fromkeys(format_figure(end * factor, "+", 3) for end in (side.least, side.most))
    text = f"{' to '.join(ends)} {unit_of(unit)}".strip()
    return f"{text} {side.place}"


def find_sides(found: MeasuredRuns, response: str, effect: Effect) -> list[Side]:
    """Return both ways of a main effect whose sign differs between conditions; else nothing.

    For a fitted model, they are the effects at both levels of the factor that reverses the effect.
    """
    if effect.pairs:
        return _find_sides_of_pairs(found, response, effect)
    return _find_sides_of_model(found, response, effect)


def _find_sides_of_pairs(found: MeasuredRuns, response: str, effect: Effect) -> list[Side]:
    """Separate increases from decreases of 10 % or more, pair by pair."""
    starts = [condition for condition, _ in effect.pairs]
    others = [name for name in found.labels if name not in effect.factors]
    levels = [{n: level_text(found.labels[n][c]) for n in others} for c in starts]
    means = [compute_mean_interval(change)[0] for _, change in effect.pairs]
    before = [compute_mean_interval(found.distinct[response][c])[0] for c in starts]
    shares = [compute_share(mean, abs(old)) for mean, old in zip(means, before, strict=True)]
    if any(np.isfinite(change).sum() > 1 for _, change in effect.pairs):
        p = [compute_mean_p(of) for _, of in effect.pairs]
        signs = find_shown_signs(p, [mean > 0 for mean in means])
    elif found.same or is_reversed_by_a_factor(shares, levels):
        signs = [int(np.sign(one)) for one in shares]
    else:
        return []
    signs = [sign * (abs(one) >= MATTERS_SHARE) for sign, one in zip(signs, shares, strict=True)]
    if not {1, -1} <= set(signs):
        return []
    factor, ways = find_separating_factor(levels, signs, order_levels(found.levels))
    sides = []
    for sign, way in zip((1, -1), ways, strict=True):
        named = f" with {factor} {' or '.join(way.levels)}" if way.levels else ""
        rest = f" and in {way.others} others" if way.others else ""
        changes = [mean for mean, own in zip(means, signs, strict=True) if own == sign]
        sides.append(Side.of(changes, f"in {way.count} of {way.among} pairs{named}{rest}"))
    return sides


def _find_sides_of_model(found: MeasuredRuns, response: str, effect: Effect) -> list[Side]:
    """Choose the factor with shown interaction at whose levels both signs are shown.

    Among several such factors, the effect differs most between the levels of the chosen one.
    """
    shown = {frozenset(one.factors) for one in found.shown[response]}
    simple = [one for one in effect.simple if frozenset((*effect.factors, one.other)) in shown]
    signs = find_shown_signs([one.p for one in simple], [one.effect > 0 for one in simple])
    by_factor: dict[str, list[tuple[int, SimpleEffect]]] = {}
    for sign, one in zip(signs, simple, strict=True):
        by_factor.setdefault(one.other, []).append((sign, one))
    by_factor = {name: _keep_large(found, response, effect, of) for name, of in by_factor.items()}
    turned = {name: of for name, of in by_factor.items() if {1, -1} <= {sign for sign, _ in of}}
    if not turned:
        return []
    name, levels = max(turned.items(), key=lambda item: np.ptp([one.effect for _, one in item[1]]))
    factor = next(factor for factor in found.factors if factor.name == name)
    sides = []
    for sign in (1, -1):
        chosen = [one for own, one in levels if own == sign]
        named = map(level_text, label_levels(factor, [one.level for one in chosen]))
        sides.append(Side.of([e.effect for e in chosen], f"with {name} {' or '.join(named)}"))
    return sides


def _keep_large(
    found: MeasuredRuns,
    response: str,
    effect: Effect,
    simple: Sequence[tuple[int, SimpleEffect]],
) -> list[tuple[int, SimpleEffect]]:
    """Set the signs of changes to 0 that are less than 10 % of the mean at the first level.

    All changes are kept if no condition has this level, as in a sample.
    """
    names = [factor.name for factor in found.factors]
    own = found.coded[:, names.index(effect.factors[0])]
    kept = []
    for sign, one in simple:
        other = found.coded[:, names.index(one.other)]
        rows = np.isclose(own, effect.steps[0][0]) & np.isclose(other, one.level)
        mean = compute_mean_interval(found.distinct[response][rows].ravel())[0]
        is_small = abs(compute_share(one.effect, abs(mean))) < MATTERS_SHARE
        kept.append((0 if is_small else sign, one))
    return kept
