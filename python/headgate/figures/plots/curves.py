"""Panels of curves: series over time, responses over a parameter, and theory beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import ArrayLike

from headgate.figures.plots.style import (
    collect_handles,
    format_power_of_ten,
    make_axes,
    use_style,
)
from headgate.figures.spec.looks import GREY, find_looks

MANY = 8
#: The width of an entry of a legend: its line and gaps, and each of its letters.
SYMBOL_IN, LETTER_IN = 0.65, 0.075
THEORY = "derived"
#: A logarithmic axis up to this ratio of its ends has few decades to label.
SHORT_AXIS = 20.0


@dataclass(frozen=True)
class Curve:
    """One curve: a line, with `marks` also its points, or `points` alone; `theory` is dashed.

    A `reference` is a grey line with a name, to compare with.
    """

    x: ArrayLike
    y: ArrayLike
    marks: bool = False
    points: bool = False
    theory: bool = False
    reference: bool = False


@dataclass(frozen=True)
class CurvePanel:
    """A pair of axes: curves by name, labels, levels to compare with."""

    title: str
    x: str
    y: str
    curves: Mapping[str, Curve]
    log: str = ""
    levels: Mapping[str, float] = field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    zoom: tuple[float, float] | None = None
    ticks: Mapping[float, str] = field(default_factory=dict)
    notes: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def looks(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the settings of Matplotlib for the curve of each name."""
    return {
        name: {"color": look.colour, "linestyle": look.dash, "marker": look.mark}
        for name, look in find_looks(names).items()
    }


def draw_curves(
    panels: Sequence[CurvePanel],
    columns: int = 2,
    panel_in: tuple[float, float] = (4.6, 3.1),
    order: Sequence[str] | None = None,
    *,
    shared_legend: bool = True,
) -> Figure:
    """Draw panels in a grid; one legend for all of them, or one in each."""
    drawn = [
        name
        for panel in panels
        for name, curve in panel.curves.items()
        if not (curve.theory or curve.reference)
    ]
    look = looks(list(order or dict.fromkeys(drawn)))
    with use_style():
        rows = -(-len(panels) // columns)
        size_in = (panel_in[0] * columns, panel_in[1] * rows + 0.4)
        figure, axes = make_axes(rows, columns, size_in, count=len(panels))
        for ax, panel in zip(axes, panels, strict=False):
            _draw(ax, panel, look)
            if not shared_legend:
                _own_legend(ax)
        if shared_legend:
            _legend(figure, axes)
        return figure


def _draw(ax: Axes, panel: CurvePanel, look: Mapping[str, Mapping[str, Any]]) -> None:
    for name, curve in panel.curves.items():
        _curve(ax, name, curve, look.get(name, {}))
    ax.set(xlabel=panel.x, ylabel=panel.y)
    ax.set_title(panel.title)
    _scales(ax, panel)
    for name, level in panel.levels.items():
        _level(ax, name, level)
    for text, place in panel.notes.items():
        ax.annotate(text, place, fontsize=8.5, ha="center", va="bottom")
    ax.margins(x=0.02)
    if panel.zoom:
        ax.set_xlim(panel.zoom)
    if panel.ticks:
        ax.set_xticks(list(panel.ticks), list(panel.ticks.values()), minor=False)
        ax.set_xticks([], minor=True)


def _curve(ax: Axes, name: str, curve: Curve, look: Mapping[str, Any]) -> None:
    if curve.theory:
        ax.plot(curve.x, curve.y, color="black", linewidth=0.9, linestyle="--", label=THEORY)
        return
    if curve.reference:
        ax.plot(curve.x, curve.y, color=GREY, linewidth=1.0, linestyle=":", label=name)
        return
    style = dict(look)
    if curve.points:
        style["linestyle"] = ""
    elif not curve.marks:
        style["marker"] = None
    ax.plot(curve.x, curve.y, label=name, markersize=4.5, linewidth=1.2, **style)


def _scales(ax: Axes, panel: CurvePanel) -> None:
    if "x" in panel.log:
        ax.set_xscale("log")
        write_powers_plainly(ax.xaxis)
    if "y" in panel.log:
        ax.set_yscale("log")
        write_powers_plainly(ax.yaxis)
    if "y" not in panel.log:
        ax.set_ylim(bottom=0 if panel.low is None else panel.low)
    elif panel.low is not None:
        ax.set_ylim(bottom=panel.low)
    if panel.high is not None:
        ax.set_ylim(top=panel.high)


def write_powers_plainly(axis: Axis) -> None:
    """Label decades, on a short axis 2 and 5 too: near 1 by plain numbers, far by powers."""
    low, high = axis.get_view_interval()
    if high < SHORT_AXIS * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(_plain))


def _plain(value: float, _: object) -> str:
    if 0.001 <= value < 100_000:
        return f"{value:,.6g}"
    return format_power_of_ten(round(np.log10(value)))


def _level(ax: Axes, name: str, level: float) -> None:
    ax.axhline(level, color=GREY, linestyle=":", linewidth=1, zorder=1)
    ax.annotate(
        name, (1, level), xycoords=("axes fraction", "data"), xytext=(-2, 2),
        textcoords="offset points", color=GREY, ha="right", fontsize=8,
    )  # fmt: skip


def _own_legend(ax: Axes) -> None:
    handles = collect_handles([ax])
    if len(handles) > 1:
        ax.legend(list(handles.values()), list(handles), fontsize=8)


def _legend(figure: Figure, axes: Sequence[Axes]) -> None:
    handles = collect_handles(axes)
    if len(handles) > 1:
        room = figure.get_figwidth() / (SYMBOL_IN + LETTER_IN * max(map(len, handles)))
        rows = -(-len(handles) // max(1, min(MANY, int(room))))
        columns = -(-len(handles) // rows)
        figure.legend(
            list(handles.values()), list(handles), loc="outside lower center", ncols=columns
        )
