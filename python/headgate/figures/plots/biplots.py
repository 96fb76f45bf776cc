"""Biplots: a law's flows against TCP's, one panel a law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from headgate.base.catalog import label
from headgate.figures.plots.palette import GREY
from headgate.figures.plots.style import colours, make_axes, marks, use_style

ACROSS = 4


@dataclass(frozen=True)
class Points:
    """A law's flows and TCP's beside them, a point a condition; the note stands above them."""

    own: np.ndarray
    other: np.ndarray
    note: str


def biplots(panels: Mapping[str, Points], axes_titles: tuple[str, str], unit: float) -> Figure:
    """Draw a point a condition, with the line where both are equal; all panels have one scale."""
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    colour, mark = colours(panels), marks(panels)
    most = max(max(p.own.max(initial=0), p.other.max(initial=0)) for p in panels.values())
    most = most or unit
    with use_style():
        size_in = (max(2.6 * across, 4.5) + 0.3, 2.7 * down + 0.4)
        figure, axes = make_axes(down, across, size_in, sharex=True, sharey=True)
        for ax, (law, panel) in zip(axes, panels.items(), strict=False):
            _panel(ax, panel, unit, colour[law], mark[law])
            ax.set_title(f"{label(law)}\n{panel.note}", fontsize=9)
            ax.set(xlim=(0, 1.05 * most / unit), ylim=(0, 1.05 * most / unit), aspect="equal")
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        figure.supxlabel(axes_titles[0])
        figure.supylabel(axes_titles[1])
        return figure


def _panel(ax: Axes, panel: Points, unit: float, colour: str, mark: str) -> None:
    ax.axline((0, 0), slope=1, color=GREY, linewidth=0.8, linestyle="--")
    ax.plot(
        panel.own / unit, panel.other / unit, linestyle="", marker=mark, color=colour,
        markeredgecolor="white", markeredgewidth=0.4,
    )  # fmt: skip
