"""What moves a response of an experiment, in a sentence: the largest effect that is shown.

An effect is shown if its p is below 5 % after a correction for all effects of the experiment. With
one run of each condition nothing is shown, and the sentence says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from headgate.base.units import readable
from headgate.experiment.effects import Effect
from headgate.experiment.opposed import Side, find_sides
from headgate.experiment.responses import Response
from headgate.experiment.tables import MeasuredRuns

SINGLE = "with one run of each condition no interval can be given, and this may be chance"


def say_effects(found: MeasuredRuns, response: Response) -> Iterator[str]:
    """Yield the sentence on the effects on a response; nothing if none could be formed."""
    effects = found.effects_by_response[response.name]
    main = [e for e in effects if len(e.factors) == 1 and np.isfinite(e.effect)]
    if not main:
        return
    tested = [e for e in effects if np.isfinite(e.p)]
    if not tested and not found.same:
        largest = max(main, key=lambda e: e.size)
        yield f"{_say_largest(found, response, largest)}; {SINGLE}."
        return
    shown = found.shown[response.name]
    named = [e for e in main if e in shown or find_sides(found, response.name, e)]
    said = [_count(shown, [e for e in tested if len(e.factors) == 1], "main effects")]
    if pairs := [e for e in tested if len(e.factors) > 1]:
        said.append(_count(shown, pairs, "interactions"))
    counted = f"; shown after a correction for all tests: {' and '.join(said)}" if tested else ""
    if named:
        largest = max(named, key=lambda e: e.size)
        yield f"{_say_largest(found, response, largest)}{counted}."
    else:
        yield f"No main effect on {within(response)} is shown{counted}."


def spoken(response: Response) -> str:
    """Return what a response is called where a sentence begins: its title, else its name."""
    return response.title or response.name


def within(response: Response) -> str:
    """Return what a response is called within a sentence."""
    return response.title[:1].lower() + response.title[1:] if response.title else response.name


def unit_of(unit: str) -> str:
    """Return a unit as it is written after a figure; nothing for 1."""
    return "" if unit == "1" else unit


def _say_largest(found: MeasuredRuns, response: Response, largest: Effect) -> str:
    first, last = found.ends(largest)
    said = f"{spoken(response)} is moved most by {largest.factors[0]}{_say_aliases(largest)}"
    sides = find_sides(found, response.name, largest)
    if sides:
        both = " and ".join(_format_side(response, side) for side in sides)
        return f"{said}, and not one way: from {first} to {last} it changes by {both}"
    return f"{said}: from {first} to {last} it changes by {_format_effect(response, largest)}"


def _say_aliases(effect: Effect) -> str:
    """Name what a fraction cannot tell from an effect."""
    names = [" x ".join(term) for term in effect.aliases]
    if not names:
        return ""
    return f" (or by {' or '.join(names)}, which this design cannot tell apart: no interval)"


def _count(shown: Sequence[Effect], among: Sequence[Effect], what: str) -> str:
    return f"{sum(effect in shown for effect in among)} of {len(among)} {what}"


def _format_effect(response: Response, effect: Effect) -> str:
    low, high = effect.interval
    ends = [abs(end) for end in (effect.effect, low, high) if np.isfinite(end)]
    factor, unit = readable(response.unit, max(ends))
    said = f"{effect.effect * factor:+.3g} {unit_of(unit)}".strip()
    if not np.isfinite(low):
        return said
    return f"{said} ({low * factor:+.3g} to {high * factor:+.3g})"


def _format_side(response: Response, side: Side) -> str:
    factor, unit = readable(response.unit, abs(side.most))
    ends = dict.fromkeys(f"{end * factor:+.3g}" for end in (side.least, side.most))
    said = f"{' to '.join(ends)} {unit_of(unit)}".strip()
    return f"{said} {side.where}"
