"""The change of every response under every condition, one grid a law."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from headgate.base.catalog import label
from headgate.figures.plots.condition_axis import ConditionAxis, draw_conditions
from headgate.figures.plots.palette import (
    GREY,
    NOTHING,
    SIGNED,
    SIGNED_SCALE,
    VERDICT,
    Diverging,
    ink_on_signed,
)
from headgate.figures.plots.style import draw_tiles, make_axes, use_style
from headgate.stats.changes import Change

LEAST_WRITTEN = 0.005
CELL_IN = (0.47, 0.27)
LABELS_IN = (2.9, 1.2)

Grid = Mapping[str, Sequence[Change]]
Worse = Mapping[str, int]
"""By response the sign of a change for the worse; one of which neither way is worse has none."""


def draw_changes(
    panels: Mapping[str, Grid], conditions: ConditionAxis, worse: Worse, *, by_congestion: bool
) -> Figure:
    """Draw a grid response x condition for each law; `panels`: title -> response -> changes.

    Colours say what is worse and better, as on a report's first screen; other colours say what is
    more and less where neither is better.
    """
    rows = list(next(iter(panels.values())))
    width_in = LABELS_IN[0] + CELL_IN[0] * len(panels) * max(len(conditions.names), 6)
    with use_style():
        size_in = (width_in, LABELS_IN[1] + conditions.height_in + CELL_IN[1] * len(rows))
        figure, axes = make_axes(1, len(panels), size_in, sharey=True)
        for ax, (title, grid) in zip(axes, panels.items(), strict=True):
            _panel(ax, grid, conditions, worse, first=ax is axes[0])
            ax.set_title(label(title), fontweight="bold")
        axes[0].set_yticks(np.arange(len(rows)) + 0.5, rows)
        said = "condition, congestion grows to the right" if by_congestion else "condition"
        axes[len(axes) // 2].set_xlabel(said)
        for scale in _scales(rows, worse):
            _colour_bar(figure, axes, *scale)
        return figure


def _panel(ax: Axes, grid: Grid, conditions: ConditionAxis, worse: Worse, *, first: bool) -> None:
    colours = [[_colour(cell, worse.get(name)) for cell in row] for name, row in grid.items()]
    draw_tiles(ax, colours)
    draw_conditions(ax, conditions, shift=0.5, first=first)
    if len(conditions.names) <= 12:
        _write(ax, grid)


def _write(ax: Axes, grid: Grid) -> None:
    """Write the significant changes in %, those below 10 % in grey."""
    for y, row in enumerate(grid.values()):
        for x, cell in enumerate(row):
            if cell.significant and abs(cell.share) >= LEAST_WRITTEN:
                ink = ink_on_signed(cell.share) if cell.matters else GREY
                text = cell.write().removesuffix(" %")
                ax.text(x + 0.5, y + 0.53, text, ha="center", va="center", fontsize=7, color=ink)


def _colour(cell: Change, worse: int | None) -> tuple[float, float, float, float]:
    if not cell.significant:
        return to_rgba(NOTHING)
    return SIGNED.colour(cell.share) if worse is None else VERDICT.colour(worse * cell.share)


def _scales(rows: Sequence[str], worse: Worse) -> Iterator[tuple[Diverging, str, str]]:
    """Yield the colours that the rows use, and what their ends are called."""
    directed = {name in worse for name in rows}
    if True in directed:
        yield VERDICT, "better", "worse"
    if False in directed:
        yield SIGNED, "less", "more"


def _colour_bar(
    figure: Figure, axes: Sequence[Axes], colours: Diverging, low: str, high: str
) -> None:
    bar = figure.colorbar(
        ScalarMappable(SIGNED_SCALE, colours.map),
        ax=list(axes),
        shrink=0.6,
        aspect=30,
        pad=0.01,
        extend="both",
        format=ticker.FuncFormatter(lambda share, _: f"{100 * abs(share):.0f} %"),
    )
    bar.set_label(f"{low} \N{LEFTWARDS ARROW} change \N{RIGHTWARDS ARROW} {high}")
