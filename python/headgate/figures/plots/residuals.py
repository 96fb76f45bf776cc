"""Checks of a model: residuals, and the effects that more replicates would show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from headgate.figures.plots.palette import ORDER, STRONG
from headgate.figures.plots.style import make_axes, use_style
from headgate.figures.spec.looks import GREY

Numbers = NDArray[np.float64]
#: Characters of a title above a panel.
CHARACTERS = 40


@dataclass(frozen=True)
class ResidualPanel:
    """Residuals of a response in the order of the runs, with the fitted values."""

    title: str
    fitted: Numbers
    residuals: Numbers


def draw_residuals(panels: Sequence[ResidualPanel]) -> Figure:
    """Draw residuals against fitted values, normal quantiles and run order, one response a row."""
    with use_style():
        figure, axes = make_axes(len(panels), 3, (10.5, 2.9 * len(panels) + 0.2))
        for place, panel in enumerate(panels):
            _draw_row(axes[3 * place : 3 * place + 3], panel)
        return figure


def _draw_row(axes: Sequence[Axes], panel: ResidualPanel) -> None:
    order = np.arange(1, len(panel.residuals) + 1)
    ranked = np.sort(panel.residuals)
    shares = (order - 0.375) / (len(order) + 0.25)  # Blom 1958
    quantiles = np.array([NormalDist().inv_cdf(float(share)) for share in shares])
    spread = float(panel.residuals.std(ddof=1)) if len(order) > 1 else 0.0
    for ax, x, y in (
        (axes[0], panel.fitted, panel.residuals),
        (axes[1], quantiles, ranked),
        (axes[2], order, panel.residuals),
    ):
        ax.axhline(0, color=GREY, linewidth=0.9)
        ax.plot(x, y, "o", color=STRONG, markersize=3.5)
        ax.set_ylabel("residual")
    axes[1].plot(quantiles, spread * quantiles, color=ORDER[3], linewidth=1.0)
    axes[0].set_title(panel.title, fontsize=9.5)
    for ax, label in zip(axes, ("fitted value", "normal quantile", "run order"), strict=True):
        ax.set_xlabel(label)


@dataclass(frozen=True)
class PowerPanel:
    """A response: the smallest effect that is shown, for each number of replicates."""

    title: str
    unit: str
    counts: Sequence[int]
    effects: Sequence[Sequence[float]]
    """A curve for each chance."""
    now: int
    tenth: float
    """10 % of the mean of the response."""


def draw_power(panels: Sequence[PowerPanel], chances: Sequence[float], axis: str) -> Figure:
    """Draw the smallest effect that is shown with each chance against the replicates."""
    columns = min(len(panels), 3)
    rows = -(-len(panels) // columns)
    with use_style():
        size_in = (max(3.6 * columns, 5.5), 3.0 * rows + 0.6)
        figure, axes = make_axes(rows, columns, size_in, count=len(panels))
        for ax, panel in zip(axes, panels, strict=True):
            for place, (chance, effects) in enumerate(zip(chances, panel.effects, strict=True)):
                dash = ("-", "--")[place % 2]
                ax.plot(panel.counts, effects, dash, color=STRONG, label=f"{100 * chance:.0f} %")
            ax.axvline(panel.now, color=GREY, linestyle=":", label="this experiment")
            ax.axhline(panel.tenth, color=ORDER[3], linewidth=1.0, label="10 % of the mean")
            known = np.concatenate([*map(np.asarray, panel.effects), [panel.tenth]])
            ax.set_yscale("log")
            ax.set_ylim(0.8 * np.nanmin(known), 1.25 * np.nanmax(known))
            ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            ax.yaxis.set_minor_formatter(NullFormatter())
            ax.set_title(fill(panel.title, CHARACTERS), fontsize=9.5)
            ax.set_xlabel(axis)
            ax.set_ylabel(f"effect ({panel.unit})" if panel.unit else "effect")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside upper center", ncols=4, title="chance to show an effect"
        )
        return figure
