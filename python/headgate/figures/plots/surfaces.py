"""Fitted response surfaces as contours, with the optimum and its uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from headgate.figures.plots.style import make_axes, use_style

Numbers = NDArray[np.float64]
OPTIMUM, LEVELS, CHARACTERS = "#D55E00", 11, 44


@dataclass(frozen=True)
class SurfaceAxis:
    """A factor: its title with the unit, whether its scale is logarithmic, and the optimum."""

    title: str
    is_log: bool
    optimum: float
    low: float
    high: float


@dataclass(frozen=True)
class SurfacePanel:
    """Two factors: the fitted values on a grid, NaN outside the region, and the runs."""

    across: SurfaceAxis
    up: SurfaceAxis
    x: Numbers
    y: Numbers
    values: Numbers
    runs: Numbers
    """The runs, of shape (run, 2)."""
    fixed: str
    """The levels of the other factors."""
    edge: Numbers
    """The border of the region of the runs at these levels, of shape (point, 2)."""


def draw_surfaces(panels: Sequence[SurfacePanel], response: str) -> Figure:
    """Draw a panel of contours for each pair of factors."""
    with use_style():
        count = len(panels)
        figure, axes = make_axes(1, count, (4.3 * count + 1.2, 4.5))
        whole = np.concatenate([panel.values.ravel() for panel in panels])
        levels = np.linspace(np.nanmin(whole), np.nanmax(whole), LEVELS)
        if not levels[-1] > levels[0]:
            levels = levels[0] + np.linspace(-1, 1, LEVELS) * max(abs(levels[0]), 1.0) * 1e-6
        for ax, panel in zip(axes, panels, strict=True):
            drawn = ax.contourf(panel.x, panel.y, panel.values, levels=levels, cmap="cividis")
            _draw_panel(ax, panel)
        figure.colorbar(drawn, ax=axes, label=fill(response, CHARACTERS))
        figure.legend(
            handles=[
                Line2D([], [], ls="", marker="*", markersize=11, color=OPTIMUM,
                       markeredgecolor="black", label="optimum"),
                Patch(facecolor="none", edgecolor=OPTIMUM, linewidth=1.6,
                      label="its 95 % intervals"),
                Line2D([], [], ls="", marker="o", color="white", markeredgecolor="black",
                       label="runs"),
            ],
            loc="outside upper right", ncols=3,
        )  # fmt: skip
        return figure


def _draw_panel(ax: Axes, panel: SurfacePanel) -> None:
    across, up = panel.across, panel.up
    ax.grid(visible=False)
    ax.plot(*panel.edge.T, color="white", linestyle="--", linewidth=1.1)
    ax.plot(
        *panel.runs.T, "o", color="white", markeredgecolor="black", markersize=4.5, clip_on=False
    )
    if np.isfinite([across.low, up.low]).all():
        corner, size = (across.low, up.low), (across.high - across.low, up.high - up.low)
        box = Rectangle(corner, *size, fill=False, edgecolor=OPTIMUM, linewidth=1.6)
        box.set_clip_on(False)
        ax.add_patch(box)
    ax.plot(across.optimum, up.optimum, "*", markersize=13, color=OPTIMUM,
            markeredgecolor="black", clip_on=False)  # fmt: skip
    for axis, set_scale in ((across, ax.set_xscale), (up, ax.set_yscale)):
        if axis.is_log:
            set_scale("log")
    ax.set_xlabel(across.title)
    ax.set_ylabel(up.title)
    if panel.fixed:
        ax.set_title(fill(panel.fixed, CHARACTERS), fontsize=9)
