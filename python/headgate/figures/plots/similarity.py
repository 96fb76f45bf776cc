"""Similarity: principal components, dendrograms of algorithms, correlations of responses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from textwrap import fill

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Polygon
from matplotlib.ticker import MaxNLocator

from headgate.figures.plots.palette import NOTHING, ORDER, SIGNED, ink_on_signed
from headgate.figures.plots.style import (
    cca_handles,
    colours,
    draw_tiles,
    make_axes,
    marks,
    use_style,
)
from headgate.figures.spec.looks import GREY

#: A group is drawn this much larger than its hull.
ROOM = 1.15


@dataclass(frozen=True)
class Plane:
    """Scores of points with shape (point, component): the algorithm, group and half of each.

    `order` is the order of the algorithms and of their colours.
    """

    ccas: Sequence[str]
    order: Sequence[str]
    scores: np.ndarray
    groups: np.ndarray
    halves: np.ndarray
    shares: np.ndarray


@dataclass(frozen=True)
class Loadings:
    """Loadings with shape (component, name)."""

    names: Sequence[str]
    values: np.ndarray


def components(plane: Plane, loadings: Loadings) -> Figure:
    """Draw the scores of the first two components, and beside them the loadings."""
    ccas = list(plane.order)
    with use_style():
        figure, axes = make_axes(1, 2, (11.5, 5.0), width_ratios=(2, 1))
        _points(axes[0], plane, ccas)
        _loadings(axes[1], loadings)
        figure.legend(handles=cca_handles(ccas), loc="outside lower left", ncols=len(ccas))
        return figure


def _points(ax: Axes, plane: Plane, ccas: list[str]) -> None:
    colour, mark = colours(ccas), marks(ccas)
    scores = plane.scores[:, :2]
    for group in np.unique(plane.groups):
        own = plane.groups == group
        _circle(ax, scores[own])
        _border(ax, scores[own], plane.halves[own])
    for cca in ccas:
        own = scores[[name == cca for name in plane.ccas]]
        ax.plot(
            own[:, 0], own[:, 1], linestyle="", marker=mark[cca], color=colour[cca],
            markeredgecolor="white", markeredgewidth=0.5, alpha=0.9,
        )  # fmt: skip
    first, second = 100 * plane.shares[:2]
    ax.set(xlabel=f"component 1 ({first:.0f} % of the variance)")
    ax.set(ylabel=f"component 2 ({second:.0f} %)")
    ax.set_title("algorithms under conditions")


def _circle(ax: Axes, points: np.ndarray) -> None:
    """Draw the hull of a group, slightly enlarged; nothing for points on a line."""
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 3:
        return
    try:
        hull = points[ConvexHull(points).vertices]
    except QhullError:
        return
    middle = hull.mean(axis=0)
    ax.add_patch(
        Polygon(
            middle + ROOM * (hull - middle), closed=True, fill=False, edgecolor=GREY,
            linewidth=0.9, linestyle="--",
        )
    )  # fmt: skip


def _border(ax: Axes, points: np.ndarray, halves: np.ndarray) -> None:
    if not halves.any():
        return
    one, other = points[halves == 0].mean(axis=0), points[halves == 1].mean(axis=0)
    along = np.array([one[1] - other[1], other[0] - one[0]]) / np.hypot(*(other - one))
    middle = (one + other) / 2
    reach = (points - middle) @ along
    ends = np.array([middle + reach.min() * along, middle + reach.max() * along])
    ax.plot(ends[:, 0], ends[:, 1], color=GREY, linestyle=":", linewidth=1.0)


def _loadings(ax: Axes, loadings: Loadings) -> None:
    """Draw the responses with the largest loadings in either component."""
    weight = np.hypot(loadings.values[0], loadings.values[1])
    shown = np.argsort(weight)[::-1][:20][::-1]
    places = np.arange(len(shown))
    for component, mark in ((0, "o"), (1, "s")):
        ax.plot(
            loadings.values[component, shown], places, linestyle="", marker=mark,
            color=("#0072B2", "#E69F00")[component], label=f"component {component + 1}",
        )  # fmt: skip
    ax.axvline(0, color=GREY, linewidth=0.8)
    names = [loadings.names[one] for one in shown]
    ax.set_yticks(places, names, fontsize=8)
    ax.set_xlabel("loading")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=2)


ACROSS = 8
TREE_IN = (1.65, 2.0)
#: Letters of a condition's name in a line above its tree, and of a line below all, for an inch.
TITLE_LETTERS, LETTERS_PER_IN = 14, 14


@dataclass(frozen=True)
class Tree:
    """Algorithms and SciPy's linkage of them; algorithms linked below `cut` are a group."""

    title: str
    ccas: Sequence[str]
    linkage: np.ndarray
    cut: float

    @property
    def height(self) -> float:
        """The greatest linkage."""
        return float(self.linkage[-1, 2]) if len(self.linkage) else 0.0


