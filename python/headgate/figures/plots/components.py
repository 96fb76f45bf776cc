"""Principal components: points in a plane, groups encircled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from headgate.base.catalog import label
from headgate.figures.plots.palette import GREY
from headgate.figures.plots.style import colours, make_axes, marks, use_style

#: A group is drawn this much larger than its hull.
ROOM = 1.15


@dataclass(frozen=True)
class Plane:
    """Scores of points with shape (point, component): the law, group and half of each.

    `order` is that of the laws, by which they have their colours.
    """

    laws: Sequence[str]
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
    """Draw the scores of the first two components, and beside them what these are made of."""
    laws = list(plane.order)
    with use_style():
        figure, axes = make_axes(1, 2, (11.5, 5.0), width_ratios=(2, 1))
        _points(axes[0], plane, laws)
        _loadings(axes[1], loadings)
        colour, mark = colours(laws), marks(laws)
        handles = [
            Line2D([], [], linestyle="", marker=mark[law], color=colour[law], label=label(law))
            for law in laws
        ]
        figure.legend(handles=handles, loc="outside lower left", ncols=len(laws))
        return figure


def _points(ax: Axes, plane: Plane, laws: list[str]) -> None:
    colour, mark = colours(laws), marks(laws)
    scores = plane.scores[:, :2]
    for group in np.unique(plane.groups):
        own = plane.groups == group
        _circle(ax, scores[own])
        _border(ax, scores[own], plane.halves[own])
    for law in laws:
        own = scores[[name == law for name in plane.laws]]
        ax.plot(
            own[:, 0], own[:, 1], linestyle="", marker=mark[law], color=colour[law],
            markeredgecolor="white", markeredgewidth=0.5, alpha=0.9,
        )  # fmt: skip
    first, second = 100 * plane.shares[:2]
    ax.set(xlabel=f"component 1 ({first:.0f} % of the variance)")
    ax.set(ylabel=f"component 2 ({second:.0f} %)")
    ax.set_title("laws under conditions")


def _circle(ax: Axes, points: np.ndarray) -> None:
    """Draw the hull of a group, a little larger; nothing for points on a line."""
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
    """Draw the line between the halves of a group, as far as the group reaches."""
    if not halves.any():
        return
    one, other = points[halves == 0].mean(axis=0), points[halves == 1].mean(axis=0)
    along = np.array([one[1] - other[1], other[0] - one[0]]) / np.hypot(*(other - one))
    middle = (one + other) / 2
    reach = (points - middle) @ along
    ends = np.array([middle + reach.min() * along, middle + reach.max() * along])
    ax.plot(ends[:, 0], ends[:, 1], color=GREY, linestyle=":", linewidth=1.0)


def _loadings(ax: Axes, loadings: Loadings) -> None:
    """Draw the loadings of the responses that matter most in either component."""
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
