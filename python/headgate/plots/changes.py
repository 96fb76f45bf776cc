"""The change of every response under every condition, one grid a law."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from headgate.catalog import label
from headgate.plots.condition_axis import ConditionAxis, draw_conditions
from headgate.plots.palette import (
    GREY,
    NOTHING,
    SIGNED_MAP,
    SIGNED_SCALE,
    ink_on_signed,
    signed_colour,
)
from headgate.plots.style import subplots, tiles, use_style
from headgate.stats.changes import Change

LEAST_WRITTEN = 0.005
CELL_IN = (0.47, 0.27)
LABELS_IN = (2.9, 1.2)

Grid = Mapping[str, Sequence[Change]]


def changes(panels: Mapping[str, Grid], conditions: ConditionAxis) -> Figure:
    """Draw a grid response x condition for each law; `panels`: title -> response -> changes."""
    rows = list(next(iter(panels.values())))
    width_in = LABELS_IN[0] + CELL_IN[0] * len(panels) * max(len(conditions.names), 6)
    with use_style():
        size_in = (width_in, LABELS_IN[1] + conditions.height_in + CELL_IN[1] * len(rows))
        figure, axes = subplots(1, len(panels), size_in, sharey=True)
        for ax, (title, grid) in zip(axes, panels.items(), strict=True):
            _panel(ax, grid, conditions, first=ax is axes[0])
            ax.set_title(label(title), fontweight="bold")
        axes[0].set_yticks(np.arange(len(rows)) + 0.5, rows)
        axes[len(axes) // 2].set_xlabel("condition, congestion grows to the right")
        _colour_bar(figure, axes)
        return figure


def _panel(ax: Axes, grid: Grid, conditions: ConditionAxis, *, first: bool) -> None:
    colours = [[_colour(cell) for cell in row] for row in grid.values()]
    tiles(ax, colours)
    draw_conditions(ax, conditions, shift=0.5, first=first)
    if len(conditions.names) <= 12:
        _write(ax, grid)


def _write(ax: Axes, grid: Grid) -> None:
    """Write the significant changes in %, those below 10 % in grey."""
    for y, row in enumerate(grid.values()):
        for x, cell in enumerate(row):
            if cell.significant and abs(cell.share) >= LEAST_WRITTEN:
                ink = ink_on_signed(cell.share) if cell.matters else GREY
                text = str(cell).removesuffix(" %")
                ax.text(x + 0.5, y + 0.53, text, ha="center", va="center", fontsize=7, color=ink)


def _colour(cell: Change) -> tuple[float, float, float, float]:
    return signed_colour(cell.share) if cell.significant else to_rgba(NOTHING)


def _colour_bar(figure: Figure, axes: Sequence[Axes]) -> None:
    bar = figure.colorbar(
        ScalarMappable(SIGNED_SCALE, SIGNED_MAP),
        ax=list(axes),
        shrink=0.6,
        aspect=30,
        pad=0.01,
        extend="max",
        format=ticker.PercentFormatter(1),
    )
    bar.set_label("change")
