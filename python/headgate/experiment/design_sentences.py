"""Sentences of response surfaces, screening designs and sensitivity analyses, the answer first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from headgate.base.level_order import level_text
from headgate.base.units import readable
from headgate.design.factor import Factor
from headgate.experiment.conditions import label_levels
from headgate.experiment.designed import FittedSurface
from headgate.experiment.effect_sentences import spoken, unit_of, within
from headgate.experiment.responses import Response
from headgate.experiment.tables import MeasuredRuns
from headgate.stats.effects import WEAK_P
from headgate.stats.sensitivity import MorrisResult, SobolIndex, SobolResult

#: A model does not fit if its lack of fit is less likely than this.
UNFIT_P = 0.01
#: An interval of mu* is printed if mu* is this many times what noise alone gives.
CLEAR_OF_NOISE = 3.0
NOISY = "with one run of each point, the noise of runs is part of it"


def say_surface(found: MeasuredRuns, response: Response) -> Iterator[str]:
    """Yield the sentence on the optimum of a response surface."""
    fitted = found.surfaces.get(response.name)
    if fitted is None:
        yield f"The runs are too few for the model of {within(response)}."
        return
    if math.isnan(fitted.p):
        yield (
            f"{spoken(response)}: the number of coefficients equals that of the conditions, so that"
            " no error is known and no optimum is shown."
        )
        return
    unfit = ""
    if fitted.lack_of_fit_p < UNFIT_P:
        unfit = "; the model lacks fit (p < 0.01), so that the surface is an approximation"
    if not fitted.p < WEAK_P:
        yield f"No optimum of {within(response)} is shown: its surface may be flat{unfit}."
        return
    yield f"{_say_optimum(found, response, fitted)}{unfit}."


def _say_optimum(found: MeasuredRuns, response: Response, fitted: FittedSurface) -> str:
    best = fitted.optimum
    factor, unit = readable(response.unit, max(abs(best.value_low), abs(best.value_high)))
    word = "lowest" if response.better == "lower" else "highest"
    levels = ", ".join(
        f"{one.name} {one.describe(place) if one.numeric else _name(one, place)}"
        for one, place in zip(found.factors, best.point.tolist(), strict=True)
    )
    edge = ", at the edge of the region of the runs" if best.is_at_edge else ""
    value = " ".join(filter(None, [f"{best.value * factor:.4g}", unit_of(unit)]))
    ranges = ", ".join(
        f"{one.name} {one.describe(float(best.low[i]), float(best.high[i]))}"
        if one.numeric
        else f"{one.name} {_join([_name(one, level) for level in best.names[i]], 'or')}"
        for i, one in enumerate(found.factors)
    )
    return (
        f"{spoken(response)} is {word} on the fitted surface with {levels}{edge}: {value} (95 %"
        f" interval {best.value_low * factor:.4g} to {best.value_high * factor:.4g}); the optimum"
        f" lies within {ranges} (95 % intervals)"
    )


def _name(factor: Factor, coded: float) -> str:
    return level_text(label_levels(factor, [coded])[0])


def say_second_order(found: MeasuredRuns, response: Response) -> Iterator[str]:
    """Yield the sentence on the curvature and the interactions of a screening design."""
    selected = found.second_order[response.name]
    terms = selected.terms
    names = [factor.name for factor in found.factors]
    squares = [names[one.term[0]] for one in terms if one.term[0] == one.term[1]]
    products = [
        " x ".join(names[i] for i in one.term) for one in terms if one.term[0] != one.term[1]
    ]
    parts = []
    if squares:
        parts.append(f"curvature in {_join(squares)}")
    if products:
        parts.append(f"the interaction{'s' * (len(products) > 1)} {_join(products)}")
    named = _join(parts) if parts else ""
    if not selected.is_complete:
        among = f" {named[:1].upper()}{named[1:]} may be among them." if named else ""
        yield (
            f"{spoken(response)} also depends on second-order terms. The squares and products of"
            " the factors that are shown do not explain them, so that no term is certain."
            f"{among}"
        )
    elif named:
        yield (
            f"{spoken(response)} also shows {named} (forward selection among the squares and"
            " products of the factors that are shown)."
        )


def say_sensitivity(found: MeasuredRuns, response: Response) -> Iterator[str]:
    """Yield the sentence on the factors that a response depends on most."""
    result = found.indices[response.name]
    if not result.largest:
        yield (
            f"{spoken(response)}: no sensitivity is known, because the variance between points does"
            " not clearly exceed the noise of runs; add replicates."
        )
    elif not found.same and _may_be_noise(found, response):
        yield (
            f"{spoken(response)}: no effect can be distinguished from the noise of runs, because"
            " each point was run once; add replicates."
        )
    elif isinstance(result, MorrisResult):
        yield _say_morris(found, response, result)
    else:
        yield _say_sobol(found, response, result)


def _may_be_noise(found: MeasuredRuns, response: Response) -> bool:
    """Return whether noise alone may give the values of single runs.

    Indices of single runs contain the noise, so that they cannot be tested against it.
    """
    values = found.comparable[response.name]
    return (
        found.design is not None
        and values.shape[1] == 1
        and not found.design.compute_model_p(found.coded, values[:, 0]) < WEAK_P
    )


def _say_morris(found: MeasuredRuns, response: Response, result: MorrisResult) -> str:
    p = {e.factor: found.morris_p[response.name, e.factor] for e in result.effects}
    shown = [e for e in result.effects if p[e.factor] < WEAK_P]
    counted, noisy = "", ""
    if not all(math.isnan(one) for one in p.values()):
        named = f", {_join([found.factors[e.factor].name for e in shown])}" if shown else ""
        counted = (
            "; shown above the noise of runs after a correction for all tests:"
            f" {len(shown)} of {len(p)} factors{named}"
        )
        if not shown:
            return f"No factor is shown to move {within(response)}{counted}."
    elif not found.same:
        noisy = f"; {NOISY}"
    best = next(e for e in result.effects if e.factor == result.largest[0])
    factor, unit = readable(response.unit, best.high)
    size = " ".join(filter(None, [f"{best.mu_star * factor:.3g}", unit_of(unit)]))
    # The largest of several similar ones is too large by chance.
    clear = len(result.largest) == 1 and not best.mu_star < CLEAR_OF_NOISE * result.floor
    interval = f", 95 % interval {best.low * factor:.3g} to {best.high * factor:.3g}"
    names = [found.factors[i].name for i in result.largest]
    ties = ", which cannot be distinguished" if len(names) > 1 else ""
    return (
        f"{spoken(response)} depends most on {_join(names, 'or')}{ties}: over the range of"
        f" {names[0]} it changes by {size} on average (mu*{interval if clear else ''}){noisy}"
        f"{counted}."
    )


def _say_sobol(found: MeasuredRuns, response: Response, result: SobolResult) -> str:
    names = [found.factors[i].name for i in result.largest]
    ties = ", which cannot be distinguished" if len(names) > 1 else ""
    first = result.indices[result.largest[0]]
    unknown = [
        found.factors[one.factor].name
        for one in result.indices
        if one.total_low <= 0 and one.factor not in result.largest
    ]
    none = f"; no share is shown of {_join(unknown)}" if unknown else ""
    noisy = f"; {NOISY}" if result.has_noise and not found.same else ""
    return (
        f"{spoken(response)} depends most on {_join(names, 'or')}{ties}: {names[0]} explains"
        f" {_say_share(first)}{noisy}{none}."
    )


def _say_share(one: SobolIndex) -> str:
    ends = [f"{100 * end:.0f}" for end in (one.total_low, one.total_high)]
    alone = [f"{100 * end:.0f}" for end in (one.first_low, one.first_high)]
    return (
        f"{100 * one.total:.0f} % of the variance with its interactions (95 % interval {ends[0]} to"
        f" {ends[1]} %) and {100 * one.first:.0f} % alone ({alone[0]} to {alone[1]} %)"
    )


def _join(names: Sequence[str], word: str = "and") -> str:
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last
