"""Main effects: one response's factors side by side, and the significance of all at a glance."""

from collections.abc import Mapping, Sequence
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from headgate.plots.palette import GREY, NOTHING, STRONG, WEAK
from headgate.plots.readable import find_readable
from headgate.plots.style import subplots, tiles, use_style
from headgate.stats.effects import Effect

#: Number of factors, each this wide (in), that fit beside each other on a sheet.
WIDTH_IN, FACTOR_IN = 11.5, 0.55
#: Characters of a factor's name in a line below its means: 13 run into the next where six stand.
NAME = 12


def main_effects(
    responses: Mapping[str, Sequence[Effect]],
    axis_titles: Mapping[str, str] | None = None,
    factor_titles: Mapping[str, str] | None = None,
) -> Figure:
    """Draw, for each response, its mean at the low and the high level of every factor."""
    factors = len(next(iter(responses.values())))
    columns = min(max(1, int(WIDTH_IN / (FACTOR_IN * factors + 0.6))), 3, len(responses))
    with use_style():
        rows = -(-len(responses) // columns)
        figure, axes = subplots(rows, columns, (WIDTH_IN, 2.9 * rows + 0.3))
        for ax, (name, effects) in zip(axes, responses.items(), strict=False):
            _one_response(ax, effects, (axis_titles or {}).get(name, name), factor_titles or {})
        for ax in axes[len(responses) :]:
            ax.set_visible(False)
        return figure


def _one_response(
    ax: Axes, effects: Sequence[Effect], title: str, factor_titles: Mapping[str, str]
) -> None:
    every = [mean for effect in effects for mean in (effect.mean_low, effect.mean_high)]
    scale, title = find_readable(title, every)
    grand = scale * float(np.mean(every))
    ax.axhline(grand, color=GREY, linestyle="--", linewidth=0.8)
    for i, effect in enumerate(effects):
        colour = {"**": STRONG, "*": WEAK, "": GREY}[effect.stars]
        heights = (scale * effect.mean_low, scale * effect.mean_high)
        ax.plot((i - 0.22, i + 0.22), heights, marker="o", color=colour, clip_on=False)
        said = f"{effect.relative_percent:.0f} %{effect.stars}"
        ax.annotate(
            said,
            (i, max(heights)),
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
            fontsize=8.5,
            color=colour,
        )
    ax.margins(y=0.22)
    if min(every) >= 0:
        ax.set_ylim(bottom=max(0.0, ax.get_ylim()[0]))
    names = [fill(factor_titles.get(e.factor, e.factor), NAME) for e in effects]
    places = np.arange(len(effects))
    levels = ["\N{MINUS SIGN}"] * len(effects) + ["+"] * len(effects)
    ax.set_xticks(np.concatenate([places - 0.22, places + 0.22]), levels, minor=True)
    ax.set_xticks(places, [f"\n{name}" for name in names])
    ax.tick_params(axis="x", which="major", length=0)
    ax.set_xlim(-0.6, len(effects) - 0.4)
    ax.grid(axis="x", visible=False)
    ax.set_title(title, fontsize=9.5)


def significance(
    responses: Mapping[str, Sequence[Effect]],
    axis_titles: Mapping[str, str] | None = None,
    factor_titles: Mapping[str, str] | None = None,
) -> Figure:
    """Draw the grid of responses by factors; a cell says which level raises the response."""
    factors = [effect.factor for effect in next(iter(responses.values()))]
    with use_style():
        figure, axes = subplots(1, 1, (3.8 + 0.75 * len(factors), 1.1 + 0.27 * len(responses)))
        ax = axes[0]
        grid = [[_shade(effect) for effect in effects] for effects in responses.values()]
        tiles(ax, grid)
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


def _shade(effect: Effect) -> tuple[float, ...]:
    return to_rgba({"**": STRONG, "*": WEAK, "": NOTHING}[effect.stars])


def _write(ax: Axes, column: int, row: int, effect: Effect) -> None:
    if effect.stars:
        text = f"{effect.sign}{effect.stars}"
        shade = "white" if effect.stars == "**" else "black"
        ax.text(column + 0.5, row + 0.54, text, ha="center", va="center", color=shade, fontsize=9)
