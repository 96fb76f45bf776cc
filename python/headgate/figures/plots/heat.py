"""Heat maps with their numbers: rows by columns, one panel or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from headgate.figures.plots.style import make_axes, use_style

CELL_IN = (0.42, 0.27)
LABELS_IN = (1.3, 1.3)
LETTER_IN = 0.075
DARK = 0.62
MISSING = "#EEEEEE"


@dataclass(frozen=True)
class Heat:
    """One panel: values by row and column, their colours and format."""

    title: str
    values: NDArray[np.float64]
    columns: Sequence[str]
    low: float
    high: float
    colours: str = "viridis"
    scale: float = 1.0
    groups: Mapping[int, str] = field(default_factory=dict)
    label: str = ""
    digits: int = 0


def draw_heat(
    rows: Sequence[str],
    panels: Sequence[Heat],
    below: str = "",
    left: str = "",
    *,
    across: int = 1,
) -> Figure:
    """Draw panels, `across` of them in a row; no number if nothing was run.

    `groups` of a panel name the columns from one place on.
    """
    down = -(-len(panels) // across)
    width = CELL_IN[0] * len(panels[0].columns) + 0.9
    below_in = max(LABELS_IN[1], *(LETTER_IN * len(name) for p in panels for name in p.columns))
    height = CELL_IN[1] * len(rows) + below_in
    with use_style():
        size_in = (
            max(LABELS_IN[0], LETTER_IN * max(map(len, rows))) + across * width,
            down * height,
        )
        figure, axes = make_axes(down, across, size_in)
        for ax, panel in zip(axes, panels, strict=True):
            _panel(figure, ax, panel)
            ax.set_yticks(np.arange(len(rows)), rows)
            ax.set(xlabel=below, ylabel=left)
        return figure


def _panel(figure: Figure, ax: Axes, panel: Heat) -> None:
    norm, colours = Normalize(panel.low, panel.high, clip=True), mpl.colormaps[panel.colours]
    shown = np.array([[_shade(v, norm, colours) for v in row] for row in panel.values])
    ax.imshow(shown, aspect="auto", interpolation="nearest")
    for (y, x), value in np.ndenumerate(panel.values):
        if np.isfinite(value):
            ink = "white" if _is_dark(shown[y, x]) else "black"
            text = f"{panel.scale * value:z.{panel.digits}f}"
            ax.text(x, y, text, ha="center", va="center", fontsize=7.5, color=ink)
    ax.set_xticks(range(len(panel.columns)), panel.columns, rotation=90, fontsize=8.5)
    ax.set_title(panel.title, pad=20 if panel.groups else 6)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    edges = [*panel.groups, len(panel.columns)]
    for begin, end in pairwise(edges):
        ax.axvline(begin - 0.5, color="white", linewidth=2.5)
        middle = (begin + end - 1) / 2
        ax.text(middle, -0.65, panel.groups[begin], ha="center", va="bottom", fontsize=8.5)
    written = Normalize(panel.scale * panel.low, panel.scale * panel.high)
    bar = figure.colorbar(
        ScalarMappable(written, colours),
        ax=ax,
        shrink=0.6,
        aspect=25,
        pad=0.02,
        extend=_find_clipped(panel),
    )
    bar.set_label(panel.label)


def _find_clipped(panel: Heat) -> str:
    """Return the ends of the colours beyond which there are values, as Matplotlib names them."""
    below, above = (panel.values < panel.low).any(), (panel.values > panel.high).any()
    return {(True, True): "both", (True, False): "min", (False, True): "max"}.get(
        (bool(below), bool(above)), "neither"
    )


def _shade(value: float, norm: Normalize, colours: mpl.colors.Colormap) -> tuple[float, ...]:
    return tuple(colours(norm(value))) if np.isfinite(value) else mpl.colors.to_rgba(MISSING)


def _is_dark(rgba: NDArray[np.float64]) -> bool:
    return float(np.dot(rgba[:3], (0.299, 0.587, 0.114))) < DARK - 0.1
