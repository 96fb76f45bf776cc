"""Principal components: many responses seen in the two directions in which they vary most.

Points are laws under conditions (or runs), each response divided by its standard deviation. Groups
of points are found, not drawn by hand: average linkage of the scores, cut where the mean silhouette
(Rousseeuw 1987) is greatest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError
from headgate.figures.analysis.grid import Grid, compute_grid
from headgate.figures.notebook import DrawnOnce

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Numbers = NDArray[np.float64]

MOST_GROUPS = 8
#: Groups are distinguished where the silhouette is at least this (a "reasonable structure" to
#: Kaufman, Rousseeuw 1990).
LEAST_SILHOUETTE = 0.5


@dataclass(frozen=True)
class Components(DrawnOnce):
    """Scores with shape (point, component), loadings (component, response), shares of variance.

    `points` are (condition, law). `groups` are those of the points in the plane of the first two
    components; `subgroups` says which half of its group a point is in, where there are halves.
    """

    points: tuple[tuple[str, str], ...]
    laws: tuple[str, ...]
    responses: tuple[str, ...]
    scores: Numbers
    loadings: Numbers
    shares: Numbers
    groups: NDArray[np.int64]
    subgroups: NDArray[np.int64]

    def figure(self, titles: Mapping[str, str] | None = None) -> Figure:
        """Draw the points in the plane of the first two components, groups encircled."""
        from headgate.figures.plots import components as plots

        laws = [law for _, law in self.points]
        names = [(titles or {}).get(name, name) for name in self.responses]
        plane = plots.Plane(laws, self.laws, self.scores, self.groups, self.subgroups, self.shares)
        return plots.components(plane, plots.Loadings(names, self.loadings))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record a point: its scores in both components, its group."""
        each = zip(self.points, self.scores, self.groups, self.subgroups, strict=True)
        for (condition, law), scores, group, half in each:
            yield {
                "condition": condition,
                "law": law,
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


def compute_components(
    table: object,
    responses: Sequence[str],
    condition: str | Sequence[str] = "condition",
    law: str = "law",
) -> Components:
    """Find the principal components of laws under conditions over all responses.

    Points with a missing response are left out, and so are responses that do not vary. Raises
    AnalysisError where fewer than two of either are left.
    """
    return of_grid(compute_grid(table, responses, condition, law))


def of_grid(cells: Grid) -> Components:
    """Find the principal components of the cells of a grid."""
    labels = [(condition, law) for condition in cells.conditions for law in cells.laws]
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
    return Components(points, cells.laws, names, scores, loadings, shares, groups, halves)


def standard(rows: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
    """Centre and scale the columns that vary; return them, and which they are."""
    if len(rows) < 2:
        return rows[:, :0], np.zeros(rows.shape[1], dtype=bool)
    spread = rows.std(axis=0, ddof=1)
    used = spread > 1e-12 * np.abs(rows).max(axis=0, initial=0.0)
    return (rows[:, used] - rows[:, used].mean(axis=0)) / spread[used], used


def decompose(scaled: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return scores, loadings and shares of variance of centred columns.

    The sign of a component is free: its largest loading is made positive. There is none of nothing.
    """
    if not scaled.size:
        return np.zeros((len(scaled), 0)), np.zeros((0, 0)), np.zeros(0)
    left, size, right = np.linalg.svd(scaled, full_matrices=False)
    largest = np.abs(right).argmax(axis=1)
    signs = np.sign(right[np.arange(len(right)), largest])
    signs[signs == 0] = 1.0
    return left * size * signs, right * signs[:, None], size**2 / (size**2).sum()


def group_points(scores: Numbers, most: int = MOST_GROUPS) -> NDArray[np.int64]:
    """Return the group of each point, from 0 on; all are in one where none are distinct."""
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
    """Split each group in two where its halves are distinct."""
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
