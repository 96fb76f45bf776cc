"""Condition-response pictures: residuals by condition, and the roll-up of outliers."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from headgate.base.catalog import label
from headgate.figures.plots.condition_axis import ConditionAxis, draw_conditions
from headgate.figures.plots.palette import GREY, NOTHING, SMALL
from headgate.figures.plots.readable import find_readable
from headgate.figures.plots.style import colours, draw_tiles, make_axes, marks, use_style
from headgate.stats.conditions import Outlier, Residuals

COLUMNS = 2
DODGE = 0.13
#: Letters that fit into a cell of the roll-up.
FITS = 7
#: The width of a panel of residuals, what its rows of marks take besides, laws that fit below.
PANEL_IN, ROWS_IN, LAWS_BELOW = 5.4, 1.6, 4
#: A cell of the roll-up, a letter of a row's name, a line of the legend, and its columns.
CELL_IN, LETTER_IN, LEGEND_IN, LEGEND_COLUMNS = (0.62, 0.27), 0.074, 0.21, 3
#: The fewest conditions that leave the legend its width.
LEAST_ACROSS = 8
#: Conditions that it has room to name.
NAMED, MARKED = 16, 40


def residuals(panels: Mapping[str, tuple[str, Residuals]], conditions: ConditionAxis) -> Figure:
    """Draw residuals of the laws about each condition's mean; `panels`: title -> (axis, data)."""
    laws = next(iter(panels.values()))[1].laws
    with use_style():
        columns = min(COLUMNS, len(panels))
        rows = -(-len(panels) // columns)
        high_in = 3.6 + conditions.height_in
        wide_in = PANEL_IN + (ROWS_IN if conditions.rows else 0.0)
        figure, axes = make_axes(rows, columns, (0.7 + wide_in * columns, high_in * rows + 0.5))
        for ax, (title, (axis, data)) in zip(axes, panels.items(), strict=False):
            _panel(ax, data, conditions, title, axis)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        handles = _law_handles(laws)
        across = min(len(laws), LAWS_BELOW * columns)
        figure.legend(handles=handles, loc="outside lower center", ncols=across)
        return figure


def _panel(ax: Axes, data: Residuals, conditions: ConditionAxis, title: str, axis: str) -> None:
    colour, mark = colours(data.laws), marks(data.laws)
    order = data.order
    scale, title = find_readable(title, data.values.ravel())
    ax.axhline(0, color=GREY, linewidth=0.8)
    for i, law in enumerate(data.laws):
        ax.plot(
            np.arange(len(order)) + _dodge(i, len(data.laws)),
            scale * data.values[order, i],
            linestyle="",
            marker=mark[law],
            color=colour[law],
            label=law,
            markeredgecolor="white",
            markeredgewidth=0.5,
        )
    step = -(-len(order) // (MARKED if conditions.rows else NAMED))
    draw_conditions(ax, conditions.reorder(order.tolist()), step=step)
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
    conditions: ConditionAxis,
    grid: Mapping[str, Sequence[Outlier | None]],
) -> Figure:
    """Draw the grid condition x response; a cell names the outlier, and its side."""
    with use_style():
        figure, axes = make_axes(1, 1, _roll_up_size_in(laws, conditions, list(grid)))
        ax, colour = axes[0], colours(laws)
        faces = [[_face(outlier, colour) for outlier in found] for found in grid.values()]
        draw_tiles(ax, faces)
        for row, found in enumerate(grid.values()):
            for column, outlier in enumerate(found):
                _write(ax, column, row, outlier)
        draw_conditions(ax, conditions, shift=0.5, top=True)
        ax.set_yticks(np.arange(len(grid)) + 0.5, list(grid))
        figure.legend(
            handles=_roll_up_handles(laws),
            loc="outside lower center",
            ncols=LEGEND_COLUMNS,
            title="Apart by 10 % or more",
        )
        return figure


def _roll_up_size_in(
    laws: Sequence[str], conditions: ConditionAxis, responses: Sequence[str]
) -> tuple[float, float]:
    """Return width and height with room for the names of rows and conditions, and the legend."""
    longest = max(map(len, (*responses, *conditions.rows)))
    wide_in = 0.5 + LETTER_IN * longest + CELL_IN[0] * max(len(conditions.names), LEAST_ACROSS)
    entries = len(laws) + 1
    legend_in = LEGEND_IN * (1 - (-entries // LEGEND_COLUMNS))
    high_in = 0.4 + conditions.height_in + CELL_IN[1] * len(responses) + legend_in
    return wide_in, high_in


def _face(outlier: Outlier | None, colour: Mapping[str, str]) -> tuple[float, ...]:
    if outlier is None:
        return to_rgba(NOTHING)
    return to_rgba(colour[outlier.law], 1.0 if outlier.passes_filter else SMALL)


def _write(ax: Axes, column: int, row: int, outlier: Outlier | None) -> None:
    if outlier:
        arrow = (
            "\N{BLACK UP-POINTING TRIANGLE}" if outlier.high else "\N{BLACK DOWN-POINTING TRIANGLE}"
        )
        ax.text(
            column + 0.5,
            row + 0.55,
            f"{_short(outlier.law)}{arrow}",
            ha="center",
            va="center",
            fontsize=7.5,
            color="white" if outlier.passes_filter else "black",
        )


def _short(law: str) -> str:
    """Return what fits into a cell."""
    return law if len(law) <= FITS else law[:4]


def _roll_up_handles(laws: Sequence[str]) -> list[Patch]:
    colour = colours(laws)
    solid = [Patch(color=colour[law], label=label(law)) for law in laws]
    return [*solid, Patch(color=GREY, alpha=SMALL, label="by less")]