def dendrograms(trees: Sequence[Tree], marks: Sequence[str] = ()) -> Figure:
    """Draw the trees in order, on one sheet; `marks` explains the marks of a title, in order."""
    across = min(ACROSS, len(trees))
    down = -(-len(trees) // across)
    with use_style():
        size_in = (max(TREE_IN[0] * across, 4.0) + 0.4, TREE_IN[1] * down + 0.5)
        figure, axes = make_axes(down, across, size_in, sharey=True, count=len(trees))
        for ax, tree in zip(axes, trees, strict=False):
            _tree(ax, tree)
        most = max(tree.height for tree in trees)
        axes[0].set_ylim(0, 1.08 * most if most > 0 else 1.0)
        figure.supylabel("distance (standard deviations)")
        if marks:
            unbroken = [mark.replace(" ", "\N{NO-BREAK SPACE}") for mark in marks]
            said = "     ".join(["Marks, from the left:", *unbroken])
            figure.supxlabel(fill(said, round(LETTERS_PER_IN * size_in[0])), fontsize=8.5)
        return figure


def _tree(ax: Axes, tree: Tree) -> None:
    from scipy.cluster import hierarchy

    with mpl.rc_context({"lines.linewidth": 1.4}):
        hierarchy.set_link_color_palette(list(ORDER))
        hierarchy.dendrogram(
            tree.linkage,
            labels=list(tree.ccas),
            color_threshold=tree.cut,
            above_threshold_color=GREY,
            leaf_rotation=90,
            leaf_font_size=7.5,
            ax=ax,
        )
        hierarchy.set_link_color_palette(None)
    ax.axhline(tree.cut, color=GREY, linestyle=":", linewidth=0.8)
    ax.grid(axis="x", visible=False)
    ax.set_title(fill(tree.title, TITLE_LETTERS), fontsize=8)


BINS = 20
#: More runs than these are not all drawn.
DOTS = 300
#: Of more responses than these no number is written, for want of room: the table has them.
NUMBERED = 50
#: Width of a bold letter over its size: a name stays within its cell.
WIDE = 0.7


def matrix(names: Sequence[str], r: np.ndarray, values: np.ndarray) -> Figure:
    """Draw scatter plots below the diagonal and r x 100 above it, names of columns on it."""
    count = len(names)
    size_in = max(5.0, (0.55 if count <= NUMBERED else 0.3) * count)
    step = -(-len(values) // DOTS)
    with use_style():
        figure, axes = make_axes(1, 1, (size_in, size_in + 0.4))
        ax = axes[0]
        for place, name in enumerate(names):
            ax.text(place + 0.5, place + 0.5, name, ha="center", va="center",
                    fontsize=min(7.5, 72 * size_in / count / (WIDE * len(name))),
                    weight="bold")  # fmt: skip
        pairs = list(combinations(range(count), 2))
        draw_tiles(ax, _faces(r))
        dots = [_scatter(values[::step], *pair) for pair in pairs]
        x, y = np.concatenate(dots, axis=1)
        ax.plot(x, y, linestyle="", marker=".", markersize=1.2, color=GREY, rasterized=True)
        for pair in pairs if count <= NUMBERED else ():
            _number(ax, float(r[pair]), *pair)
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_aspect("equal")
        shades = ScalarMappable(Normalize(-100, 100), SIGNED.map)
        bar = figure.colorbar(shades, ax=ax, location="bottom", shrink=0.5, aspect=40, pad=0.01)
        bar.set_label("r x 100")
        return figure


def _faces(r: np.ndarray) -> np.ndarray:
    """Colour the cells above the diagonal by r; the others are pale."""
    faces = np.tile(to_rgba(NOTHING), (*r.shape, 1))
    for pair in combinations(range(len(r)), 2):
        if np.isfinite(r[pair]):
            faces[pair] = SIGNED.colour(float(r[pair]))
    return faces


def _scatter(values: np.ndarray, row: int, column: int) -> np.ndarray:
    """Return the positions of the runs within the cell of a pair, below the diagonal."""
    x, y = _unit(values[:, row]), _unit(values[:, column])
    return np.array([row + 0.1 + 0.8 * x, column + 0.9 - 0.8 * y])


def _unit(values: np.ndarray) -> np.ndarray:
    low, high = np.nanmin(values, initial=np.inf), np.nanmax(values, initial=-np.inf)
    return (values - low) / (high - low) if high > low else np.full(len(values), 0.5)


def _number(ax: Axes, r: float, row: int, column: int) -> None:
    if np.isfinite(r):
        ax.text(column + 0.5, row + 0.5, f"{100 * r:z.0f}", ha="center", va="center", fontsize=7.5,
                color=ink_on_signed(r))  # fmt: skip


def histogram(r: np.ndarray, threshold: float) -> Figure:
    """Draw the histogram of |r|; kept pairs are highlighted."""
    upper = np.abs(r[np.triu_indices(len(r), 1)])
    counts, edges = np.histogram(upper[np.isfinite(upper)], bins=BINS, range=(0, 1))
    with use_style():
        figure, axes = make_axes(1, 1, (6.5, 3.6))
        kept = edges[:-1] >= threshold - 1e-9
        colour = np.where(kept, "#D55E00", "#BBBBBB")
        axes[0].bar(
            edges[:-1], counts, width=1 / BINS, align="edge", color=colour, edgecolor="white"
        )
        axes[0].axvline(threshold, color=GREY, linestyle="--", linewidth=0.9)
        axes[0].set(xlabel="|r| of a pair of responses", ylabel="pairs", xlim=(0, 1))
        axes[0].yaxis.set_major_locator(MaxNLocator(integer=True))
        return figure


def index_index(names: Sequence[str], kept: np.ndarray, groups: Sequence[int]) -> Figure:
    """Draw a mark for each kept pair of responses, in another colour within a group."""
    size_in = max(4.5, 0.24 * len(names) + 1.6)
    with use_style():
        figure, axes = make_axes(1, 1, (size_in, size_in))
        ax = axes[0]
        for row, column in zip(*np.nonzero(kept), strict=True):
            same = groups[row] == groups[column]
            ax.plot(column, row, marker="s", linestyle="", color="#D55E00" if same else "#56B4E9")
        ax.set_xticks(range(len(names)), names, rotation=90, fontsize=8)
        ax.set_yticks(range(len(names)), names, fontsize=8)
        ax.set_xlim(-0.6, len(names) - 0.4)
        ax.set_ylim(-0.6, len(names) - 0.4)
        ax.set_aspect("equal")
        if not kept.any():
            ax.text(0.5, 0.5, "no pair is kept", transform=ax.transAxes, ha="center", va="center",
                    color=GREY)  # fmt: skip
            return figure
        said = (("#D55E00", "in one dimension"), ("#56B4E9", "kept, between dimensions"))
        handles = [Patch(color=colour, label=text) for colour, text in said]
        figure.legend(handles=handles, loc="outside lower center", ncols=2)
        return figure
