"""Dendrograms, one for each condition, on one sheet."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.cluster import hierarchy

from headgate.plots.palette import GREY, ORDER
from headgate.plots.style import styled, subplots

if TYPE_CHECKING:
    from headgate.analysis.clusters import Tree

ACROSS = 8
CELL_IN = (1.65, 2.0)
#: Letters of a condition's name in a line above its tree.
TITLE = 14


def dendrograms(trees: Mapping[str, Tree], titles: Mapping[str, str]) -> Figure:
    """Draw a tree a condition, in the order given; groups below 70 % of the greatest linkage."""
    across = min(ACROSS, len(trees))
    down = -(-len(trees) // across)
    with styled():
        size_in = (max(CELL_IN[0] * across, 4.0) + 0.4, CELL_IN[1] * down + 0.5)
        figure, axes = subplots(down, across, size_in, sharey=True)
        for ax, (name, tree) in zip(axes, trees.items(), strict=False):
            _tree(ax, tree, titles.get(name, name))
        for ax in axes[len(trees) :]:
            ax.set_visible(False)
        most = max(tree.greatest for tree in trees.values())
        axes[0].set_ylim(0, 1.08 * most if most > 0 else 1.0)
        figure.supylabel("distance (standard deviations)")
        return figure


def _tree(ax: Axes, tree: Tree, title: str) -> None:
    from headgate.analysis.clusters import GROUP

    with mpl.rc_context({"lines.linewidth": 1.4}):
        hierarchy.set_link_color_palette(list(ORDER))
        hierarchy.dendrogram(
            tree.linkage,
            labels=list(tree.laws),
            color_threshold=GROUP * tree.greatest,
            above_threshold_color=GREY,
            leaf_rotation=90,
            leaf_font_size=7.5,
            ax=ax,
        )
        hierarchy.set_link_color_palette(None)
    ax.axhline(GROUP * tree.greatest, color=GREY, linestyle=":", linewidth=0.8)
    ax.grid(axis="x", visible=False)
    ax.set_title(fill(title, TITLE), fontsize=8)
