"""Effects with intervals: the change of a response between two levels of a factor.

Replicate k uses the same seed, and so the same random traffic, under every condition. Therefore an
effect is computed within each replicate, from conditions that differ in the factor only. Its
interval is Student's t over the replicates: differences between conditions by design are no error.
A pair of conditions without a value in any replicate is left out. A replicate in which another pair
lacks a value does not count, since its mean would be that of other conditions.
An interaction is half the difference of two such effects, as in a two-level design (Box, Hunter and
Hunter 2005, chapter 5). Fractions and samples contain no such pairs of conditions. Their effects
are those of the model with two-factor interactions, fitted to the means of conditions. The error is
the residual of the model: the lack of fit of a condition is the same in all its replicates, so that
more replicates do not reduce it. A model without residual is fitted within each replicate; its
effects are the sums of all effects that are confounded with a term.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from headgate.experiment.effect_model import EffectModel
from headgate.stats.intervals import (
    LEVEL,
    are_alike,
    compute_mean_interval,
    compute_mean_p,
    compute_student_p,
    compute_student_quantile,
)
from headgate.stats.screening import Screening

Numbers = NDArray[np.float64]
Step = tuple[float, float]
"""The change from one coded level of a factor to another."""
Pairs = Sequence[tuple[int, Numbers]]
"""The first condition of each pair, and the change in each replicate."""


@dataclass(frozen=True)
class SimpleEffect:
    """The effect of a factor at one coded level of another factor, with its interval."""

    other: str
    level: float
    effect: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Effect:
    """A main effect, or the interaction of two factors: the levels and the change.

    `low`, `high` and the two-sided `p` are NaN if the error is unknown. `pairs` are the pairs of
    conditions of a main effect that is computed from pairs. For a fitted model, `simple` contains
    the effects at each level of other factors, and `aliases` the effects that the design cannot
    distinguish from this one.
    """

    factors: tuple[str, ...]
    steps: tuple[Step, ...]
    effect: float
    low: float
    high: float
    replicates: int
    pairs: Pairs = field(default=(), compare=False, repr=False)
    absent: int = 0
    """Pairs that are left out because they lack a value in every replicate."""
    simple: tuple[SimpleEffect, ...] = field(default=(), compare=False, repr=False)
    aliases: tuple[tuple[str, ...], ...] = ()
    p: float = float("nan")
    freedom: int = 0
    """Degrees of freedom of a model's residual; 0 if the error is that of the replicates."""

    @property
    def size(self) -> float:
        """The mean absolute change of the response."""
        moves = [abs(float(np.nanmean(each))) for _, each in self.pairs if np.isfinite(each).any()]
        return float(np.mean(moves)) if moves else abs(self.effect)

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval: one replicate of a grid gives none."""
        return bool(np.isfinite(self.low))

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of this effect alone; NaN if the effect is aliased."""
        return (float("nan"), float("nan")) if self.aliases else (self.low, self.high)

    @property
    def decided(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0 or self.high < 0


def paired_effects(names: Sequence[str], coded: Numbers, values: Numbers) -> list[Effect]:
    """Return effects of factors on values, with shape (condition, replicate).

    Main effects come first, each from a factor's first level to its others; then interactions.
    """
    places = {tuple(row): place for place, row in enumerate(coded.tolist())}
    steps = [_steps(column) for column in coded.T]
    chosen = [(i,) for i in range(len(names))] + list(combinations(range(len(names)), 2))
    found = (
        _compute_paired(factors, corners, places, values, names)
        for factors in chosen
        for corners in product(*(steps[i] for i in factors))
    )
    return [effect for effect in found if effect is not None]


def are_paired(coded: Numbers) -> bool:
    """Return whether pairs of conditions exist for every step of every factor."""
    places = {tuple(row) for row in coded.tolist()}
    return all(
        any(row[i] == first and (*row[:i], last, *row[i + 1 :]) in places for row in places)
        for i, column in enumerate(coded.T)
        for first, last in _steps(column)
    )


def model_effects(
    names: Sequence[str],
    coded: Numbers,
    values: Numbers,
    sampled: Sequence[bool],
    terms: Sequence[tuple[str, ...]] | None = None,
) -> list[Effect]:
    """Return the effects of the model with interactions, from the first level to each other level.

    The effect of a `sampled` factor is the change from its low to its high end. `terms` are those
    of another model, whose squares and higher products are no effects between levels.
    """
    known = np.isfinite(values).any(axis=1)
    if not known.any():
        return []
    fit = _Fit(EffectModel.of(names, coded[known], sampled, terms), values[known])
    codings = fit.model.codings
    return [
        fit.form_effect(term, steps)
        for term in fit.model.places
        if len(term) == len(set(term)) <= 2
        for steps in product(*(codings[name].steps for name in term))
    ]


def screening_effects(names: Sequence[str], coded: Numbers, values: Numbers) -> list[Effect]:
    """Return the main effects of a definitive screening design, from -1 to 1.

    The error is that of the fake factors; without these, that of the replicates.
    """
    means = np.array([compute_mean_interval(of)[0] for of in values])
    design = Screening(coded, means)
    if not design.is_estimable:
        return []
    known = int(np.isfinite(values).any(axis=0).sum())
    rows = np.isfinite(means)
    found = []
    for name, row in zip(names, design.solution, strict=True):
        weights = 2 * row[rows]
        effect = float(weights @ means[rows])
        if design.freedom < 1:
            by_replicate = weights @ values[rows]
            has = np.isfinite(by_replicate).any()
            ends = _interval(by_replicate if has else [effect])
            p = _compute_p(by_replicate)
        else:
            error = design.deviation * float(np.sqrt(weights @ weights))
            half = compute_student_quantile(0.5 + LEVEL / 2, design.freedom) * error
            ends, p = (
                (effect, effect - half, effect + half),
                compute_student_p(effect, error, design.freedom),
            )
        step = ((-1.0, 1.0),)
        found.append(Effect((name,), step, *ends, known, p=p, freedom=max(design.freedom, 0)))
    return found


@dataclass(frozen=True)
class _Fit:
    """The model fitted to the means of conditions; a model without residual, to each replicate."""

    model: EffectModel
    values: Numbers

    @cached_property
    def means(self) -> Numbers:
        return np.array([compute_mean_interval(of)[0] for of in self.values])

    @cached_property
    def deviation(self) -> float:
        return self.model.residual_deviation(self.means)

    def form_effect(self, term: tuple[str, ...], steps: tuple[Step, ...]) -> Effect:
        weights = self.model.weights(term, steps)
        known = int(np.isfinite(self.values).any(axis=0).sum())
        simple = tuple(self._form_simple(term[0], steps[0])) if len(term) == 1 else ()
        effect, low, high, p = self._estimate(weights)
        aliases = self.model.aliases.get(term, ())
        return Effect(
            term, steps, effect, low, high, known, simple=simple, aliases=aliases, p=p,
            freedom=self.model.freedom,
        )  # fmt: skip

    def _form_simple(self, name: str, step: Step) -> Iterator[SimpleEffect]:
        """Yield the effect of a factor at each level of each other factor.

        Factors whose interaction with this one is aliased are skipped.
        """
        for other, coding in self.model.codings.items():
            if any(self.model.aliases.get(term) for term in ((name, other), (other, name))):
                continue
            for level in coding.levels.tolist() if other != name else ():
                weights = self.model.weights_at(name, step, other, level)
                if weights is not None:
                    yield SimpleEffect(other, level, *self._estimate(weights))

    def _estimate(self, weights: Numbers) -> tuple[float, float, float, float]:
        """Return the weighted sum of means, its interval, and the two-sided p."""
        effect = float(weights @ self.means)
        if self.model.freedom == 0:
            by_replicate = weights @ self.values
            known = by_replicate if np.isfinite(by_replicate).any() else [effect]
            return *_interval(known), _compute_p(by_replicate)
        error = self.deviation * float(np.sqrt(weights @ weights))
        width = compute_student_quantile(0.5 + LEVEL / 2, self.model.freedom)
        half = width * self.deviation * float(np.sqrt(weights @ weights))
        p = compute_student_p(effect, error, self.model.freedom)
        return effect, effect - half, effect + half, p


def _interval(values: Sequence[float] | Numbers) -> tuple[float, float, float]:
    """Return the mean with its interval; its ends are NaN for one value, or a constant one."""
    mean, low, high = compute_mean_interval(values)
    known = np.isfinite(values).sum() > 1 and not _is_constant(values)
    return (mean, low, high) if known else (mean, float("nan"), float("nan"))


def _compute_p(values: Sequence[float] | Numbers) -> float:
    """Return the two-sided p of a change of zero; NaN for one value, or a constant one."""
    return float("nan") if _is_constant(values) else compute_mean_p(values)


def _is_constant(values: Sequence[float] | Numbers) -> bool:
    """Return whether every replicate gives the same change, so that its spread is unknown.

    The replicates of two conditions without chance are one and the same run each.
    """
    known = np.asarray(values)[np.isfinite(values)]
    return len(known) > 1 and bool(known.any()) and are_alike(known)


def _steps(column: Numbers) -> list[Step]:
    first, *others = np.unique(column).tolist()
    return [(first, other) for other in others]


def _compute_paired(
    factors: tuple[int, ...],
    steps: tuple[Step, ...],
    places: dict[tuple[float, ...], int],
    values: Numbers,
    names: Sequence[str],
) -> Effect | None:
    """Compute an effect within each replicate; None if there are no pairs of conditions."""
    every = [
        (places[row], contrast)
        for row in places
        if all(row[i] == step[0] for i, step in zip(factors, steps, strict=True))
        for contrast in _contrast(row, factors, steps, places, values)
    ]
    if not every:
        return None
    pairs = [(row, contrast) for row, contrast in every if np.isfinite(contrast).any()] or every
    by_replicate = np.mean([contrast for _, contrast in pairs], axis=0) / len(factors)
    known = int(np.isfinite(by_replicate).sum())
    found = Effect(
        tuple(names[i] for i in factors), steps, *_interval(by_replicate), known,
        p=_compute_p(by_replicate), absent=len(every) - len(pairs),
    )  # fmt: skip
    return replace(found, pairs=pairs) if len(factors) == 1 else found


def _contrast(
    row: tuple[float, ...],
    factors: tuple[int, ...],
    steps: tuple[Step, ...],
    places: dict[tuple[float, ...], int],
    values: Numbers,
) -> Iterator[Numbers]:
    """Yield the signed sum over the corners that start at a condition, if all exist."""
    corners: list[tuple[tuple[float, ...], int]] = [(row, 1)]
    for i, (_, end) in zip(factors, steps, strict=True):
        corners = [
            (corner if sign < 0 else (*corner[:i], end, *corner[i + 1 :]), was * sign)
            for corner, was in corners
            for sign in (-1, 1)
        ]
    if all(corner in places for corner, _ in corners):
        yield np.sum([sign * values[places[corner]] for corner, sign in corners], axis=0)
