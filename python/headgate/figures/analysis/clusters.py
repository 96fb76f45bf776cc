"""Clusters: which laws behave alike under each condition.

Laws are points in the space of all responses, each divided by its standard deviation over the laws
of the condition; their distance is Euclid's, clusters are linked by the average over all pairs, and
what is linked below 70 % of the greatest linkage is a group (Mills, Filliben, Cho, Schwartz 2011,
slide 2). Only laws under the same condition are compared. A response that does not vary there says
nothing and is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError
from headgate.figures.analysis.grid import Grid, compute_grid
from headgate.figures.analysis.phrases import AS_IN_TABLE, ConditionNames
from headgate.figures.notebook import DrawnOnce

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Numbers = NDArray[np.float64]

#: Part of the greatest linkage below which linked laws are a group.
GROUP = 0.7
#: A response whose spread is below this part of its mean is constant but for rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class ClusterTree:
    """The linkage of the laws of one condition.

    `linkage` is SciPy's: a row for each link with both parts, the distance and the size. `used` are
    the responses that vary. Laws that nothing tells apart have no distance.
    """

    laws: tuple[str, ...]
    linkage: Numbers
    used: tuple[str, ...]

    @property
    def greatest(self) -> float:
        """The greatest linkage: how far apart the laws are, in standard deviations."""
        return float(self.linkage[-1, 2]) if len(self.linkage) else 0.0

    def groups(self, part: float = GROUP) -> tuple[tuple[str, ...], ...]:
        """Return the groups that are linked below this part of the greatest linkage."""
        from scipy.cluster import hierarchy

        if self.greatest == 0.0:
            return (self.laws,)
        labels = hierarchy.fcluster(self.linkage, part * self.greatest * (1 - 1e-12), "distance")
        return tuple(
            tuple(law for law, own in zip(self.laws, labels, strict=True) if own == label)
            for label in dict.fromkeys(labels.tolist())
        )

    @property
    def apart(self) -> str | None:
        """The law that is linked last and alone, if there is one."""
        if self.greatest == 0.0:
            return None
        alone = [int(node) for node in self.linkage[-1, :2] if node < len(self.laws)]
        return self.laws[alone[0]] if len(alone) == 1 else None


@dataclass(frozen=True)
class Clusters(DrawnOnce):
    """A tree for each condition in which two laws or more have numbers, of those laws."""

    trees: Mapping[str, ClusterTree]
    order: tuple[str, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record a condition: who is grouped with whom, and how far apart."""
        for name in self.order:
            tree = self.trees[name]
            yield {
                "condition": name,
                "greatest": tree.greatest,
                "apart": tree.apart or "",
                "groups": " | ".join(", ".join(group) for group in tree.groups()),
            }

    def figure(self, names: ConditionNames = AS_IN_TABLE) -> Figure:
        """Draw all dendrograms on one sheet, in order; `names` says what conditions are."""
        from headgate.figures.plots.dendrograms import Tree as Drawn
        from headgate.figures.plots.dendrograms import dendrograms

        axis = names.make_axis(self.order)
        drawn = [
            Drawn(" ".join(title.split("\n")), tree.laws, tree.linkage, GROUP * tree.greatest)
            for title, tree in zip(axis.names, map(self.trees.__getitem__, self.order), strict=True)
        ]
        return dendrograms(drawn, axis.rows)


def compute_clusters(
    table: object,
    responses: Sequence[str],
    condition: str | Sequence[str] = "condition",
    law: str = "law",
    order_by: str | None = None,
) -> Clusters:
    """Link the laws of every condition by all responses; `order_by` is a measure of congestion.

    Rows of one condition and law are replicates, of which the mean is taken. A law without any
    number under a condition is left out there; one that lacks a response leaves the response out.
    Raises AnalysisError.
    """
    return of_grid(compute_grid(table, responses, condition, law), order_by)


def of_grid(cells: Grid, order_by: str | None = None) -> Clusters:
    """Link the laws of every condition of a grid."""
    if len(cells.laws) < 2:
        raise AnalysisError(f"{cells.name}: two laws at least are compared; it has {cells.laws[0]}")
    trees = {}
    for values, name in zip(cells.values, cells.conditions, strict=True):
        known = np.isfinite(values).any(axis=1)
        if known.sum() > 1:
            laws = [law for law, kept in zip(cells.laws, known.tolist(), strict=True) if kept]
            trees[name] = tree(laws, cells.responses, values[known])
    if not trees:
        raise AnalysisError(f"{cells.name}: no condition has numbers of two laws")
    order = [cells.conditions[place] for place in cells.order_conditions(order_by)]
    return Clusters(trees, tuple(name for name in order if name in trees))


def tree(laws: Sequence[str], responses: Sequence[str], values: Numbers) -> ClusterTree:
    """Link laws by their responses; `values` has shape (law, response)."""
    from scipy.cluster import hierarchy
    from scipy.spatial import distance

    spread = values.std(axis=0, ddof=1)
    varies = spread > ROUNDING * np.abs(values).max(axis=0, initial=0.0)
    used = tuple(name for name, kept in zip(responses, varies, strict=True) if kept)
    if not used:
        return ClusterTree(
            tuple(laws), hierarchy.linkage(np.zeros(_pairs(len(laws))), "average"), ()
        )
    apart = distance.pdist(values[:, varies] / spread[varies])
    return ClusterTree(tuple(laws), hierarchy.linkage(apart, "average"), used)


def _pairs(count: int) -> int:
    return count * (count - 1) // 2
