"""Response reduction: which responses say the same, and how many behaviours there are.

Pearson's r between all pairs of responses over all runs; pairs with |r| > 0.65 are kept; responses
that are all kept with each other are one dimension of behaviour (Mills, Filliben, Cho, Schwartz
2011). Principal components of the responses are the second method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError
from headgate.figures.analysis.clusters import decompose, standard
from headgate.figures.analysis.frame import Frame
from headgate.figures.notebook import InNotebook

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Numbers = NDArray[np.float64]

THRESHOLD = 0.65
#: A response whose spread is below this part of its largest value is constant but for rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Correlations(InNotebook):
    """r between responses; NaN with one that does not vary. `values` has shape (run, response)."""

    responses: tuple[str, ...]
    r: Numbers
    threshold: float
    values: Numbers

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Pairs above the threshold; no response is its own partner."""
        above = np.abs(np.nan_to_num(self.r)) > self.threshold
        np.fill_diagonal(above, val=False)
        return above

    @property
    def partners(self) -> dict[str, int]:
        """How many partners each response has."""
        return dict(zip(self.responses, self.kept.sum(axis=1).tolist(), strict=True))

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Responses by increasing number of partners, those of one dimension together."""
        group = {name: place for place, names in enumerate(self.dimensions) for name in names}
        return tuple(sorted(self.responses, key=lambda n: (self.partners[n], group[n])))

    @cached_property
    def dimensions(self) -> tuple[tuple[str, ...], ...]:
        """Mutual clusters: every member is kept with every other, and each response is in one.

        The largest comes first; if several fit, the one with the greatest sum of |r|. A response
        without partners is a separate dimension.
        """
        left, found = list(self.responses), []
        strength = np.abs(np.nan_to_num(self.r))
        while left:
            largest = max(_cliques(self.responses, self.kept, left), key=_by_size(strength))
            found.append(tuple(self.responses[place] for place in sorted(largest)))
            left = [name for name in left if name not in found[-1]]
        return tuple(found)

    @cached_property
    def components(self) -> tuple[Numbers, Numbers]:
        """Loadings (component, response) and shares of variance of the responses that vary."""
        known = np.isfinite(self.values).all(axis=1)
        scaled, _ = standard(self.values[known])
        _, loadings, shares = decompose(scaled)
        return loadings, shares

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record per pair of responses."""
        group = {name: place for place, names in enumerate(self.dimensions) for name in names}
        for a, b in combinations(range(len(self.responses)), 2):
            one, other = self.responses[a], self.responses[b]
            yield {
                "response": one,
                "other": other,
                "r": float(self.r[a, b]),
                "kept": bool(self.kept[a, b]),
                "dimension": group[one] + 1 if group[one] == group[other] else 0,
            }

    def figures(self, titles: Mapping[str, str] | None = None) -> dict[str, Figure]:
        """Draw the matrix, the histogram of |r|, and the index-index plot."""
        from headgate.figures.plots import similarity as plots

        return {
            "correlations": plots.matrix(self.responses, self.r, self.values),
            "correlations-histogram": plots.histogram(self.r, self.threshold),
            "correlations-clusters": self.index_index(titles or {}),
        }

    def index_index(self, titles: Mapping[str, str]) -> Figure:
        """Draw the kept pairs alone, responses by number of partners."""
        from headgate.figures.plots.similarity import index_index

        places = [self.responses.index(name) for name in self.order]
        group = {name: place for place, names in enumerate(self.dimensions) for name in names}
        names = [titles.get(name, name) for name in self.order]
        kept = self.kept[np.ix_(places, places)]
        return index_index(names, kept, [group[name] for name in self.order])


def compute_correlations(
    table: object, responses: Sequence[str], threshold: float = THRESHOLD
) -> Correlations:
    """Correlate all pairs of responses over the runs in which both are known.

    Raises AnalysisError.
    """
    if not 0 <= threshold < 1:
        raise AnalysisError(f"threshold: is a number from 0 to below 1; got {threshold!r}")
    frame = Frame.of(table)
    if len(responses) < 2:
        raise AnalysisError(f"{frame.name}: name two responses at least")
    frame.require(*responses)
    values = np.column_stack([frame.numbers(name) for name in responses])
    return Correlations(tuple(responses), _pearson(values), threshold, values)


def _pearson(values: Numbers) -> Numbers:
    """Return r of all pairs of columns, each over the rows in which both are known."""
    count = values.shape[1]
    r = np.full((count, count), np.nan)
    for one in range(count):
        for other in range(one, count):
            r[one, other] = r[other, one] = _r(values[:, one], values[:, other])
    return r


def _r(one: Numbers, other: Numbers) -> float:
    known = np.isfinite(one) & np.isfinite(other)
    a, b = _direction(one[known]), _direction(other[known])
    return float("nan") if a is None or b is None else float(np.clip(a @ b, -1, 1))


def _direction(values: Numbers) -> Numbers | None:
    """Return centred values of length one; None if they differ only by rounding."""
    if not len(values):
        return None
    apart = values - values.mean()
    length = float(np.sqrt(apart @ apart))
    rounding = ROUNDING * float(np.abs(values).max()) * np.sqrt(len(values))
    return apart / length if length > rounding else None


def _cliques(
    responses: Sequence[str], kept: NDArray[np.bool_], left: Sequence[str]
) -> list[list[int]]:
    import networkx as nx

    places = [responses.index(name) for name in left]
    graph = nx.Graph()
    graph.add_nodes_from(places)
    graph.add_edges_from((a, b) for a in places for b in places if a < b and kept[a, b])
    return [list(clique) for clique in nx.find_cliques(graph)]


def _by_size(strength: Numbers) -> Callable[[list[int]], tuple[int, float, tuple[int, ...]]]:
    """Return the key that ranks cliques: size, strength, then order of the table."""

    def key(clique: list[int]) -> tuple[int, float, tuple[int, ...]]:
        within = float(strength[np.ix_(clique, clique)].sum())
        return len(clique), round(within, 9), tuple(-place for place in sorted(clique))

    return key
