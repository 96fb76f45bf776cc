"""Errors of a model: against one number in small multiples, and as a map of the largest errors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter
from numpy.typing import NDArray

from headgate.figures import GREY, MARKS, PALE, make_axes, use_style

PANEL_IN = (2.75, 2.35)
#: Errors are shown in per cent, straight up to this, by their logarithm beyond.
STRAIGHT = 10.0
#: Steps of a map's colours, per cent, from right to useless; purple to yellow is dark to pale.
STEPS = (0.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
SHADES = ("#0072B2", "#56B4E9", "#B8DCEB", "#F6D18B", "#E69F00", "#D55E00", "#7A1F00")
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Scatter:
    """One panel: errors (parts of one) by a number; flows colour them, groups mark them."""

    title: str
    x: Numbers
    error: Numbers
    flows: Numbers
    group: Sequence[str]


@dataclass(frozen=True)
class ErrorMap:
    """One panel: the worst error (a part of one) at each place; `warned` places get a ring."""

    title: str
    x: Numbers
    y: Numbers
    error: Numbers
    warned: NDArray[np.bool_]
    #: Lines `x = level y`, by what is said of them.
    limits: Mapping[str, float] = field(default_factory=dict)


def errors(
    panels: Sequence[Scatter], groups: Sequence[str], x: str, y: str, band: tuple[float, float]
) -> Figure:
    """Draw small multiples of errors; the band within which they are small is shaded."""
    with use_style():
        figure, axes = _grid(len(panels))
        norm = LogNorm(1, 1000)
        for ax, panel in zip(axes, panels, strict=False):
            _scatter(ax, panel, groups, norm, band)
        _hide_rest(axes, len(panels))
        figure.supxlabel(x, fontsize="medium")
        figure.supylabel(y, fontsize="medium")
        bar = figure.colorbar(ScalarMappable(norm, "viridis"), ax=axes, shrink=0.7, aspect=30)
        bar.set_label("flows")
        bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        handles = [_mark(name, mark) for name, mark in zip(groups, MARKS, strict=False)]
        figure.legend(handles=handles, loc="outside upper center", ncols=len(groups))
        return figure


def _across(panels: int) -> int:
    return 2 if panels == 4 else 3


def _grid(panels: int) -> tuple[Figure, list[Axes]]:
    across = _across(panels)
    rows = -(-panels // across)
    size_in = (PANEL_IN[0] * across + 1.5, PANEL_IN[1] * rows + 0.9)
    return make_axes(rows, across, size_in, sharex=True, sharey=True)


def _scatter(
    ax: Axes, panel: Scatter, groups: Sequence[str], norm: LogNorm, band: tuple[float, float]
) -> None:
    ax.axhspan(100 * band[0], 100 * band[1], color=PALE, alpha=0.7, linewidth=0)
    ax.axhline(0, color=GREY, linewidth=0.8)
    for name, mark in zip(groups, MARKS, strict=False):
        here = np.array([group == name for group in panel.group]) & np.isfinite(panel.error)
        ax.scatter(
            panel.x[here], 100 * panel.error[here], c=panel.flows[here], norm=norm, marker=mark,
            s=20, cmap="viridis", edgecolors="white", linewidths=0.3,
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_yscale("symlog", linthresh=STRAIGHT)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:+,.0f}" if value else "0"))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    ax.set_title(panel.title, fontsize=10)


def _mark(name: str, mark: str) -> Line2D:
    return Line2D([], [], linestyle="", marker=mark, color=GREY, label=name)


def _hide_rest(axes: Sequence[Axes], count: int) -> None:
    """Hide unused axes; the last axes of each column are labelled."""
    for ax in axes[count:]:
        ax.set_visible(False)
    for ax in axes[max(0, count - _across(count)) : count]:
        ax.tick_params(labelbottom=True)


def error_maps(panels: Sequence[ErrorMap], x: str, y: str) -> Figure:
    """Draw maps of the worst error of each place; a ring is a warning, lines are its limits."""
    with use_style():
        figure, axes = _grid(len(panels))
        colours, norm = ListedColormap(SHADES), BoundaryNorm([*STEPS, 1e9], len(SHADES))
        for ax, panel in zip(axes, panels, strict=False):
            _map(ax, panel, colours, norm)
        _hide_rest(axes, len(panels))
        figure.supxlabel(x, fontsize="medium")
        figure.supylabel(y, fontsize="medium")
        shown = ScalarMappable(BoundaryNorm([*STEPS, 200.0], len(SHADES)), colours)
        bar = figure.colorbar(shown, ax=axes, shrink=0.7, aspect=30, spacing="uniform")
        bar.set_ticks(STEPS, labels=[f"{step:g}" for step in STEPS])
        bar.set_label("worst error (%)")
        figure.legend(handles=_map_handles(), loc="outside upper center", ncols=3)
        return figure


def _map(ax: Axes, panel: ErrorMap, colours: ListedColormap, norm: BoundaryNorm) -> None:
    edges = np.where(panel.warned, "black", "none")
    shown = np.where(np.isfinite(panel.error), 100 * panel.error, 1e8)
    order = np.argsort(shown)
    ax.scatter(
        panel.x[order], panel.y[order], c=shown[order], cmap=colours, norm=norm, s=46,
        edgecolors=edges[order].tolist(), linewidths=1.1,
    )  # fmt: skip
    span = np.array([panel.y.min() / 2, panel.y.max() * 2])
    for text, level in panel.limits.items():
        ax.plot(level * span, span, color="black", linestyle="--", linewidth=0.9)
        place = 0.9 * level * span[1]
        ax.annotate(
            text, (place, 0.9 * span[1]), fontsize=7.5, ha="right", va="top",
            xytext=(-4, 0), textcoords="offset points",
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_yscale("log")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_minor_formatter(NullFormatter())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    ax.set_xlim(panel.x.min() / 2, panel.x.max() * 2)
    ax.set_ylim(*span)
    ax.set_title(panel.title, fontsize=10)


def _map_handles() -> list[Line2D]:
    def dot(edge: str, label: str) -> Line2D:
        return Line2D([], [], ls="", marker="o", ms=7, color=PALE, mec=edge, label=label)

    return [
        dot("black", "the tool warns"),
        dot(PALE, "it does not"),
        Line2D([], [], color="black", linestyle="--", linewidth=0.9, label="limit of a warning"),
    ]
