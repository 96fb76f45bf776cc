"""Correlations of responses: the matrix, how strong they are, and who goes with whom."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from headgate.figures.plots.palette import GREY, NOTHING, SIGNED, ink_on_signed
from headgate.figures.plots.style import draw_tiles, make_axes, use_style

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
    """Return where the runs lie in the cell of a pair, below the diagonal: the first across."""
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
    """Draw how many pairs have which |r|; those that are kept are highlighted."""
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
        said = (("#D55E00", "in one dimension"), ("#56B4E9", "kept, between dimensions"))
        handles = [Patch(color=colour, label=text) for colour, text in said]
        figure.legend(handles=handles, loc="outside lower center", ncols=2)
        return figure
