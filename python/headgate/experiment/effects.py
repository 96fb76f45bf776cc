"""Effects with intervals: how far a response moves from one level of a factor to another.

Replicate k has the same seed, and so the same random traffic, under every condition. An effect is
therefore formed within each replicate, from conditions that are equal but for the factor, and its
interval is Student's t over the replicates: what differs between conditions by design is no error.
An interaction is half the difference of two such effects, as in a two-level design (Box, Hunter and
Hunter 2005, chapter 5). Where a design has no conditions that are equal but for a factor, as in
fractions and samples, the effects are those of the model with two-factor interactions, fitted to
the means of conditions. What it leaves of them is the error: a condition's lack of fit is the same
in all its replicates, so that more of them do not make it smaller. A model that leaves nothing has
its effects within each replicate, too; they are those of all that is confounded with a term.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from headgate.stats.full_model import FullModel, Term, full_model
from headgate.stats.intervals import LEVEL, mean_interval, student_quantile

Numbers = NDArray[np.float64]
Step = tuple[float, float]
"""Two levels of a factor as they are coded: from the first to the second."""
Pairs = Sequence[tuple[int, Numbers]]
"""The condition in which a pair begins, and the change in each replicate."""


@dataclass(frozen=True)
class Effect:
    """A main effect, or the interaction of two factors: from which level to which, how far.

    The ends are NaN where nothing says how wrong it may be. `pairs` are those of conditions that
    are equal but for the factor, where a main effect is formed from such.
    """

    factors: tuple[str, ...]
    steps: tuple[Step, ...]
    effect: float
    low: float
    high: float
    replicates: int
    pairs: Pairs = field(default=(), compare=False, repr=False)

    @property
    def size(self) -> float:
        """How far the response moves on average, whichever way."""
        moves = [abs(float(np.nanmean(each))) for _, each in self.pairs if np.isfinite(each).any()]
        return float(np.mean(moves)) if moves else abs(self.effect)

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval: one replicate of a grid has none."""
        return bool(np.isfinite(self.low))

    @property
    def decided(self) -> bool:
        """Whether its interval excludes zero."""
        return self.low > 0 or self.high < 0


def paired_effects(names: Sequence[str], coded: Numbers, values: Numbers) -> list[Effect]:
    """Return effects of factors on values, with shape (condition, replicate).

    Main effects come first, each from a factor's first level to its others; then interactions.
    """
    places = {tuple(row): place for place, row in enumerate(coded.tolist())}
    steps = [_steps(column) for column in coded.T]
    chosen = [(i,) for i in range(len(names))] + list(combinations(range(len(names)), 2))
    found = (
        _paired(factors, corners, places, values, names)
        for factors in chosen
        for corners in _corners([steps[i] for i in factors])
    )
    return [effect for effect in found if effect is not None]


def model_effects(names: Sequence[str], coded: Numbers, values: Numbers) -> list[Effect]:
    """Return the effects of the model with interactions, from the lowest level to the highest."""
    columns = dict(zip(names, coded.T, strict=True))
    model = full_model(columns, [mean_interval(of)[0] for of in values])
    if model.error_freedom == 0:
        fits = [full_model(columns, of) for of in values.T]
        whole = [fit for fit in fits if fit.terms.keys() == model.terms.keys()]
        return _over_replicates(model, whole or [model])
    known = int(np.isfinite(values).any(axis=0).sum())
    width = student_quantile(0.5 + LEVEL / 2, model.error_freedom)
    return [_of_term(term, width, known) for term in model.terms.values()]


def _of_term(term: Term, width: float, replicates: int) -> Effect:
    """Give a term its interval: its t is the root of F, and the standard error effect over t."""
    half = width * abs(term.effect) / np.sqrt(term.f_ratio) if term.f_ratio > 0 else np.nan
    return _effect(term.factors, (term.effect, term.effect - half, term.effect + half), replicates)


def _over_replicates(model: FullModel, fits: Sequence[FullModel]) -> list[Effect]:
    """Form the effects of a model that leaves no error within each replicate."""
    return [
        _effect(term, _interval([fit.terms[term].effect for fit in fits]), len(fits))
        for term in model.terms
    ]


def _effect(factors: tuple[str, ...], found: tuple[float, float, float], replicates: int) -> Effect:
    effect, low, high = map(float, found)
    return Effect(factors, ((-1.0, 1.0),) * len(factors), effect, low, high, replicates)


def _interval(values: Sequence[float] | Numbers) -> tuple[float, float, float]:
    """Return the mean with its interval, whose ends are NaN for one value."""
    mean, low, high = mean_interval(values)
    known = np.isfinite(values).sum() > 1
    return (mean, low, high) if known else (mean, float("nan"), float("nan"))


def _steps(column: Numbers) -> list[Step]:
    first, *others = np.unique(column).tolist()
    return [(first, other) for other in others]


def _corners(steps: Sequence[Sequence[Step]]) -> Iterator[tuple[Step, ...]]:
    if len(steps) == 1:
        yield from ((step,) for step in steps[0])
    else:
        yield from ((one, other) for one in steps[0] for other in steps[1])


def _paired(
    factors: tuple[int, ...],
    steps: tuple[Step, ...],
    places: dict[tuple[float, ...], int],
    values: Numbers,
    names: Sequence[str],
) -> Effect | None:
    """Form an effect within each replicate; None where no conditions can be set side by side."""
    pairs = [
        (places[row], contrast)
        for row in places
        if all(row[i] == step[0] for i, step in zip(factors, steps, strict=True))
        for contrast in _contrast(row, factors, steps, places, values)
    ]
    if not pairs:
        return None
    by_replicate = np.mean([contrast for _, contrast in pairs], axis=0) / len(factors)
    known = int(np.isfinite(by_replicate).sum())
    found = Effect(tuple(names[i] for i in factors), steps, *_interval(by_replicate), known)
    return replace(found, pairs=pairs) if len(factors) == 1 else found


def _contrast(
    row: tuple[float, ...],
    factors: tuple[int, ...],
    steps: tuple[Step, ...],
    places: dict[tuple[float, ...], int],
    values: Numbers,
) -> Iterator[Numbers]:
    """Yield the signed sum over the corners that begin at a condition, if all are there."""
    corners: list[tuple[tuple[float, ...], int]] = [(row, 1)]
    for i, (_, end) in zip(factors, steps, strict=True):
        corners = [
            (corner if sign < 0 else (*corner[:i], end, *corner[i + 1 :]), was * sign)
            for corner, was in corners
            for sign in (-1, 1)
        ]
    if all(corner in places for corner, _ in corners):
        yield np.sum([sign * values[places[corner]] for corner, sign in corners], axis=0)
