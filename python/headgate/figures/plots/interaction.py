"""Means with intervals under every condition: one factor along the axis, others as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator

from headgate.figures.plots.palette import GREY
from headgate.figures.plots.style import colours, make_axes, marks, use_style

Interval = tuple[float, float, float]
"""Mean, lower and upper end."""

ACROSS = 4
#: Characters that fit along the height of a panel.
LINE = 30
#: Numbers that span this many times their least stand on a logarithmic axis.
WIDE = 8.0
#: What a letter of a tick takes, and the share of a figure's width that is axes.
LETTER_IN, AXES_SHARE = 0.075, 0.8
#: Share of a step by which lines stand beside each other where levels are words.
DODGE = 0.09


@dataclass(frozen=True)
class Axis:
    """The factor along the axis: what it is called, its levels, where they stand if by size."""

    title: str
    levels: Sequence[str]
    places: Sequence[float] | None = None

    @property
    def log(self) -> bool:
        """Whether its levels stand by their logarithm."""
        places = self.places or (0.0,)
        return min(places) > 0 and max(places) / min(places) >= WIDE

    def at(self) -> np.ndarray:
        """Return where the levels stand."""
        return np.asarray(range(len(self.levels)) if self.places is None else self.places, float)


@dataclass(frozen=True)
class Panel:
    """One combination of the other factors: of each line an interval a level, NaN for none."""

    title: str
    lines: Mapping[str, Sequence[Interval]]


def interaction(panels: Sequence[Panel], axis: Axis, response: str, legend: str = "") -> Figure:
    """Draw means with their 95 % intervals; lines that are not parallel are an interaction."""
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    names = list(panels[0].lines)
    with use_style():
        size_in = (_width_in(across), 2.4 * down + 0.9)
        figure, axes = make_axes(down, across, size_in, sharex=True, sharey=True)
        for ax, panel in zip(axes, panels, strict=False):
            _panel(ax, panel, axis)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        _finish(axes[: len(panels)], axis, across)
        figure.supxlabel(axis.title, fontsize="medium")
        figure.supylabel(fill(response, LINE * down), fontsize="medium")
        if len(names) > 1:
            handles, labels = axes[0].get_legend_handles_labels()
            figure.legend(
                handles, labels, title=legend, loc="outside upper center", ncols=min(len(names), 5)
            )
        return figure


def _panel(ax: Axes, panel: Panel, axis: Axis) -> None:
    colour, mark = colours(panel.lines), marks(panel.lines)
    count, at = len(panel.lines), axis.at()
    along = np.argsort(at, kind="stable")  # a line goes along the axis, whatever the file's order
    for number, (name, values) in enumerate(panel.lines.items()):
        shift = 0.0 if axis.places is not None else DODGE * (number - (count - 1) / 2)
        mean, low, high = np.array(values, dtype=float)[along].T
        ax.errorbar(
            at[along] + shift, mean, yerr=(mean - low, high - mean), color=colour[name],
            marker=mark[name], capsize=2.5, elinewidth=1.0, label=name,
        )  # fmt: skip
    ax.set_title(panel.title, fontsize=9.5)


def _finish(axes: Sequence[Axes], axis: Axis, across: int) -> None:
    """Set one axis for all panels, labelled by the levels in their own words."""
    ax = axes[0]
    if axis.log:
        ax.set_xscale("log")
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_minor_formatter(NullFormatter())
    else:
        at = axis.at()
        room = 0.35 * float(np.min(np.diff(np.sort(at)))) if len(at) > 1 else 0.5
        ax.set_xlim(at.min() - room, at.max() + room)
    crowded = _is_crowded(axis, across)
    for each in axes:
        each.set_xticks(axis.at(), axis.levels, fontsize=8.5)
        if crowded:
            each.tick_params(axis="x", labelrotation=45)
        each.margins(y=0.1)
    for each in axes[max(0, len(axes) - across) :]:
        each.tick_params(labelbottom=True)
    low, high = ax.get_ylim()
    if low > 0 and low < 0.4 * high:
        ax.set_ylim(bottom=0)


def _is_crowded(axis: Axis, across: int) -> bool:
    """Say whether labels of neighbouring levels would run into each other."""
    at = np.sort(np.log(axis.at()) if axis.log else axis.at())
    gaps_in = np.diff(at) / (np.ptp(at) or 1.0) * AXES_SHARE * _width_in(across) / across
    return bool((gaps_in < LETTER_IN * max(map(len, axis.levels))).any())


def _width_in(across: int) -> float:
    """Return the width of a figure with this number of panels side by side."""
    return max(2.7 * across + 1.0, 5.0)


@dataclass(frozen=True)
class Cloud:
    """One panel of a sample: the response against a factor, of each name its points."""

    title: str
    points: Mapping[str, tuple[Sequence[float], Sequence[float]]]


def clouds(panels: Sequence[Cloud], response: str, legend: str = "") -> Figure:
    """Draw a response against every factor of a sample, a point a condition."""
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    names = list(panels[0].points)
    with use_style():
        size_in = (_width_in(across), 2.4 * down + 0.9)
        figure, axes = make_axes(down, across, size_in, sharey=True)
        colour, mark = colours(names), marks(names)
        for ax, panel in zip(axes, panels, strict=False):
            for name, (x, y) in panel.points.items():
                shade = colour[name] if len(names) > 1 else GREY
                ax.plot(x, y, linestyle="", marker=mark[name], color=shade, label=name)
            ax.set_xlabel(panel.title)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        figure.supylabel(fill(response, LINE * down), fontsize="medium")
        if len(names) > 1:
            handles, labels = axes[0].get_legend_handles_labels()
            figure.legend(handles, labels, title=legend, loc="outside upper center", ncols=5)
        return figure
