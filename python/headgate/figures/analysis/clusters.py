"""Which algorithms behave alike: clusters under each condition, and principal components.

Algorithms are points in the space of all responses, each divided by its standard deviation over the
algorithms of the condition. Distances are Euclidean, linkage is the average over all pairs, and
algorithms linked below 70 % of the greatest linkage are a group (Mills, Filliben, Cho, Schwartz
2011, slide 2). A response that does not vary under a condition is left out there. Groups of
principal components are cut at the greatest mean silhouette (Rousseeuw 1987).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError
from headgate.base.messages import refuse_former_keywords
from headgate.figures.analysis.grid import compute_grid
from headgate.figures.analysis.phrases import AS_IN_TABLE, ConditionNames
from headgate.figures.notebook import DrawnOnce

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Numbers = NDArray[np.float64]

#: Part of the greatest linkage below which linked algorithms are a group.
GROUP = 0.7
#: A response whose spread is below this part of its mean is constant but for rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class ClusterTree:
    """The linkage of the algorithms of one condition.

    `linkage` is SciPy's: a row for each link with both parts, the distance and the size. `used` are
    the responses that vary. The distance of algorithms with equal responses is zero.
    """

    ccas: tuple[str, ...]
    linkage: Numbers
    used: tuple[str, ...]

    @property
    def greatest(self) -> float:
        """The greatest linkage: the distance of the last two groups, in standard deviations."""
        return float(self.linkage[-1, 2]) if len(self.linkage) else 0.0

    def groups(self, part: float = GROUP) -> tuple[tuple[str, ...], ...]:
        """Return the groups that are linked below this part of the greatest linkage."""
        from scipy.cluster import hierarchy

        if self.greatest == 0.0:
            return (self.ccas,)
        labels = hierarchy.fcluster(self.linkage, part * self.greatest * (1 - 1e-12), "distance")
        return tuple(
            tuple(cca for cca, own in zip(self.ccas, labels, strict=True) if own == label)
            for label in dict.fromkeys(labels.tolist())
        )

    @property
    def apart(self) -> str | None:
        """The algorithm that is linked last and alone, if there is one."""
        if self.greatest == 0.0:
            return None
        alone = [int(node) for node in self.linkage[-1, :2] if node < len(self.ccas)]
        return self.ccas[alone[0]] if len(alone) == 1 else None


@dataclass(frozen=True)
class Clusters(DrawnOnce):
    """A tree of the algorithms with numbers, for each condition with at least two."""

    trees: Mapping[str, ClusterTree]
    order: tuple[str, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record per condition: its groups, and their distance."""
        for name in self.order:
            tree = self.trees[name]
            yield {
                "condition": name,
                "greatest": tree.greatest,
                "apart": tree.apart or "",
                "groups": " | ".join(", ".join(group) for group in tree.groups()),
            }

    def figure(self, names: ConditionNames = AS_IN_TABLE) -> Figure:
        """Draw all dendrograms on one sheet, in order; `names` are the names of conditions."""
        from headgate.figures.plots.similarity import Tree as Drawn
        from headgate.figures.plots.similarity import dendrograms

        axis = names.make_axis(self.order)
        drawn = [
            Drawn(" ".join(title.split("\n")), tree.ccas, tree.linkage, GROUP * tree.greatest)
            for title, tree in zip(axis.names, map(self.trees.__getitem__, self.order), strict=True)
        ]
        return dendrograms(drawn, axis.rows)


