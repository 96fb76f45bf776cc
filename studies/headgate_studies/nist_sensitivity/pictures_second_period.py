"""Two pictures of the source's slides: main effects on y1, and correlations in three classes."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from headgate.figures import ORDER, draw_tiles, make_axes, use_style
from headgate.lab import Picture
from headgate.stats import Effect
from headgate_studies.nist.responses import NUMBERED
from headgate_studies.nist_sensitivity.published import FACTORS, TRANSMITTING
from headgate_studies.nist_sensitivity.responses import TITLES
from headgate_studies.nist_sensitivity.summary import CONGESTED, Sensitivity

#: The source's classes of |r| times 100, from the strongest on: least value, colour, words.
CLASSES = (
    (80, "#C0392B", "80 to 100"),
    (30, "#3B6FA0", "30 to 79"),
    (0, "#CBE5BE", "below 30"),
)
DARK_FROM = 30


def draw_transmitting(of: Sensitivity) -> Picture:
    """Draw what each of the twenty parameters does to the sources transmitting: slide 1(a)."""
    of.require(*FACTORS)
    return Picture(
        "transmitting",
        "Main effects on the number of sources transmitting",
        "Mean of y1 at the minus and the plus level of each parameter, second period; the line is"
        " the mean of all runs. ** p < 0.01, * p < 0.05, one-way. Filled: the six that the source"
        " finds significant.",
        _draw_effects(of),
    )


def _draw_effects(of: Sensitivity) -> Figure:
    effects = [of.by_period.one(name, "y1", CONGESTED) for name in FACTORS]
    with use_style():
        figure, axes = make_axes(1, 1, (11.5, 4.4))
        ax = axes[0]
        for place, effect in enumerate(effects):
            _draw_effect(ax, place, effect)
        ax.axhline((effects[0].mean_low + effects[0].mean_high) / 2, color="#777777", lw=0.8)
        ax.set_xticks(range(len(FACTORS)), FACTORS)
        ax.set_xlim(-0.6, len(FACTORS) - 0.4)
        ax.margins(y=0.12)
        ax.grid(axis="x", visible=False)
        ax.set_ylabel("sources transmitting (y1)")
        ax.set_xlabel("parameter, minus level at the left and plus level at the right of each pair")
        return figure


def _draw_effect(ax: Axes, place: int, effect: Effect) -> None:
    own = effect.factor in TRANSMITTING
    ax.plot(
        [place - 0.22, place + 0.22], [effect.mean_low, effect.mean_high], marker="o", markersize=6,
        color=ORDER[0], markerfacecolor=ORDER[0] if own else "white",
    )  # fmt: skip
    top = max(effect.mean_low, effect.mean_high)
    ax.annotate(effect.stars, (place, top), (0, 5), textcoords="offset points", ha="center")


def draw_classes(of: Sensitivity) -> Picture:
    """Draw the correlations of the 22 responses in the source's three classes."""
    return Picture(
        "correlation-classes",
        "Correlations of the responses in three classes",
        "100 |r| of each pair of responses over all runs, second period; the colour is the class"
        " that the source draws it in.",
        _draw_matrix(of),
    )


def _draw_matrix(of: Sensitivity) -> Figure:
    names = [name for name in NUMBERED if name in of.groups.responses]
    rows = [of.groups.responses.index(name) for name in names]
    percent = np.round(100 * np.abs(of.groups.r[np.ix_(rows, rows)]))
    with use_style():
        figure, axes = make_axes(1, 1, (8.8, 7.6))
        ax = axes[0]
        draw_tiles(ax, [[to_rgba(_colour(value)) for value in row] for row in percent])
        for (y, x), value in np.ndenumerate(percent):
            if np.isfinite(value):
                ink = "black" if value < DARK_FROM else "white"
                place = (x + 0.5, y + 0.53)
                ax.text(*place, f"{value:.0f}", ha="center", va="center", color=ink, fontsize=7.5)
        places = np.arange(len(names)) + 0.5
        ax.set_xticks(places, names, fontsize=8)
        ax.set_yticks(places, [TITLES[name] for name in names], fontsize=8)
        ax.xaxis.tick_top()
        handles = [Patch(color=colour, label=f"100 |r| {words}") for _, colour, words in CLASSES]
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
        return figure


def _colour(percent: float) -> str:
    """Return the colour of a class; a response that does not vary has none."""
    if not np.isfinite(percent):
        return "#FFFFFF"
    return next(colour for least, colour, _ in CLASSES if percent >= least)
