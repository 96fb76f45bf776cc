"""Response surfaces: polynomials fitted to the means of conditions, with their optimum.

The intervals of fitted values hold for all points of the region together (the supremum of |t| over
the region, by simulation), because the optimum is chosen after the fit. The place of the optimum is
within the points that are not shown to be worse, all differences of points tested together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from headgate.base.optional import require
from headgate.stats.intervals import LEVEL, Numbers
from headgate.stats.terms import TermModel

#: Points of the region, surfaces that are drawn, and the seed of both.
POINTS, DRAWS, SEED = 4096, 1000, 1
#: The share of points near the optimum, their spread, and the steps of its search.
NEAR_SPREAD, STEPS = 0.25, 40
#: The most combinations of names from which the optimum is searched.
MOST_STARTS = 12
#: A coded level is at the edge of the region if a step of this size leaves the region.
EDGE = 0.02
Allowed = Callable[[Numbers], NDArray[np.bool_]]


@dataclass(frozen=True)
class Optimum:
    """The best point of a fitted surface within the region of the runs, in coded levels.

    `low` and `high` bound its place, one value for each factor, and `value_low` and `value_high`
    the mean of the response there; NaN without an error.
    """

    point: Numbers
    low: Numbers
    high: Numbers
    value: float
    value_low: float
    value_high: float
    is_at_edge: bool
    names: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    """The coded levels of each nominal factor that may be the best."""


@dataclass(frozen=True)
class StationaryPoint:
    """The point with a gradient of zero, with the eigenvalues of the quadratic form there."""

    point: Numbers
    eigenvalues: Numbers

    @property
    def kind(self) -> str:
        """Whether the point is a maximum, a minimum or a saddle."""
        if (self.eigenvalues < 0).all():
            return "maximum"
        return "minimum" if (self.eigenvalues > 0).all() else "saddle"


@dataclass(frozen=True, eq=False)
class Surface:
    """A model fitted to points of shape (point, factor) and one value for each."""

    model: TermModel
    coded: Numbers
    values: Numbers

    @cached_property
    def columns(self) -> Numbers:
        """The columns of the model at the points."""
        return self.model.expand(self.coded)

    @cached_property
    def _inverse(self) -> Numbers:
        """The covariance of the coefficients over the variance of the error."""
        return np.asarray(np.linalg.pinv(self.columns.T @ self.columns, hermitian=True))

    @property
    def is_estimable(self) -> bool:
        """Whether the points determine all coefficients."""
        return bool(np.linalg.matrix_rank(self.columns) == self.columns.shape[1])

    @cached_property
    def coefficients(self) -> Numbers:
        """The least squares coefficients, in the order of the terms."""
        return np.asarray(np.linalg.lstsq(self.columns, self.values, rcond=None)[0])

    @property
    def fitted(self) -> Numbers:
        """The fitted values of the points."""
        return np.asarray(self.columns @ self.coefficients)

    @property
    def residuals(self) -> Numbers:
        """The values minus the fitted ones."""
        return np.asarray(self.values - self.fitted)

    @property
    def freedom(self) -> int:
        """The degrees of freedom of the error."""
        return len(self.values) - int(self.columns.shape[1])

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of the error; NaN without degrees of freedom."""
        left = self.residuals
        return math.sqrt(float(left @ left) / self.freedom) if self.freedom > 0 else math.nan

    @property
    def errors(self) -> Numbers:
        """The standard errors of the coefficients."""
        return np.asarray(self.deviation * np.sqrt(np.diag(self._inverse)))

    @cached_property
    def p(self) -> float:
        """The p of the F test that only the constant differs from zero; NaN without an error."""
        require("analysis", "a response surface")
        from scipy import stats

        terms = self.columns.shape[1] - 1
        if not self.freedom > 0 or terms < 1:
            return math.nan
        left, total = self.residuals, self.values - self.values.mean()
        explained = float(total @ total - left @ left) / terms
        error = float(left @ left) / self.freedom
        if error <= 0:
            return 0.0
        return float(stats.f.sf(explained / error, terms, self.freedom))

    def predict(self, points: Numbers) -> Numbers:
        """Return the fitted values at coded points of shape (point, factor)."""
        return np.asarray(self.model.expand(points) @ self.coefficients)

    @cached_property
    def stationary_point(self) -> StationaryPoint | None:
        """The stationary point of a quadratic surface in quantities; None without one."""
        count = self.coded.shape[1]
        if self.model.nominal or not self.model.has_squares:
            return None
        slope, form = np.zeros(count), np.zeros((count, count))
        for term, value in zip(self.model.terms, self.coefficients, strict=True):
            if len(term) == 1:
                slope[term[0]] = value
            elif len(term) == 2:
                form[term] += value / 2
                form[term[::-1]] += value / 2
        if np.linalg.matrix_rank(form) < count:
            return None
        place = np.asarray(np.linalg.solve(form, -slope / 2), float)
        return StationaryPoint(place, np.asarray(np.linalg.eigvalsh(form)[::-1], float))

    def find_optimum(self, way: int, allowed: Allowed | None = None) -> Optimum:
        """Return the highest (1) or lowest (-1) point of the region of the runs.

        The region consists of the points within the range of each factor, and no farther from the
        centre than the farthest run. `allowed` returns which of these may be chosen.
        """
        rng = np.random.default_rng(SEED)
        region = _Region(self.coded, self.model, allowed)
        cloud = np.vstack([self.coded, region.draw(rng, POINTS)])
        best = self._find_best(cloud, way, region)
        cloud = np.vstack([best, cloud, region.draw_near(rng, best, POINTS // 2)])
        edge = region.is_at_edge(best)
        value, missing = float(self.predict(best[None])[0]), np.full(len(best), np.nan)
        if not self.freedom > 0:
            return Optimum(best, missing, missing, value, math.nan, math.nan, edge)
        columns, root = self.model.expand(cloud), _take_root(self._inverse)
        normal = rng.standard_normal((DRAWS, root.shape[1])) @ root.T
        scale = np.sqrt(rng.chisquare(self.freedom, DRAWS) / self.freedom)
        moves = normal @ columns.T / scale[:, None]
        widths = np.sqrt(np.maximum(((columns @ root) ** 2).sum(axis=1), 1e-300))
        width = float(np.quantile((np.abs(moves) / widths).max(axis=1), LEVEL))
        may_be_best = cloud[self._find_rivals(columns, root, way)]
        low, high = may_be_best.min(axis=0), may_be_best.max(axis=0)
        half = width * self.deviation * float(widths[0])
        return Optimum(
            best, np.minimum(low, best), np.maximum(high, best), value, value - half, value + half,
            edge, {i: tuple(np.unique(may_be_best[:, i]).tolist()) for i in self.model.nominal},
        )  # fmt: skip

    def _find_best(self, cloud: Numbers, way: int, region: _Region) -> Numbers:
        """Climb from the best point of each combination of names; return the best of all."""
        values, groups = way * self.predict(cloud), np.zeros(len(cloud), int)
        if places := sorted(self.model.nominal):
            groups = np.unique(cloud[:, places], axis=0, return_inverse=True)[1].ravel()
        starts = []
        for group in range(int(groups.max()) + 1):
            rows = np.flatnonzero(groups == group)
            starts.append(int(rows[values[rows].argmax()]))
        starts.sort(key=lambda row: -float(values[row]))
        climbed = np.array([self._climb(cloud[row], way, region) for row in starts[:MOST_STARTS]])
        return np.asarray(climbed[int((way * self.predict(climbed)).argmax())])

    def _find_rivals(self, columns: Numbers, root: Numbers, way: int) -> NDArray[np.bool_]:
        """Return the points that are not shown to be worse than the first (Scheffe 1959).

        All differences of two points together hold in 95 % of cases, so that the true optimum is
        among these points, however the first was chosen.
        """
        from scipy import stats

        apart = columns[0] - columns
        losses = way * (apart @ self.coefficients)
        terms = columns.shape[1] - 1
        wide = math.sqrt(terms * float(stats.f.ppf(LEVEL, terms, self.freedom)))
        errors = self.deviation * np.sqrt(((apart @ root) ** 2).sum(axis=1))
        return np.asarray(losses <= wide * errors + 1e-12 * np.abs(self.values).max())

    def _climb(self, start: Numbers, way: int, region: _Region) -> Numbers:
        """Improve a point by steps of halving size along each quantity and each pair of them."""
        numbers = [i for i in range(len(start)) if i not in self.model.nominal]
        units = np.eye(len(start))[numbers]
        pairs = [a + s * b for i, a in enumerate(units) for b in units[i + 1 :] for s in (-1, 1)]
        directions = np.vstack([units, -units, *pairs, *(-pair for pair in pairs)])
        best, step = start, 0.5
        for _ in range(STEPS * len(start)):
            tried = region.pull(best + step * directions)
            tried = tried[region.holds(tried)]
            values = way * self.predict(np.vstack([best, tried]))
            place = int(values.argmax())
            if place == 0:
                step /= 2
                if step < EDGE / 1000:
                    break
            else:
                best = tried[place - 1]
        return best


@dataclass(frozen=True, eq=False)
class _Region:
    """The region of the runs: a box, cut by the sphere through the farthest run."""

    coded: Numbers
    model: TermModel
    allowed: Allowed | None

    @cached_property
    def _numbers(self) -> list[int]:
        return [i for i in range(self.coded.shape[1]) if i not in self.model.nominal]

    @cached_property
    def _radius(self) -> float:
        return float(np.sqrt((self.coded[:, self._numbers] ** 2).sum(axis=1)).max())

    def holds(self, points: Numbers) -> NDArray[np.bool_]:
        low, high = self.coded.min(axis=0) - 1e-12, self.coded.max(axis=0) + 1e-12
        inside = ((points >= low) & (points <= high)).all(axis=1)
        far = np.sqrt((points[:, self._numbers] ** 2).sum(axis=1))
        inside &= far <= self._radius * (1 + 1e-12)
        if self.allowed is not None and inside.any():
            inside[inside] = self.allowed(points[inside])
        return np.asarray(inside)

    def draw(self, rng: np.random.Generator, count: int) -> Numbers:
        """Draw points of the region; few of a box in many dimensions lie within the sphere."""
        points = rng.uniform(
            self.coded.min(axis=0), self.coded.max(axis=0), (count, len(self.coded.T))
        )
        return self._keep(rng, self.pull(points))

    def pull(self, points: Numbers) -> Numbers:
        """Move points to the border of the region that lie beyond it."""
        points = np.clip(points, self.coded.min(axis=0), self.coded.max(axis=0))
        far = np.sqrt((points[:, self._numbers] ** 2).sum(axis=1))
        points[:, self._numbers] *= np.minimum(1.0, self._radius / np.maximum(far, 1e-300))[:, None]
        return points

    def draw_near(self, rng: np.random.Generator, best: Numbers, count: int) -> Numbers:
        points = best + NEAR_SPREAD * rng.standard_normal((count, len(best)))
        return self._keep(rng, self.pull(points))

    def _keep(self, rng: np.random.Generator, points: Numbers) -> Numbers:
        for place, levels in self.model.nominal.items():
            points[:, place] = rng.choice(levels, len(points))
        return points[self.holds(points)]

    def is_at_edge(self, point: Numbers) -> bool:
        steps = EDGE * np.vstack([np.eye(len(point)), -np.eye(len(point))])
        moved = steps[:, self._numbers].any(axis=1)
        return not self.holds(point + steps[moved]).all()


def _take_root(covariance: Numbers) -> Numbers:
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def compute_lack_of_fit_p(surface: Surface, replicates: Numbers) -> float:
    """Return the p of the lack of fit, from replicates of shape (condition, replicate).

    Replicate k shares its traffic in all conditions, so the mean of a replicate is no error. With
    one replicate, runs at the same point replicate each other. NaN if replicates are missing.
    """
    require("analysis", "a response surface")
    from scipy import stats

    conditions, count = replicates.shape
    if count == 1:
        return _compute_lack_of_fit_at_points(surface)
    if count < 2 or surface.freedom < 1 or not np.isfinite(replicates).all():
        return math.nan
    left = replicates - replicates.mean(axis=1, keepdims=True) - replicates.mean(axis=0)
    within = float(((left + replicates.mean()) ** 2).sum()) / ((conditions - 1) * (count - 1))
    if within <= 0:
        return 0.0 if surface.deviation > 0 else 1.0
    ratio = count * surface.deviation**2 / within
    return float(stats.f.sf(ratio, surface.freedom, (conditions - 1) * (count - 1)))


def _compute_lack_of_fit_at_points(surface: Surface) -> float:
    """Return the p of the lack of fit, with the error of runs at the same point."""
    from scipy import stats

    points, at = np.unique(surface.coded.round(9), axis=0, return_inverse=True)
    runs = len(surface.values)
    freedom, within = runs - len(points), 0.0
    for point in range(len(points)):
        of = surface.values[at.ravel() == point]
        within += float(((of - of.mean()) ** 2).sum())
    unfitted = surface.freedom - freedom
    if freedom < 1 or unfitted < 1:
        return math.nan
    lack = max(surface.freedom * surface.deviation**2 - within, 0.0) / unfitted
    if within <= 0:
        return 0.0 if lack > 0 else 1.0
    return float(stats.f.sf(lack / (within / freedom), unfitted, freedom))
