"""Dendrograms, one for each condition, on one sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from headgate.figures.plots.palette import GREY, ORDER
from headgate.figures.plots.style import make_axes, use_style

ACROSS = 8
CELL_IN = (1.65, 2.0)
#: Letters of a condition's name in a line above its tree, and of a line below all, for an inch.
TITLE, LETTERS = 14, 14


@dataclass(frozen=True)
class Tree:
    """Laws and SciPy's linkage of them; what is linked below `cut` is a group."""

    title: str
    laws: Sequence[str]
    linkage: np.ndarray
    cut: float

    @property
    def height(self) -> float:
        """The greatest linkage."""
        return float(self.linkage[-1, 2]) if len(self.linkage) else 0.0


def dendrograms(trees: Sequence[Tree], marks: Sequence[str] = ()) -> Figure:
    """Draw the trees in order, on one sheet; `marks` says what those of a title mean, in order."""
    across = min(ACROSS, len(trees))
    down = -(-len(trees) // across)
    with use_style():
        size_in = (max(CELL_IN[0] * across, 4.0) + 0.4, CELL_IN[1] * down + 0.5)
        figure, axes = make_axes(down, across, size_in, sharey=True)
        for ax, tree in zip(axes, trees, strict=False):
            _tree(ax, tree)
        for ax in axes[len(trees) :]:
            ax.set_visible(False)
        most = max(tree.height for tree in trees)
        axes[0].set_ylim(0, 1.08 * most if most > 0 else 1.0)
        figure.supylabel("distance (standard deviations)")
        if marks:
            unbroken = [mark.replace(" ", "\N{NO-BREAK SPACE}") for mark in marks]
            said = "     ".join(["Marks, from the left:", *unbroken])
            figure.supxlabel(fill(said, round(LETTERS * size_in[0])), fontsize=8.5)
        return figure


def _tree(ax: Axes, tree: Tree) -> None:
    from scipy.cluster import hierarchy

    with mpl.rc_context({"lines.linewidth": 1.4}):
        hierarchy.set_link_color_palette(list(ORDER))
        hierarchy.dendrogram(
            tree.linkage,
            labels=list(tree.laws),
            color_threshold=tree.cut,
            above_threshold_color=GREY,
            leaf_rotation=90,
            leaf_font_size=7.5,
            ax=ax,
        )
        hierarchy.set_link_color_palette(None)
    ax.axhline(tree.cut, color=GREY, linestyle=":", linewidth=0.8)
    ax.grid(axis="x", visible=False)
    ax.set_title(fill(tree.title, TITLE), fontsize=8)
