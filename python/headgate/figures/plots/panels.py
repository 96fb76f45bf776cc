"""Draws what a panel contains on a pair of axes: warm-up, lines with intervals, scales."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator
from matplotlib.transforms import ScaledTranslation
from numpy.typing import ArrayLike

from headgate.figures.plots import palette
from headgate.figures.plots.palette import (
    BAND_OPACITY,
    CLOUD_OPACITY,
    OUTAGE_OPACITY,
    WARMUP_OPACITY,
)
from headgate.figures.spec.drawing import Line, Panel
from headgate.figures.spec.looks import GREY, Look

#: Marks beyond this number are smaller.
MANY_MARKS, SMALLER = 40, 0.6
LEAST_SPAN, MANY_DECADES = 4.0, 1000.0
#: Width of an outage's rim, points, so that a short one is visible.
OUTAGE_RIM = 0.8
PT_PER_IN = 72.0
#: The legend's word for the shaded time.
WARMUP = "warm-up"
#: The room beside the first and the last of labelled places, as a share of their distance.
ROOM = 0.08


@dataclass(frozen=True)
class Pen:
    """Widths of lines, and sizes of marks, in points."""

    line: float = 1.4
    thin: float = 0.6
    mark: float = 5.0
    cloud: float = 2.5
    rug: float = 8.0
    cap: float = 2.5
    apart: float = 4.0


SCREEN = Pen()


def draw_panel(ax: Axes, panel: Panel, pen: Pen = SCREEN) -> None:
    """Draw the warm-up, the outages and all lines, and set the scales."""
    if panel.warmup_s:
        ax.axvspan(0, panel.warmup_s, color=palette.WARMUP, alpha=WARMUP_OPACITY, linewidth=0,
                   label=WARMUP)  # fmt: skip
    if panel.outages:
        spans = [(start_s, end_s - start_s) for start_s, end_s in panel.outages]
        ax.broken_barh(spans, (0, 1), transform=ax.get_xaxis_transform(), color=palette.OUTAGE,
                       alpha=OUTAGE_OPACITY, linewidth=OUTAGE_RIM, zorder=0.5,
                       label="outage")  # fmt: skip
    with_bars = [line for line in panel.lines if line.bars]
    for place, line in enumerate(panel.lines):
        # Bars at one place lie side by side, some points apart, at any scale.
        at = with_bars.index(line) - (len(with_bars) - 1) / 2 if line.bars else 0.0
        _draw_line(ax, line, place, pen, at * pen.apart)
    _scale(ax, panel)
    if panel.right:
        _second_scale(ax, *panel.right)


def _draw_line(ax: Axes, line: Line, place: int, pen: Pen, shift: float) -> None:
    """Draw a line, shifted to the right by a number of points."""
    look = line.look or Look(GREY)
    away = ScaledTranslation(shift / PT_PER_IN, 0, ax.figure.dpi_scale_trans)
    style: dict[str, Any] = {"color": look.colour, "label": line.name if line.listed else None}
    style |= {"transform": ax.transData + away} if shift else {}
    if line.style == "points":
        cloud = line.is_cloud
        ax.plot(line.x, line.y, "." if cloud else look.mark, linestyle="", rasterized=cloud,
                zorder=3, markersize=_choose_mark(line, pen),
                alpha=CLOUD_OPACITY if cloud else 1, **style)  # fmt: skip
    elif line.style == "rug":
        ax.plot(
            line.x, line.y, "|", linestyle="", markersize=pen.rug, clip_on=False, zorder=5, **style
        )
    elif line.style == "step":
        ax.step(line.x, line.y, where="post", linestyle=look.dash, linewidth=pen.line, **style)
    else:
        thin = line.style == "thin"
        mark = look.mark if line.style == "marked" else "none"
        ax.plot(line.x, line.y, linestyle=look.dash, linewidth=pen.thin if thin else pen.line,
                alpha=0.55 if thin else 1, zorder=2 + 0.01 * place, marker=mark,
                markersize=pen.mark, **style)  # fmt: skip
    if line.band and line.bars:
        low, high = line.band
        ax.errorbar(line.x, line.y, (line.y - low, high - line.y), fmt="none", capsize=pen.cap,
                    ecolor=look.colour, elinewidth=pen.thin + 0.3, zorder=2,
                    transform=ax.transData + away)  # fmt: skip
    elif line.band:
        ax.fill_between(line.x, *line.band, color=look.colour, alpha=BAND_OPACITY, linewidth=0)


def _choose_mark(line: Line, pen: Pen) -> float:
    """Return the size of marks: smaller ones if there are many, dots for a cloud."""
    if line.is_cloud:
        return pen.cloud
    return pen.mark if len(line.x) <= MANY_MARKS else SMALLER * pen.mark


def _scale(ax: Axes, panel: Panel) -> None:
    ax.margins(x=0.01)
    if "x" in panel.log:
        ax.set_xscale("log")
    if "y" in panel.log:
        ax.set_yscale("log")
    if panel.y_range:
        ax.set_ylim(panel.y_range)
    if panel.x_range:
        ax.set_xlim(panel.x_range)
    if panel.reverse_x:
        ax.invert_xaxis()
    for axis, name in ((ax.xaxis, "x"), (ax.yaxis, "y")):
        if name in panel.log:
            write_plain_numbers(axis)
    if panel.ticks:
        _label_places(ax, panel)


def _label_places(ax: Axes, panel: Panel) -> None:
    """Label only the given places of x, and leave room beside the outer ones."""
    places = np.array([place for place, _ in panel.ticks])
    ax.set_xticks(places, [text for _, text in panel.ticks])
    ax.xaxis.set_minor_locator(NullLocator())
    log = "x" in panel.log
    ends = np.log([places.min(), places.max()]) if log else np.array([places.min(), places.max()])
    least = 0.5 if not log and np.ptp(ends) == len(places) - 1 else 0.0  # words side by side
    room = max(ROOM * float(np.ptp(ends)), least) or 0.5
    low, high = float(ends[0]) - room, float(ends[1]) + room
    ax.set_xlim((math.exp(low), math.exp(high)) if log else (low, high))


def write_plain_numbers(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers; values that are all alike get room."""
    low, high = axis.get_view_interval()
    if high < LEAST_SPAN * low:
        middle = np.sqrt(low * high)
        low, high = middle / np.sqrt(LEAST_SPAN), middle * np.sqrt(LEAST_SPAN)
        axis.set_view_interval(low, high, ignore=True)
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < MANY_DECADES * low else (1,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axis.set_minor_formatter(NullFormatter())


def _second_scale(ax: Axes, title: str, factor: float) -> None:
    """Add a second scale for the same lines at the right."""

    def to_right(y: ArrayLike) -> Any:
        return factor * np.asarray(y)

    def to_left(y: ArrayLike) -> Any:
        return np.asarray(y) / factor

    second = ax.secondary_yaxis("right", functions=(to_right, to_left))
    second.set_ylabel(title)
