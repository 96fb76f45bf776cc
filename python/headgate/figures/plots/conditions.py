"""Grids of conditions: residuals, outliers, changes; and answers by algorithm and question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from headgate.base.catalog import label
from headgate.figures.plots.palette import (
    NOTHING,
    SIGNED,
    SIGNED_SCALE,
    SMALL,
    VERDICT,
    Diverging,
    ink_on_signed,
)
from headgate.figures.plots.style import (
    cca_handles,
    colours,
    draw_tiles,
    make_axes,
    marks,
    use_style,
)
from headgate.figures.spec.looks import GREY
from headgate.figures.spec.selection import find_readable
from headgate.stats.changes import Change
from headgate.stats.outliers import Outlier, Residuals

#: Letters of the longest slanted name of a condition; longer names are vertical.
SLANTED = 24
#: The height that a letter of a name takes, aslant and upright, and that of a row of marks.
SLANTED_IN, UPRIGHT_IN, ROW_IN = 0.04, 0.065, 0.15
#: Distance of marks from the axis, and of what they say from its end.
PAD_POINTS, LEFT_POINTS = 4.0, 7.0
MARK_TEXT: dict[str, Any] = {"fontsize": 8, "linespacing": 1.25}


@dataclass(frozen=True)
class ConditionAxis:
    """Names of conditions; with `rows`, a name is a column of marks, one per row."""

    names: Sequence[str]
    rows: Sequence[str] = ()

    @property
    def height_in(self) -> float:
        """The height that the axis takes below its picture, in inches."""
        if self.rows:
            return ROW_IN * len(self.rows)
        letter_in = UPRIGHT_IN if _is_upright(self.names) else SLANTED_IN
        return letter_in * max(map(len, self.names))

    def reorder(self, order: Sequence[int]) -> ConditionAxis:
        """Return the axis of those conditions, in that order."""
        return ConditionAxis([self.names[place] for place in order], self.rows)


def draw_conditions(  # noqa: PLR0913 - separate choices
    ax: Axes,
    axis: ConditionAxis,
    *,
    shift: float = 0.0,
    step: int = 1,
    top: bool = False,
    first: bool = True,
) -> None:
    """Name every `step`-th of the places 0, 1, ... of an axis, shifted by `shift`.

    The `first` panel of a row explains the rows of marks.
    """
    places = np.arange(0, len(axis.names), step)
    named = list(axis.names[::step])
    if top:
        ax.xaxis.tick_top()
    if not axis.rows:
        ax.set_xticks(places + shift, named, fontsize=8, **_turn(named, top))
        return
    ax.set_xticks(places + shift, named, **MARK_TEXT)
    ax.tick_params(axis="x", pad=PAD_POINTS, length=0)
    if first:
        _say_rows(ax, axis.rows, top)


def _turn(names: Sequence[str], top: bool) -> dict[str, Any]:
    if _is_upright(names):
        return {"rotation": 90, "ha": "center"}
    return {"rotation": 40, "ha": "left" if top else "right"}


def _is_upright(names: Sequence[str]) -> bool:
    return max(map(len, names)) > SLANTED


def _say_rows(ax: Axes, rows: Sequence[str], top: bool) -> None:
    ax.annotate(
        "\n".join(rows),
        xy=(0, 1 if top else 0),
        xycoords="axes fraction",
        xytext=(-LEFT_POINTS, PAD_POINTS if top else -PAD_POINTS),
        textcoords="offset points",
        ha="right",
        va="bottom" if top else "top",
        annotation_clip=False,
        **MARK_TEXT,
    )


COLUMNS = 2
DODGE = 0.13
#: Letters that fit into a cell of the roll-up.
CELL_LETTERS = 7
#: The width of a panel of residuals, that of its rows of marks, algorithms that fit below.
PANEL_IN, ROWS_IN, CCAS_BELOW = 5.4, 1.6, 4
#: A cell of the roll-up, a letter of a row's name, a line of the legend, and its columns.
OUTLIER_IN, LETTER_IN, LEGEND_IN, LEGEND_COLUMNS = (0.62, 0.27), 0.074, 0.21, 3
#: The fewest conditions that leave the legend its width.
LEAST_ACROSS = 8
#: Conditions that it has room to name.
NAMED, MARKED = 32, 40


def residuals(panels: Mapping[str, tuple[str, Residuals]], conditions: ConditionAxis) -> Figure:
    """Draw residuals of the CCAs about each condition's mean; `panels`: title -> (axis, data)."""
    ccas = next(iter(panels.values()))[1].ccas
    with use_style():
        columns = min(COLUMNS, len(panels))
        rows = -(-len(panels) // columns)
        high_in = 3.6 + conditions.height_in
        wide_in = PANEL_IN + (ROWS_IN if conditions.rows else 0.0)
        figure, axes = make_axes(
            rows, columns, (0.7 + wide_in * columns, high_in * rows + 0.5), count=len(panels)
        )
        for ax, (title, (axis, data)) in zip(axes, panels.items(), strict=False):
            _draw_residuals(ax, data, conditions, title, axis)
        handles = cca_handles(ccas)
        across = min(len(ccas), CCAS_BELOW * columns)
        figure.legend(handles=handles, loc="outside lower center", ncols=across)
        return figure


def _draw_residuals(
    ax: Axes, data: Residuals, conditions: ConditionAxis, title: str, axis: str
) -> None:
    colour, mark = colours(data.ccas), marks(data.ccas)
    order = data.order
    scale, title = find_readable(title, data.values.ravel())
    ax.axhline(0, color=GREY, linewidth=0.8)
    for i, cca in enumerate(data.ccas):
        ax.plot(
            # shifted a little, so that equal values do not hide each other
            np.arange(len(order)) + DODGE * (i - (len(data.ccas) - 1) / 2),
            scale * data.values[order, i],
            linestyle="",
            marker=mark[cca],
            color=colour[cca],
            label=cca,
            markeredgecolor="white",
            markeredgewidth=0.5,
        )
    step = -(-len(order) // (MARKED if conditions.rows else NAMED))
    draw_conditions(ax, conditions.reorder(order.tolist()), step=step)
    ax.set_ylabel(axis)
    ax.set_title(title)


def roll_up(
    ccas: Sequence[str],
    conditions: ConditionAxis,
    grid: Mapping[str, Sequence[Outlier | None]],
) -> Figure:
    """Draw the grid condition x response; a cell names the outlier, and its side."""
    with use_style():
        figure, axes = make_axes(1, 1, _roll_up_size_in(ccas, conditions, list(grid)))
        ax, colour = axes[0], colours(ccas)
        faces = [[_outlier_face(outlier, colour) for outlier in found] for found in grid.values()]
        draw_tiles(ax, faces)
        for row, found in enumerate(grid.values()):
            for column, outlier in enumerate(found):
                _write_outlier(ax, column, row, outlier)
        draw_conditions(ax, conditions, shift=0.5, top=True)
        ax.set_yticks(np.arange(len(grid)) + 0.5, list(grid))
        figure.legend(
            handles=_roll_up_handles(ccas),
            loc="outside lower center",
            ncols=LEGEND_COLUMNS,
            title="Apart by 10 % or more",
        )
        return figure


def _roll_up_size_in(
    ccas: Sequence[str], conditions: ConditionAxis, responses: Sequence[str]
) -> tuple[float, float]:
    longest = max(map(len, (*responses, *conditions.rows)))
    wide_in = 0.5 + LETTER_IN * longest + OUTLIER_IN[0] * max(len(conditions.names), LEAST_ACROSS)
    entries = len(ccas) + 1
    legend_in = LEGEND_IN * (1 - (-entries // LEGEND_COLUMNS))
    high_in = 0.4 + conditions.height_in + OUTLIER_IN[1] * len(responses) + legend_in
    return wide_in, high_in


def _outlier_face(outlier: Outlier | None, colour: Mapping[str, str]) -> tuple[float, ...]:
    if outlier is None:
        return to_rgba(NOTHING)
    return to_rgba(colour[outlier.cca], 1.0 if outlier.passes_filter else SMALL)


def _write_outlier(ax: Axes, column: int, row: int, outlier: Outlier | None) -> None:
    if outlier:
        arrow = (
            "\N{BLACK UP-POINTING TRIANGLE}" if outlier.high else "\N{BLACK DOWN-POINTING TRIANGLE}"
        )
        ax.text(
            column + 0.5,
            row + 0.55,
            f"{_short(outlier.cca)}{arrow}",
            ha="center",
            va="center",
            fontsize=7.5,
            color="white" if outlier.passes_filter else "black",
        )


def _short(cca: str) -> str:
    return cca if len(cca) <= CELL_LETTERS else cca[:4]


def _roll_up_handles(ccas: Sequence[str]) -> list[Patch]:
    colour = colours(ccas)
    solid = [Patch(color=colour[cca], label=label(cca)) for cca in ccas]
    return [*solid, Patch(color=GREY, alpha=SMALL, label="by less")]


LEAST_WRITTEN = 0.005
CELL_IN = (0.47, 0.27)
LABELS_IN = (2.9, 1.2)
#: The most columns of grids side by side; wider grids are drawn one above the other.
MOST_ABREAST = 48
#: The height of the title of a grid below another one.
TITLE_IN = 0.25

Grid = Mapping[str, Sequence[Change]]
Worse = Mapping[str, int]
"""By response the sign of a change for the worse; one of which neither way is worse has none."""


def draw_changes(
    panels: Mapping[str, Grid], conditions: ConditionAxis, worse: Worse, *, by_congestion: bool
) -> Figure:
    """Draw a grid response x condition for each algorithm; `panels`: title -> response -> changes.

    Two colours mean worse and better, as on a report's first screen; two others mean more and less
    if neither is better. Grids that are too wide together are drawn one above the other.
    """
    rows = list(next(iter(panels.values())))
    across, high = _arrange(len(panels), len(conditions.names))
    width_in = LABELS_IN[0] + CELL_IN[0] * across * max(len(conditions.names), 6)
    height_in = conditions.height_in + high * CELL_IN[1] * len(rows) + TITLE_IN * (high - 1)
    with use_style():
        size_in = (width_in, LABELS_IN[1] + height_in)
        figure, axes = make_axes(high, across, size_in, sharex=True, sharey=True)
        for ax, (title, grid) in zip(axes, panels.items(), strict=True):
            _draw_changes(ax, grid, worse)
            ax.set_title(label(title), fontweight="bold")
        for ax in axes[-across:]:
            draw_conditions(ax, conditions, shift=0.5, first=ax is axes[-across])
        for ax in axes[::across]:
            ax.set_yticks(np.arange(len(rows)) + 0.5, rows)
        said = "condition, congestion grows to the right" if by_congestion else "condition"
        axes[-across + across // 2].set_xlabel(said)
        for scale in _scales(rows, worse):
            _colour_bar(figure, axes, 0.6 / high, *scale)
        return figure


def _arrange(panels: int, conditions: int) -> tuple[int, int]:
    """Return the number of grids side by side, and one above the other."""
    return (panels, 1) if panels * conditions <= MOST_ABREAST else (1, panels)


def _draw_changes(ax: Axes, grid: Grid, worse: Worse) -> None:
    colours = [[_change_face(cell, worse.get(name)) for cell in row] for name, row in grid.items()]
    draw_tiles(ax, colours)
    if len(next(iter(grid.values()))) <= 12:
        _write_changes(ax, grid)


def _write_changes(ax: Axes, grid: Grid) -> None:
    """Write the significant changes in %; changes below 10 % are grey."""
    for y, row in enumerate(grid.values()):
        for x, cell in enumerate(row):
            if cell.significant and abs(cell.share) >= LEAST_WRITTEN:
                ink = ink_on_signed(cell.share) if cell.matters else GREY
                text = cell.write().removesuffix(" %")
                ax.text(x + 0.5, y + 0.53, text, ha="center", va="center", fontsize=7, color=ink)


def _change_face(cell: Change, worse: int | None) -> tuple[float, float, float, float]:
    if not cell.significant:
        return to_rgba(NOTHING)
    return SIGNED.colour(cell.share) if worse is None else VERDICT.colour(worse * cell.share)


def _scales(rows: Sequence[str], worse: Worse) -> Iterator[tuple[Diverging, str, str]]:
    """Yield the colours of the rows and the names of both ends."""
    directed = {name in worse for name in rows}
    if True in directed:
        yield VERDICT, "better", "worse"
    if False in directed:
        yield SIGNED, "less", "more"


def _colour_bar(  # noqa: PLR0913, PLR0917 - the parts of a scale
    figure: Figure, axes: Sequence[Axes], shrink: float, colours: Diverging, low: str, high: str
) -> None:
    bar = figure.colorbar(
        ScalarMappable(SIGNED_SCALE, colours.map),
        ax=list(axes),
        shrink=shrink,
        aspect=30,
        pad=0.01,
        extend="both",
        format=ticker.FuncFormatter(lambda share, _: f"{100 * abs(share):.0f} %"),
    )
    bar.set_label(f"{low} \N{LEFTWARDS ARROW} change \N{RIGHTWARDS ARROW} {high}")


GOOD, BAD, NEITHER, NONE = "#56B4E9", "#E69F00", "#DDDDDD", "#F8F8F8"


def draw_answers(
    ccas: Sequence[str], words: Mapping[str, Mapping[str, str]], tones: Mapping[str, int]
) -> Figure:
    """Draw a row per CCA, a column per question; `tones` marks good words (1) and bad ones (-1)."""
    faces = [[_answer_face(of.get(cca), tones) for of in words.values()] for cca in ccas]
    with use_style():
        figure, axes = make_axes(1, 1, (1.6 + 1.9 * len(words), 1.3 + 0.36 * len(ccas)))
        ax = axes[0]
        draw_tiles(ax, faces)
        for row, cca in enumerate(ccas):
            for column, of in enumerate(words.values()):
                word = of.get(cca, "\N{EN DASH}")
                ax.text(column + 0.5, row + 0.5, word, ha="center", va="center", fontsize=8.5)
        ax.set_xticks(np.arange(len(words)) + 0.5, [name.partition(":")[0] for name in words])
        ax.set_yticks(np.arange(len(ccas)) + 0.5, [label(cca) for cca in ccas])
        ax.xaxis.tick_top()
        return figure


def _answer_face(word: str | None, tones: Mapping[str, int]) -> tuple[float, ...]:
    if word is None:
        return to_rgba(NONE)
    return to_rgba({1: GOOD, -1: BAD}.get(tones.get(word, 0), NEITHER))
