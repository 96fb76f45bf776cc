"""Biplots: a law's flows against TCP's, one panel a law."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from headgate.catalog import label
from headgate.plots.palette import GREY
from headgate.plots.style import colours, marks, styled, subplots

if TYPE_CHECKING:
    from headgate.analysis.biplots import Beside, Biplots

ACROSS = 4


def biplots(found: Biplots, titles: Mapping[str, str], unit: float) -> Figure:
    """Draw a point a condition, with the line where both are equal; all panels have one scale."""
    across = min(ACROSS, len(found.panels))
    down = -(-len(found.panels) // across)
    colour, mark = colours(found.panels), marks(found.panels)
    most = max(max(p.own.max(initial=0), p.other.max(initial=0)) for p in found.panels.values())
    most = most or unit
    with styled():
        size_in = (max(2.6 * across, 4.5) + 0.3, 2.7 * down + 0.4)
        figure, axes = subplots(down, across, size_in, sharex=True, sharey=True)
        for ax, (law, panel) in zip(axes, found.panels.items(), strict=False):
            _panel(ax, panel, unit, colour[law], mark[law])
            ax.set_title(f"{label(law)}\n{_said(panel)}", fontsize=9)
            ax.set(xlim=(0, 1.05 * most / unit), ylim=(0, 1.05 * most / unit), aspect="equal")
        for ax in axes[len(found.panels) :]:
            ax.set_visible(False)
        own, other = found.names
        figure.supxlabel(titles.get(own, own))
        figure.supylabel(titles.get(other, other))
        return figure


def _panel(ax: Axes, panel: Beside, unit: float, colour: str, mark: str) -> None:
    ax.axline((0, 0), slope=1, color=GREY, linewidth=0.8, linestyle="--")
    ax.plot(
        panel.own / unit, panel.other / unit, linestyle="", marker=mark, color=colour,
        markeredgecolor="white", markeredgewidth=0.4,
    )  # fmt: skip


def _said(panel: Beside) -> str:
    mean, low, high = panel.ratio
    return f"{mean:.2f} times ({low:.2f} to {high:.2f})"
