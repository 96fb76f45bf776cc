"""Effects of factors: means at every level, significance, intervals, interactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import NullFormatter, NullLocator

from headgate.figures.plots.palette import NOTHING, STRONG, WEAK
from headgate.figures.plots.style import (
    draw_tiles,
    make_axes,
    use_style,
)
from headgate.figures.spec.looks import GREY, Look, find_looks
from headgate.figures.spec.selection import find_readable
from headgate.stats.effects import FactorEffect

#: The factor whose levels are algorithms.
CCA = "cca"
#: Number of levels, each this wide (in), that fit beside each other on a sheet.
WIDTH_IN, LEVEL_IN = 11.5, 0.275
#: Space above the highest interval for each further line of names, as a share of the axis.
LINE_SHARE = 0.12
#: Characters of a factor's name for each level in the line below: 13 run into the next at two.
NAME = 6
#: The longest level that is written horizontally; longer levels are vertical.
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
        figure, axes = make_axes(rows, columns, (WIDTH_IN, 2.9 * rows + 0.3), count=len(responses))
        for ax, (name, effects) in zip(axes, responses.items(), strict=False):
            _one_response(ax, effects, (axis_titles or {}).get(name, name), factor_titles or {})
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
    names = [fill(factor_titles.get(e.factor, e.factor), NAME * _width(e)) for e in effects]
    bottom, top = ax.get_ylim()
    further = max((name.count("\n") for name in names), default=0)
    ax.set_ylim(top=top + LINE_SHARE * further * (top - bottom))
    for name, centre in zip(names, centres, strict=True):
        ax.text(centre, 1.0, name, transform=ax.get_xaxis_transform(), ha="center", va="top",
                fontsize=8)  # fmt: skip
    ax.set_xlim(-0.8, left - 0.7)
    ax.grid(axis="x", visible=False)
    ax.set_title(title, fontsize=9.5)


def _one_factor(ax: Axes, effect: FactorEffect, places: np.ndarray, scale: float) -> None:
    """Draw the means of a factor; a line joins the means of ordered levels."""
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
    """Draw the grid of responses by factors; a sign gives the direction of the effect."""
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


ROW_IN = 0.27


@dataclass(frozen=True)
class EffectInterval:
    """One effect: its name, the effect with its interval, whether that excludes zero."""

    name: str
    effect: float
    low: float
    high: float
    decided: bool


def effect_intervals(
    bars: Sequence[EffectInterval],
    axis: str,
    legend: tuple[str, str] = ("interval excludes zero", "it does not"),
) -> Figure:
    """Draw effects as dots with 95 % intervals beside a line at zero.

    `legend` describes filled dots, of decided effects, and empty ones.
    """
    with use_style():
        figure, (ax,) = make_axes(1, 1, (8.0, ROW_IN * len(bars) + 1.3))
        ax.axvline(0, color=GREY, linewidth=0.9)
        for place, bar in enumerate(bars):
            shade = STRONG if bar.decided else GREY
            ax.hlines(place, bar.low, bar.high, color=shade, linewidth=1.6)
            face = shade if bar.decided else "white"
            ax.plot(bar.effect, place, "o", color=shade, markerfacecolor=face, markersize=5)
        ax.set_yticks(range(len(bars)), [bar.name for bar in bars], fontsize=8.5)
        ax.set_ylim(len(bars) - 0.5, -0.5)
        ax.grid(axis="y", visible=False)
        ax.set_xlabel(axis)
        figure.legend(
            handles=[_dot(legend[0], STRONG), _dot(legend[1], "white")],
            loc="outside upper right", ncols=2,
        )  # fmt: skip
        return figure


def _dot(label: str, face: str) -> Line2D:
    edge = GREY if face == "white" else face
    return Line2D([], [], ls="", marker="o", color=edge, markerfacecolor=face, label=label)


Interval = tuple[float, float, float]
"""Mean, lower and upper end."""

ACROSS = 4
#: Characters that fit along the height of a panel.
LINE = 30
#: Characters of a panel's title per inch of its width.
TITLE_PER_INCH = 13
#: The ratio of greatest to least from which on an axis is logarithmic.
WIDE = 8.0
#: The width of a letter of a tick, and the share of a figure's width that is axes.
LETTER_IN, AXES_SHARE = 0.075, 0.8
#: Share of a step by which lines are shifted if levels are words.
DODGE = 0.09


@dataclass(frozen=True)
class FactorAxis:
    """The factor along the axis: its title, its levels, and their positions if by size."""

    title: str
    levels: Sequence[str]
    places: Sequence[float] | None = None

    @property
    def log(self) -> bool:
        """Whether the axis is logarithmic."""
        places = self.places or (0.0,)
        return min(places) > 0 and max(places) / min(places) >= WIDE

    def at(self) -> np.ndarray:
        """Return the positions of the levels."""
        return np.asarray(range(len(self.levels)) if self.places is None else self.places, float)


@dataclass(frozen=True)
class InteractionPanel:
    """One combination of the other factors: of each line an interval per level, NaN for none."""

    title: str
    lines: Mapping[str, Sequence[Interval]]


def draw_interaction(
    panels: Sequence[InteractionPanel],
    axis: FactorAxis,
    response: str,
    legend: str = "",
    counts: Sequence[int] = (),
) -> Figure:
    """Draw means with their 95 % intervals; lines that are not parallel are an interaction.

    `counts` are the numbers of levels of the factors of panels, of which the first varies fastest:
    a row consists of whole sets of them, so that each column shows one level.
    """
    across = _choose_across(len(panels), counts)
    down = -(-len(panels) // across)
    names = list(panels[0].lines)
    with use_style():
        size_in = (_width_in(across), 2.4 * down + 0.9)
        figure, axes = make_axes(down, across, size_in, sharex=True, sharey=True, count=len(panels))
        line = int(TITLE_PER_INCH * size_in[0] / across)
        for ax, panel in zip(axes, panels, strict=False):
            ax.set_title(fill(panel.title, line), fontsize=9.5)
            _draw_lines(ax, panel, axis, find_looks(panel.lines, are_ccas=legend == CCA))
        _finish(axes[: len(panels)], axis, across)
        figure.supxlabel(axis.title, fontsize="medium")
        figure.supylabel(fill(response, LINE * down), fontsize="medium")
        if len(names) > 1:
            handles, labels = axes[0].get_legend_handles_labels()
            figure.legend(
                handles, labels, title=legend, loc="outside upper center", ncols=min(len(names), 5)
            )
        return figure


def _choose_across(panels: int, counts: Sequence[int]) -> int:
    """Return how many panels are side by side."""
    across = 1
    for count in counts:
        if across * count > ACROSS:
            break
        across *= count
    return across if across > 1 else min(ACROSS, panels)


def _draw_lines(
    ax: Axes, panel: InteractionPanel, axis: FactorAxis, looks: Mapping[str, Look]
) -> None:
    count, at = len(panel.lines), axis.at()
    along = np.argsort(at, kind="stable")  # a line goes along the axis in any order of the file
    for number, (name, values) in enumerate(panel.lines.items()):
        shift = 0.0 if axis.places is not None else DODGE * (number - (count - 1) / 2)
        mean, low, high = np.array(values, dtype=float)[along].T
        ax.errorbar(
            at[along] + shift, mean, yerr=(mean - low, high - mean), color=looks[name].colour,
            marker=looks[name].mark, capsize=2.5, elinewidth=1.0, label=name,
        )  # fmt: skip


def _finish(axes: Sequence[Axes], axis: FactorAxis, across: int) -> None:
    ax = axes[0]
    if axis.log:
        ax.set_xscale("log")
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_minor_formatter(NullFormatter())
    else:
        at = axis.at()
        room = 0.35 * float(np.min(np.diff(np.sort(at)))) if len(at) > 1 else 0.5
        ax.set_xlim(at.min() - room, at.max() + room)
    crowded = _is_crowded(axis, across)
    for each in axes:
        each.set_xticks(axis.at(), axis.levels, fontsize=8.5)
        if crowded:
            each.tick_params(axis="x", labelrotation=45)
        each.margins(y=0.1)
    low, high = ax.get_ylim()
    if low > 0 and low < 0.4 * high:
        ax.set_ylim(bottom=0)


def _is_crowded(axis: FactorAxis, across: int) -> bool:
    """Return whether labels of neighbouring levels would overlap."""
    at = np.sort(np.log(axis.at()) if axis.log else axis.at())
    gaps_in = np.diff(at) / (np.ptp(at) or 1.0) * AXES_SHARE * _width_in(across) / across
    return bool((gaps_in < LETTER_IN * max(map(len, axis.levels))).any())


def _width_in(across: int) -> float:
    return max(2.7 * across + 1.0, 5.0)


@dataclass(frozen=True)
class SamplePanel:
    """One panel of a sample: the response against a factor, of each name its points."""

    title: str
    points: Mapping[str, tuple[Sequence[float], Sequence[float]]]


def draw_samples(panels: Sequence[SamplePanel], response: str, legend: str = "") -> Figure:
    """Draw a response against every factor of a sample, a point per condition."""
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    names = list(panels[0].points)
    with use_style():
        size_in = (_width_in(across), 2.4 * down + 0.9)
        figure, axes = make_axes(down, across, size_in, sharey=True, count=len(panels))
        looks = find_looks(names, are_ccas=legend == CCA)
        for ax, panel in zip(axes, panels, strict=False):
            for name, (x, y) in panel.points.items():
                shade = looks[name].colour if len(names) > 1 else GREY
                ax.plot(x, y, linestyle="", marker=looks[name].mark, color=shade, label=name)
            ax.set_xlabel(panel.title)
        figure.supylabel(fill(response, LINE * down), fontsize="medium")
        if len(names) > 1:
            handles, labels = axes[0].get_legend_handles_labels()
            figure.legend(handles, labels, title=legend, loc="outside upper center", ncols=5)
        return figure
