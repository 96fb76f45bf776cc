"""The analyses of special kinds of designs: surfaces, screening, sensitivity indices."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from headgate.design.constraint import Constraint
from headgate.design.factor import Factor
from headgate.design.generate import MadeDesign
from headgate.design.optimal import read_model
from headgate.stats.intervals import Numbers, compute_mean_interval
from headgate.stats.screening import Screening, SecondOrder
from headgate.stats.sensitivity import (
    MorrisResult,
    SobolResult,
    compute_morris,
    compute_sobol,
    estimate_noise,
)
from headgate.stats.surface import Optimum, Surface, compute_lack_of_fit_p
from headgate.stats.terms import Order, TermModel

#: Kinds to whose means a response surface is fitted, and kinds that give sensitivity indices.
SURFACES = ("central-composite", "box-behnken", "d-optimal")
SCREENING = "definitive-screening"
SENSITIVITY = ("morris", "saltelli")
Allowed = Callable[[Sequence[Factor], list[list[float]]], list[bool]]


@dataclass(frozen=True)
class DesignAnalysis:
    """A made design, and which combinations of levels its experiment allows."""

    made: MadeDesign
    allowed: Allowed | None = None

    @property
    def kind(self) -> str:
        """The kind of the design."""
        return self.made.file.kind

    @property
    def model(self) -> TermModel | None:
        """The model of a response surface; None for other kinds."""
        if self.kind not in SURFACES:
            return None
        order: Order | tuple[str, ...] = "quadratic"
        if self.kind == "d-optimal":
            order = self.made.file.model
        return read_model(self.made.design.factors, order)

    def name_terms(self) -> list[tuple[str, ...]] | None:
        """Return the terms of the model by the names of their factors, without the constant."""
        if self.model is None:
            return None
        names = [factor.name for factor in self.made.design.factors]
        return [tuple(names[i] for i in term) for term in self.model.terms if term]

    def fit(self, coded: Numbers, values: Numbers, way: int) -> FittedSurface | None:
        """Fit the surface to the means of conditions; None if they are too few for it."""
        means = np.array([compute_mean_interval(of)[0] for of in values])
        known = np.isfinite(means)
        if self.model is None or not known.any():
            return None
        surface = Surface(self.model, coded[known], means[known])
        if not surface.is_estimable:
            return None
        optimum = surface.find_optimum(way, self._restrict())
        return FittedSurface(surface, optimum, compute_lack_of_fit_p(surface, values[known]))

    def compute_model_p(self, coded: Numbers, values: Numbers) -> float:
        """Return the p of an F test of a polynomial model against its residual.

        The model is quadratic if the runs are more than twice its coefficients, else linear.
        """
        known = np.isfinite(values)
        coded, values = coded[known], values[known]
        if not len(values):
            return math.nan
        surface = Surface(read_model(self.made.design.factors, "quadratic"), coded, values)
        if surface.freedom <= surface.columns.shape[1]:
            surface = Surface(read_model(self.made.design.factors, "linear"), coded, values)
        return surface.p

    def _restrict(self) -> Callable[[Numbers], NDArray[np.bool_]] | None:
        file, factors = self.made.file, self.made.design.factors
        constraints = [Constraint.read(text, factors) for text in file.constraints]
        if not constraints and self.allowed is None:
            return None

        def holds(points: Numbers) -> NDArray[np.bool_]:
            kept = np.ones(len(points), bool)
            for constraint in constraints:
                kept &= constraint.holds(factors, points)
            if self.allowed is not None and kept.any():
                kept[kept] = self.allowed(factors, points[kept].tolist())
            return kept

        return holds

    def screen(self, coded: Numbers, values: Numbers, active: Sequence[int]) -> SecondOrder:
        """Return the second-order terms of a definitive screening design."""
        means = np.array([compute_mean_interval(of)[0] for of in values])
        design, noise = Screening(coded, means), estimate_noise(values)
        variance, freedom = design.deviation**2, design.freedom
        if freedom < 1:
            variance, freedom = noise.variance, noise.freedom
        quantities = [i for i, factor in enumerate(self.made.design.factors) if factor.numeric]
        return design.select(active, quantities, variance, freedom)

    def compute_indices(self, coded: Numbers, values: Numbers) -> MorrisResult | SobolResult:
        """Return Morris' effects or Sobol indices."""
        indices = self.made.design.indices
        assert indices is not None
        if self.kind == "saltelli":
            return compute_sobol(indices, values)
        steps = [2.0 if factor.numeric else np.nan for factor in self.made.design.factors]
        return compute_morris(coded, indices, values, np.array(steps))


@dataclass(frozen=True)
class FittedSurface:
    """A surface of a response, its optimum, and the p of its lack of fit."""

    surface: Surface
    optimum: Optimum
    lack_of_fit_p: float
    p: float = field(default=float("nan"))
    """The p of the surface, corrected for all responses."""
