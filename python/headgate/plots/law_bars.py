"""Bars of laws: shares of what is available, one panel a condition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from headgate.catalog import label
from headgate.plots.palette import GREY
from headgate.plots.style import colours, styled, subplots

if TYPE_CHECKING:
    from headgate.analysis.bars import Bars

ACROSS = 4


def law_bars(found: Bars, titles: Mapping[str, str]) -> Figure:
    """Draw the law's own flows on the left, the TCP flows beside them hatched on the right."""
    cells = found.grid
    across = min(ACROSS, len(cells.conditions))
    down = -(-len(cells.conditions) // across)
    with styled():
        size_in = (max(2.9 * across, 5.0), 1.9 * down + 0.6)
        figure, axes = subplots(down, across, size_in, sharex=True, sharey=True)
        for place, (ax, name) in enumerate(zip(axes, cells.conditions, strict=False)):
            _panel(ax, cells.values[place], cells.spread[place], cells.laws)
            ax.set_title(titles.get(name, name), fontsize=8.5)
        for ax in axes[len(cells.conditions) :]:
            ax.set_visible(False)
        figure.supylabel("share of what is available")
        colour = colours(cells.laws)
        handles = [Patch(color=colour[law], label=label(law)) for law in cells.laws]
        hatched = Patch(facecolor="white", edgecolor=GREY, hatch="////", label="TCP beside it")
        figure.legend(handles=[*handles, hatched], loc="outside lower center", ncols=5)
        return figure


def _panel(ax: Axes, values: np.ndarray, spread: np.ndarray, laws: tuple[str, ...]) -> None:
    colour = colours(laws)
    places = np.arange(len(laws))
    tint = [colour[law] for law in laws]
    for part, (hatch, shift) in enumerate((("", 0), ("////", len(laws) + 1))):
        known = np.nan_to_num(spread[:, part])
        ax.bar(
            places + shift, values[:, part], yerr=known if known.any() else None, color=tint,
            hatch=hatch, edgecolor="white", width=0.9, error_kw={"elinewidth": 0.8},
        )  # fmt: skip
    ax.set_xticks([(len(laws) - 1) / 2, len(laws) + 1 + (len(laws) - 1) / 2], ["own", "TCP"])
    ax.grid(axis="x", visible=False)
