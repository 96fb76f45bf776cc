"""The alias picture: how far each effect of a design is mixed with each other one."""

from __future__ import annotations

from itertools import pairwise

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from headgate.figures.plots.style import make_axes, use_style
from headgate.stats.mixing import Mixing

#: Effects that a sheet has room to name, and the side of a cell in inches.
NAMED, CELL_IN = 80, 0.16
LEAST_IN, GREATEST_IN = 4.2, 11.0
COLOURS, ITSELF = "Blues", "#999999"


def aliases(mixed: Mixing, title: str = "") -> Figure:
    """Draw main effects and two-factor interactions against each other.

    White is clear; the darkest cells are effects that are the same column.
    """
    count = len(mixed.effects)
    side = min(max(LEAST_IN, CELL_IN * count + 1.0), GREATEST_IN)
    with use_style():
        figure, axes = make_axes(1, 1, (side + 1.4, side + 0.4))
        ax = axes[0]
        colours = mpl.colormaps[COLOURS].with_extremes(bad=ITSELF)
        others = np.ma.masked_array(mixed.values, np.eye(count, dtype=bool))
        ax.imshow(others, cmap=colours, vmin=0, vmax=1, interpolation="nearest")
        _frame(ax, mixed)
        _ticks(ax, mixed)
        bar = figure.colorbar(
            ScalarMappable(Normalize(0, 1), colours), ax=ax, shrink=0.6, aspect=25
        )
        bar.set_label("|correlation| of two effects (grey: an effect with itself)")
        ax.set_title(title)
        return figure


def _frame(ax: Axes, mixed: Mixing) -> None:
    """Part main effects from interactions, and every first factor's interactions from the next."""
    ax.grid(visible=False)
    ax.spines[:].set_visible(True)
    edge = mixed.main - 0.5
    ax.axhline(edge, color="black", linewidth=1.0)
    ax.axvline(edge, color="black", linewidth=1.0)
    for place in _groups(mixed)[1:]:
        ax.axhline(place - 0.5, color="#BBBBBB", linewidth=0.4)
        ax.axvline(place - 0.5, color="#BBBBBB", linewidth=0.4)


def _groups(mixed: Mixing) -> list[int]:
    """Return where the interactions of each first factor begin."""
    firsts = [effect[0] if len(effect) > 1 else -1 for effect in mixed.effects]
    return [i for i in range(mixed.main, len(firsts)) if firsts[i] != firsts[i - 1]]


def _ticks(ax: Axes, mixed: Mixing) -> None:
    """Name every effect where there is room, else the factors and who leads each group."""
    if len(mixed.effects) <= NAMED:
        places = list(range(len(mixed.effects)))
        names = [mixed.text(effect) for effect in mixed.effects]
    else:
        starts = [*_groups(mixed), len(mixed.effects)]
        wide = [(a, b) for a, b in pairwise(starts) if b - a > 3]
        places = [(mixed.main - 1) // 2, *((a + b - 1) // 2 for a, b in wide)]
        leads = [mixed.names[mixed.effects[a][0]] for a, _ in wide]
        names = ["main effects", *(f"{lead}\N{MULTIPLICATION SIGN}..." for lead in leads)]
    ax.set_xticks(places, names, rotation=90, fontsize=7.5)
    ax.set_yticks(places, names, fontsize=7.5)
    ax.tick_params(length=2)
