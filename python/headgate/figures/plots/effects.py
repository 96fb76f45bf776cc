"""Main effects: one response's factors side by side, and the significance of all at a glance."""

from collections.abc import Mapping, Sequence
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from headgate.figures.plots.palette import GREY, NOTHING, STRONG, WEAK
from headgate.figures.plots.readable import find_readable
from headgate.figures.plots.style import draw_tiles, make_axes, use_style
from headgate.stats.factor_effect import FactorEffect

#: Number of levels, each this wide (in), that fit beside each other on a sheet.
WIDTH_IN, LEVEL_IN = 11.5, 0.275
#: Characters of a factor's name for each level in the line below: 13 run into the next at two.
NAME = 6
#: Characters of a level that stand upright below its mean; longer ones lie along it.
SHORT_LEVEL = 4
COLOURS = {"**": STRONG, "*": WEAK, "": GREY}


def main_effects(
    responses: Mapping[str, Sequence[FactorEffect]],
    axis_titles: Mapping[str, str] | None = None,
    factor_titles: Mapping[str, str] | None = None,
) -> Figure:
    """Draw, for each response, its mean at every level of every factor, with its interval."""
    levels = max(sum(_width(one) for one in effects) for effects in responses.values())
    columns = min(max(1, int(WIDTH_IN / (LEVEL_IN * levels + 0.6))), 3, len(responses))
    with use_style():
        rows = -(-len(responses) // columns)
        figure, axes = make_axes(rows, columns, (WIDTH_IN, 2.9 * rows + 0.3))
        for ax, (name, effects) in zip(axes, responses.items(), strict=False):
            _one_response(ax, effects, (axis_titles or {}).get(name, name), factor_titles or {})
        for ax in axes[len(responses) :]:
            ax.set_visible(False)
        return figure


def _width(effect: FactorEffect) -> int:
    return max(2, len(effect.levels))


def _one_response(
    ax: Axes, effects: Sequence[FactorEffect], title: str, factor_titles: Mapping[str, str]
) -> None:
    every = [one.mean for effect in effects for one in effect.levels]
    scale, title = find_readable(title, every)
    if every:
        ax.axhline(scale * float(np.mean(every)), color=GREY, linestyle="--", linewidth=0.8)
    ticks, labels, centres, left = [], [], [], 0.0
    for effect in effects:
        places = left + np.arange(len(effect.levels))
        _one_factor(ax, effect, places, scale)
        ticks += places.tolist()
        labels += [one.level for one in effect.levels]
        centres.append(left + (_width(effect) - 1) / 2)
        left += _width(effect) + 0.5
    ax.margins(y=0.22)
    if every and min(every) >= 0:
        ax.set_ylim(bottom=max(0.0, ax.get_ylim()[0]))
    upright = all(len(label) <= SHORT_LEVEL for label in labels)
    ax.set_xticks(ticks, labels, rotation=0 if upright else 90, fontsize=7)
    for effect, centre in zip(effects, centres, strict=True):
        name = fill(factor_titles.get(effect.factor, effect.factor), NAME * _width(effect))
        ax.text(centre, 1.0, name, transform=ax.get_xaxis_transform(), ha="center", va="top",
                fontsize=8)  # fmt: skip
    ax.set_xlim(-0.8, left - 0.7)
    ax.grid(axis="x", visible=False)
    ax.set_title(title, fontsize=9.5)


def _one_factor(ax: Axes, effect: FactorEffect, places: np.ndarray, scale: float) -> None:
    """Draw the means of a factor; a line joins those of levels that have an order."""
    means = scale * np.array([one.mean for one in effect.levels])
    if not len(means):
        return
    ends = scale * np.array([[one.mean - one.low, one.high - one.mean] for one in effect.levels]).T
    colour = COLOURS[effect.stars]
    joined = "-" if effect.ordered or len(means) == 2 else "none"
    ax.plot(places, means, marker="o", markersize=4, color=colour, linestyle=joined, clip_on=False)
    if np.isfinite(ends).all():
        ax.errorbar(places, means, yerr=np.abs(ends), fmt="none", color=colour, elinewidth=1.0,
                    capsize=2.0)  # fmt: skip
    if effect.stars:
        top = np.nanmax(np.where(np.isfinite(ends[1]), means + ends[1], means))
        said = f"{effect.sign}{effect.stars}"
        ax.annotate(
            said, (float(places.mean()), top), xytext=(0, 3), textcoords="offset points",
            ha="center", fontsize=8.5, color=colour,
        )  # fmt: skip


def significance(
    responses: Mapping[str, Sequence[FactorEffect]],
    axis_titles: Mapping[str, str] | None = None,
    factor_titles: Mapping[str, str] | None = None,
) -> Figure:
    """Draw the grid of responses by factors; a sign says which way the response follows levels."""
    factors = [effect.factor for effect in next(iter(responses.values()))]
    with use_style():
        figure, axes = make_axes(1, 1, (3.8 + 0.75 * len(factors), 1.1 + 0.27 * len(responses)))
        ax = axes[0]
        grid = [[_shade(effect) for effect in effects] for effects in responses.values()]
        draw_tiles(ax, grid)
        for row, effects in enumerate(responses.values()):
            for column, effect in enumerate(effects):
                _write(ax, column, row, effect)
        named = [f"{factor} {(factor_titles or {}).get(factor, '')}".strip() for factor in factors]
        ax.set_xticks(np.arange(len(factors)) + 0.5, named, rotation=35, ha="left")
        ax.set_yticks(
            np.arange(len(responses)) + 0.5,
            [(axis_titles or {}).get(name, name) for name in responses],
        )
        ax.xaxis.tick_top()
        handles = [Patch(color=STRONG, label="p < 0.01"), Patch(color=WEAK, label="p < 0.05")]
        figure.legend(handles=handles, loc="outside lower center", ncols=2)
        return figure


def _shade(effect: FactorEffect) -> tuple[float, ...]:
    return to_rgba({"**": STRONG, "*": WEAK, "": NOTHING}[effect.stars])


def _write(ax: Axes, column: int, row: int, effect: FactorEffect) -> None:
    if effect.stars:
        text = f"{effect.sign}{effect.stars}"
        shade = "white" if effect.stars == "**" else "black"
        ax.text(column + 0.5, row + 0.54, text, ha="center", va="center", color=shade, fontsize=9)