@refuse_former_keywords
def compute_clusters(
    table: object,
    responses: Sequence[str] = (),
    condition: str | Sequence[str] = "condition",
    cca: str = "cca",
    order_by: str | None = None,
) -> Clusters:
    """Link the CCAs of every condition by all responses; `order_by` is a measure of congestion.

    Rows of one condition and algorithm are replicates, of which the mean is taken. An algorithm
    without any number under a condition is left out there; one that lacks a response leaves the
    response out. Raises AnalysisError.
    """
    cells = compute_grid(table, responses, condition, cca)
    if len(cells.ccas) < 2:
        raise AnalysisError(
            f"{cells.name}: two algorithms at least are compared; it has {cells.ccas[0]}"
        )
    trees = {}
    for values, name in zip(cells.values, cells.conditions, strict=True):
        known = np.isfinite(values).any(axis=1)
        if known.sum() > 1:
            ccas = [cca for cca, kept in zip(cells.ccas, known.tolist(), strict=True) if kept]
            trees[name] = tree(ccas, cells.responses, values[known])
    if not trees:
        raise AnalysisError(f"{cells.name}: no condition has numbers of two algorithms")
    order = [cells.conditions[place] for place in cells.order_conditions(order_by)]
    return Clusters(trees, tuple(name for name in order if name in trees))


def tree(ccas: Sequence[str], responses: Sequence[str], values: Numbers) -> ClusterTree:
    """Link algorithms by their responses; `values` has shape (algorithm, response)."""
    from scipy.cluster import hierarchy
    from scipy.spatial import distance

    spread = values.std(axis=0, ddof=1)
    varies = spread > ROUNDING * np.abs(values).max(axis=0, initial=0.0)
    used = tuple(name for name, kept in zip(responses, varies, strict=True) if kept)
    if not used:
        return ClusterTree(
            tuple(ccas), hierarchy.linkage(np.zeros(math.comb(len(ccas), 2)), "average"), ()
        )
    apart = distance.pdist(values[:, varies] / spread[varies])
    return ClusterTree(tuple(ccas), hierarchy.linkage(apart, "average"), used)


MOST_GROUPS = 8
#: Groups are distinguished if the silhouette is at least this (a "reasonable structure" to
#: Kaufman, Rousseeuw 1990).
LEAST_SILHOUETTE = 0.5


@dataclass(frozen=True)
class Components(DrawnOnce):
    """Scores with shape (point, component), loadings (component, response), shares of variance.

    `points` are (condition, algorithm). `groups` are those of the points in the plane of the first
    two components; `subgroups` says which half of its group a point is in, if the group is split.
    """

    points: tuple[tuple[str, str], ...]
    ccas: tuple[str, ...]
    responses: tuple[str, ...]
    scores: Numbers
    loadings: Numbers
    shares: Numbers
    groups: NDArray[np.int64]
    subgroups: NDArray[np.int64]

    def figure(self, titles: Mapping[str, str] | None = None) -> Figure:
        """Draw the points in the plane of the first two components, groups encircled."""
        from headgate.figures.plots import similarity as plots

        ccas = [cca for _, cca in self.points]
        names = [(titles or {}).get(name, name) for name in self.responses]
        plane = plots.Plane(ccas, self.ccas, self.scores, self.groups, self.subgroups, self.shares)
        return plots.components(plane, plots.Loadings(names, self.loadings))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record per point: its scores in both components, its group."""
        each = zip(self.points, self.scores, self.groups, self.subgroups, strict=True)
        for (condition, cca), scores, group, half in each:
            yield {
                "condition": condition,
                "cca": cca,
                "component_1": float(scores[0]),
                "component_2": float(scores[1]),
                "group": int(group) + 1,
                "subgroup": int(half) + 1,
            }

    def members(self) -> dict[int, list[tuple[str, str]]]:
        """Return the points of each group."""
        found: dict[int, list[tuple[str, str]]] = {}
        for point, group in zip(self.points, self.groups.tolist(), strict=True):
            found.setdefault(group, []).append(point)
        return found


@refuse_former_keywords
def compute_components(
    table: object,
    responses: Sequence[str] = (),
    condition: str | Sequence[str] = "condition",
    cca: str = "cca",
) -> Components:
    """Find the principal components of algorithms under conditions over all responses.

    Points with a missing response are left out, and so are responses that do not vary. Raises
    AnalysisError if fewer than two of either are left.
    """
    cells = compute_grid(table, responses, condition, cca)
    labels = [(condition, cca) for condition in cells.conditions for cca in cells.ccas]
    rows = cells.values.reshape(len(labels), len(cells.responses))
    known = np.asarray(np.isfinite(rows).all(axis=1))
    points = tuple(label for label, kept in zip(labels, known.tolist(), strict=True) if kept)
    scaled, used = standard(rows[known])
    if len(points) < 2 or used.sum() < 2:
        raise AnalysisError(f"{cells.name}: components need two points and two varying responses")
    scores, loadings, shares = decompose(scaled)
    names = tuple(name for name, kept in zip(cells.responses, used, strict=True) if kept)
    groups = group_points(scores[:, :2])
    halves = _halve_groups(scores[:, :2], groups)
    return Components(points, cells.ccas, names, scores, loadings, shares, groups, halves)


def standard(rows: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
    """Centre and scale the columns that vary; return them, and which they are."""
    if len(rows) < 2:
        return rows[:, :0], np.zeros(rows.shape[1], dtype=bool)
    spread = rows.std(axis=0, ddof=1)
    used = spread > 1e-12 * np.abs(rows).max(axis=0, initial=0.0)
    return (rows[:, used] - rows[:, used].mean(axis=0)) / spread[used], used


def decompose(scaled: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return scores, loadings and shares of variance of centred columns.

    The sign of a component is free: its largest loading is made positive. Empty columns give empty
    arrays.
    """
    if not scaled.size:
        return np.zeros((len(scaled), 0)), np.zeros((0, 0)), np.zeros(0)
    left, size, right = np.linalg.svd(scaled, full_matrices=False)
    largest = np.abs(right).argmax(axis=1)
    signs = np.sign(right[np.arange(len(right)), largest])
    signs[signs == 0] = 1.0
    return left * size * signs, right * signs[:, None], size**2 / (size**2).sum()


