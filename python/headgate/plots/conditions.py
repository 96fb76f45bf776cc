"""Condition-response pictures: residuals by condition, and the roll-up of outliers."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from headgate.catalog import label
from headgate.plots.style import GREY, colours, marks, styled, subplots
from headgate.stats.conditions import Outlier, Residuals

COLUMNS = 2
DODGE = 0.13
EMPTY = "#F4F4F4"


def residuals(panels: Mapping[str, tuple[str, Residuals]], conditions: Sequence[str]) -> Figure:
    """Draw residuals of the laws about each condition's mean; `panels`: title -> (axis, data)."""
    laws = next(iter(panels.values()))[1].laws
    with styled():
        rows = -(-len(panels) // COLUMNS)
        figure, axes = subplots(rows, COLUMNS, (11.5, 3.6 * rows + 0.5))
        for ax, (title, (axis, data)) in zip(axes, panels.items(), strict=False):
            _panel(ax, data, conditions, title, axis)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        handles = _law_handles(laws)
        figure.legend(handles=handles, loc="outside lower center", ncols=len(laws))
        return figure


def _panel(ax: Axes, data: Residuals, conditions: Sequence[str], title: str, axis: str) -> None:
    colour, mark = colours(data.laws), marks(data.laws)
    order = data.order
    ax.axhline(0, color=GREY, linewidth=0.8)
    for i, law in enumerate(data.laws):
        ax.plot(
            np.arange(len(order)) + _dodge(i, len(data.laws)),
            data.values[order, i],
            linestyle="",
            marker=mark[law],
            color=colour[law],
            label=law,
            markeredgecolor="white",
            markeredgewidth=0.5,
        )
    step = -(-len(order) // 16)
    ticks = range(0, len(order), step)
    ax.set_xticks(ticks, [conditions[order[i]] for i in ticks], rotation=40, ha="right", fontsize=8)
    ax.set_ylabel(axis)
    ax.set_title(title)


def _dodge(i: int, count: int) -> float:
    """Shift each law a little, so that equal values do not hide one another."""
    return DODGE * (i - (count - 1) / 2)


def _law_handles(laws: Sequence[str]) -> list[Line2D]:
    colour, mark = colours(laws), marks(laws)
    return [
        Line2D([], [], linestyle="", marker=mark[law], color=colour[law], label=label(law))
        for law in laws
    ]


def roll_up(
    laws: Sequence[str],
    conditions: Sequence[str],
    grid: Mapping[str, Sequence[Outlier | None]],
) -> Figure:
    """Draw the grid condition x response; a cell names the law that stands apart, and its side."""
    with styled():
        size_in = (3.6 + 0.62 * max(len(conditions), 8), 1.6 + 0.27 * len(grid))
        figure, axes = subplots(1, 1, size_in)
        ax, colour = axes[0], colours(laws)
        for row, found in enumerate(grid.values()):
            for column, outlier in enumerate(found):
                _cell(ax, column, row, outlier, colour)
        ax.set_xlim(0, len(conditions))
        ax.set_ylim(len(grid), 0)
        ax.set_xticks(np.arange(len(conditions)) + 0.5, conditions, rotation=40, ha="left")
        ax.set_yticks(np.arange(len(grid)) + 0.5, list(grid))
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
        figure.legend(handles=_roll_up_handles(laws), loc="outside lower center", ncols=3)
        return figure


def _cell(
    ax: Axes, column: int, row: int, outlier: Outlier | None, colour: Mapping[str, str]
) -> None:
    face = colour[outlier.law] if outlier else EMPTY
    strength = 1.0 if outlier is None or outlier.passes_filter else 0.25
    ax.add_patch(
        Rectangle(
            (column + 0.03, row + 0.05), 0.94, 0.9, facecolor=face, alpha=strength, linewidth=0
        )
    )
    if outlier:
        arrow = (
            "\N{BLACK UP-POINTING TRIANGLE}" if outlier.high else "\N{BLACK DOWN-POINTING TRIANGLE}"
        )
        ax.text(
            column + 0.5,
            row + 0.55,
            f"{outlier.law[:4]}{arrow}",
            ha="center",
            va="center",
            fontsize=7.5,
            color="white" if outlier.passes_filter else "black",
        )


def _roll_up_handles(laws: Sequence[str]) -> list[Patch]:
    colour = colours(laws)
    solid = [Patch(color=colour[law], label=f"{label(law)} apart by 10 % or more") for law in laws]
    return [*solid, Patch(color=GREY, alpha=0.25, label="significant, less than 10 %")]
