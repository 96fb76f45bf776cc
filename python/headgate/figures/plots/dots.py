"""Dots with their intervals: a few measures of many names, side by side, one order for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from headgate.figures.plots.palette import ORDER
from headgate.figures.plots.style import make_axes, use_style
from headgate.figures.spec.looks import GREY, MARKS

ROW_IN = 0.26
#: Room to the right of the farthest dot.
ROOM = 1.06

Interval = tuple[float, float, float]
"""Mean, lower and upper end."""


@dataclass(frozen=True)
class Dots:
    """One panel: one or several series of a measure, each by name."""

    title: str
    axis: str
    series: Mapping[str, Mapping[str, Interval]]
    level: float | None = None
    log: bool = False

    @staticmethod
    def point(value: float) -> Interval:
        """Return a value without an interval, as `series` holds it."""
        return value, value, value


def draw_dots(names: Sequence[str], panels: Sequence[Dots], width_in: float = 3.6) -> Figure:
    """Draw panels side by side; `level` is a dotted line to compare with."""
    with use_style():
        size_in = (1.2 + width_in * len(panels), ROW_IN * len(names) + 1.3)
        figure, axes = make_axes(1, len(panels), size_in, sharey=True)
        for ax, panel in zip(axes, panels, strict=True):
            _panel(ax, names, panel)
        axes[0].set_yticks(range(len(names)), names)
        axes[0].set_ylim(len(names) - 0.5, -0.5)
        return figure


def _panel(ax: Axes, names: Sequence[str], panel: Dots) -> None:
    count = len(panel.series)
    for i, (label, values) in enumerate(panel.series.items()):
        known = [(y, values[name]) for y, name in enumerate(names) if name in values]
        places = np.array([y for y, _ in known]) + 0.22 * (i - (count - 1) / 2)
        mean, low, high = np.array([value for _, value in known]).T
        ax.hlines(places, low, high, color=ORDER[i], linewidth=1.6)
        ax.plot(mean, places, MARKS[i], color=ORDER[i], markersize=5, label=label)
    if panel.level is not None:
        ax.axvline(panel.level, color=GREY, linestyle=":", linewidth=1)
    if panel.log:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    else:
        highest = max(high for values in panel.series.values() for _, _, high in values.values())
        ax.set_xlim(0, ROOM * max(highest, panel.level or 0))
    ax.set_xlabel(panel.axis)
    ax.set_title(panel.title, fontsize=10)
    if count > 1:
        ax.legend(fontsize=8)