def group_points(scores: Numbers, most: int = MOST_GROUPS) -> NDArray[np.int64]:
    """Return the group of each point, from 0 on; all points share one group if none is distinct."""
    from scipy.cluster import hierarchy
    from scipy.spatial import distance

    if len(scores) < 3 or np.ptp(scores) == 0:
        return np.zeros(len(scores), dtype=np.int64)
    apart = distance.pdist(scores)
    linkage, square = hierarchy.linkage(apart, "average"), distance.squareform(apart)
    best, clearest = np.ones(len(scores), dtype=np.int64), LEAST_SILHOUETTE
    for count in range(2, min(most, len(scores) - 1) + 1):
        labels = hierarchy.fcluster(linkage, count, "maxclust")
        clear = silhouette(square, labels)
        if clear > clearest:
            best, clearest = labels, clear
    return np.unique(best, return_inverse=True)[1].astype(np.int64)


def _halve_groups(scores: Numbers, groups: NDArray[np.int64]) -> NDArray[np.int64]:
    halves = np.zeros(len(scores), dtype=np.int64)
    for group in np.unique(groups):
        own = groups == group
        halves[own] = group_points(scores[own], most=2)
    return halves


def silhouette(apart: Numbers, labels: NDArray[np.int64]) -> float:
    """Return the mean silhouette of a grouping; a point alone counts 0. `apart` is square."""
    names = np.unique(labels)
    if len(names) < 2:
        return 0.0
    of = np.array([labels == name for name in names])
    sums = apart @ of.T
    sizes = of.sum(axis=1)
    own = of.argmax(axis=0)
    rows = np.arange(len(labels))
    within = sums[rows, own] / np.maximum(sizes[own] - 1, 1)
    means = sums / sizes
    means[rows, own] = np.inf
    nearest = means.min(axis=1)
    larger = np.maximum(within, nearest)
    clear = (nearest - within) / np.where(larger > 0, larger, 1.0)
    return float(np.where(sizes[own] > 1, clear, 0.0).mean())
