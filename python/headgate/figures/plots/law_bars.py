"""Bars of laws: shares of what is available, one panel a condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from headgate.base.catalog import label
from headgate.figures.plots.palette import GREY
from headgate.figures.plots.style import colours, make_axes, use_style

ACROSS = 4


@dataclass(frozen=True)
class Panel:
    """Shares under one condition, with shape (law, part): the law's own flows, then TCP's."""

    title: str
    shares: np.ndarray
    spread: np.ndarray


def law_bars(laws: Sequence[str], panels: Sequence[Panel]) -> Figure:
    """Draw the law's own flows on the left, the TCP flows beside them hatched on the right."""
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    with use_style():
        size_in = (max(2.9 * across, 5.0), 1.9 * down + 0.6)
        figure, axes = make_axes(down, across, size_in, sharex=True, sharey=True)
        for ax, panel in zip(axes, panels, strict=False):
            _panel(ax, panel, laws)
            ax.set_title(panel.title, fontsize=8.5)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        figure.supylabel("share of what is available")
        colour = colours(laws)
        handles = [Patch(color=colour[law], label=label(law)) for law in laws]
        hatched = Patch(facecolor="white", edgecolor=GREY, hatch="////", label="TCP beside it")
        figure.legend(handles=[*handles, hatched], loc="outside lower center", ncols=5)
        return figure


def _panel(ax: Axes, panel: Panel, laws: Sequence[str]) -> None:
    colour = colours(laws)
    places = np.arange(len(laws))
    tint = [colour[law] for law in laws]
    for part, (hatch, shift) in enumerate((("", 0), ("////", len(laws) + 1))):
        known = np.nan_to_num(panel.spread[:, part])
        ax.bar(
            places + shift, panel.shares[:, part], yerr=known if known.any() else None, color=tint,
            hatch=hatch, edgecolor="white", width=0.9, error_kw={"elinewidth": 0.8},
        )  # fmt: skip
    ax.set_xticks([(len(laws) - 1) / 2, len(laws) + 1 + (len(laws) - 1) / 2], ["own", "TCP"])
    ax.grid(axis="x", visible=False)
