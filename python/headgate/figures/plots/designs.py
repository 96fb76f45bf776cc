"""Two-level designs: the ten steps of a graphical analysis, and which effects are aliased."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from textwrap import fill

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from headgate.figures.plots.names import name_points
from headgate.figures.plots.palette import ORDER
from headgate.figures.plots.style import make_axes, use_style
from headgate.figures.spec.looks import GREY
from headgate.stats.ten_steps import StepAnalysis
from headgate.stats.two_level import EffectCorrelations

LOW, HIGH = ORDER[0], ORDER[3]
MINUS = "\N{MINUS SIGN}"
#: Factors of the interaction matrix and of the block plots.
MOST = 8
#: The height of an axis from zero, over its largest value.
ROOM_ABOVE = 1.08
#: Letters of the smallest size per inch.
LETTERS_PER_IN = 15


def ten_steps(found: StepAnalysis, title: str, titles: Mapping[str, str]) -> dict[str, Figure]:
    """Draw every step; the names give their order, the title names the response.

    `titles` explain the codes of factors below a picture.
    """
    axis = title or found.response
    steps: list[tuple[str, Callable[[StepAnalysis, str], Figure]]] = [
        ("ordered", _draw_ordered), ("scatter", _draw_scatter), ("means", _draw_means),
        ("interactions", _draw_interactions), ("blocks", _draw_blocks), ("youden", _draw_youden),
        ("effects", _draw_effects), ("half-normal", _draw_half_normal),
        ("residual-sd", _draw_residual_sd),
        ("contour", _draw_contour),
    ]  # fmt: skip
    with use_style():
        drawn = {f"{n:02}-{name}": draw(found, axis) for n, (name, draw) in enumerate(steps, 1)}
        for figure in drawn.values():
            _explain(figure, found.factors, titles)
    return drawn


def _explain(figure: Figure, factors: tuple[str, ...], titles: Mapping[str, str]) -> None:
    """Explain the codes of factors below the picture."""
    named = [f"{name}: {titles[name]}" for name in factors if titles.get(name, name) != name]
    if named:
        letters = int(LETTERS_PER_IN * figure.get_figwidth())
        figure.supxlabel(fill("; ".join(named), letters), fontsize=8, color=GREY)


def _one(size_in: tuple[float, float]) -> tuple[Figure, Axes]:
    figure, axes = make_axes(1, 1, size_in)
    return figure, axes[0]


def _draw_ordered(found: StepAnalysis, axis: str) -> Figure:
    runs, factors = len(found.values), found.important
    width = min(4.0 + 0.09 * runs, 14.0)
    figure, axes = make_axes(2, 1, (width, 3.6 + 0.17 * len(factors)), sharex=True,
                            height_ratios=(3.0, 0.16 * len(factors) + 0.4))  # fmt: skip
    places = np.arange(runs)
    axes[0].plot(places, found.values[found.ordered], marker="o", linestyle="", color=ORDER[0])
    axes[0].set_ylabel(axis)
    settings = np.array([found.coded[name][found.ordered] for name in factors])
    axes[1].imshow(
        settings, aspect="auto", cmap="PuOr", vmin=-1.6, vmax=1.6, interpolation="nearest"
    )
    axes[1].set_yticks(range(len(factors)), factors, fontsize=8)
    axes[1].set_xlabel("runs in order of the response; brown: low level, violet: high level")
    axes[1].grid(visible=False)
    return figure


def _draw_scatter(found: StepAnalysis, axis: str) -> Figure:
    figure, ax = _one((max(5.0, 0.75 * len(found.factors) + 1.0), 3.8))
    for place, name in enumerate(found.factors):
        for sign, colour in ((-1, LOW), (1, HIGH)):
            own = found.values[found.coded[name] == sign]
            at = np.full(len(own), place + 0.2 * sign)
            ax.plot(at, own, linestyle="", marker="o", markersize=3.5, color=colour, alpha=0.55)
            ax.plot(at[:1], [own.mean()], marker="_", markersize=14, color="black")
    _levels(ax, found.factors)
    ax.set_ylabel(axis)
    return figure


def _draw_means(found: StepAnalysis, axis: str) -> Figure:
    figure, ax = _one((max(5.0, 0.75 * len(found.factors) + 1.0), 3.8))
    ax.axhline(float(found.values.mean()), color=GREY, linestyle="--", linewidth=0.8)
    for place, name in enumerate(found.factors):
        both = [found.mean_at((name,), sign) for sign in (-1, 1)]
        ax.plot((place - 0.2, place + 0.2), both, marker="o", color=ORDER[0])
    _levels(ax, found.factors)
    ax.set_ylabel(f"mean of {axis}")
    return figure


def _levels(ax: Axes, factors: tuple[str, ...]) -> None:
    places = np.arange(len(factors))
    levels = [MINUS] * len(factors) + ["+"] * len(factors)
    ax.set_xticks(np.concatenate([places - 0.2, places + 0.2]), levels, minor=True)
    ax.set_xticks(places, [f"\n{name}" for name in factors])
    ax.tick_params(axis="x", which="major", length=0)
    ax.grid(axis="x", visible=False)


def _draw_interactions(found: StepAnalysis, axis: str) -> Figure:
    """Draw main effects on the diagonal, and the effects of products of two beyond it."""
    names = found.important[:MOST]
    figure, axes = make_axes(len(names), len(names), (1.25 * len(names) + 0.8,) * 2,
                            sharex=True, sharey=True)  # fmt: skip
    for row, one in enumerate(names):
        for column, other in enumerate(names):
            ax = axes[row * len(names) + column]
            if column < row:
                ax.set_visible(False)
                continue
            term = (one,) if row == column else (one, other)
            both = [found.mean_at(term, sign) for sign in (-1, 1)]
            ax.plot((-1, 1), both, marker="o", markersize=3.5, color=LOW if row == column else HIGH)
            ax.set_title(_short(term), fontsize=8)
            ax.set_xticks((-1, 1), (MINUS, "+"))
            ax.set_xlim(-1.6, 1.6)
    figure.supylabel(f"mean of {axis}")
    return figure


def _draw_blocks(found: StepAnalysis, axis: str) -> Figure:
    """Draw both means of each important factor in every setting of the next ones."""
    names = found.important[:MOST]
    across = min(4, len(names))
    down = -(-len(names) // across)
    figure, axes = make_axes(
        down, across, (3.0 * across, 2.7 * down + 0.3), sharey=True, count=len(names)
    )
    for ax, name in zip(axes, names, strict=False):
        block = found.block(name)
        places = np.arange(len(block.low))
        ax.vlines(places, block.low, block.high, color=GREY, linewidth=0.8)
        for heights, sign, colour in ((block.low, MINUS, LOW), (block.high, "+", HIGH)):
            for place, height in zip(places, heights, strict=True):
                ring = {"boxstyle": "circle,pad=0.12", "fc": "white", "ec": colour}
                ax.text(
                    float(place), height, sign, ha="center", va="center", color=colour, bbox=ring
                )
        # one below the other: a sign that is turned by 90 degrees looks like a bar
        said = ["\n".join(MINUS if s < 0 else "+" for s in signs) for signs in block.settings]
        ax.set_xticks(places, said, fontsize=7.5, linespacing=0.85)
        ax.set_xlabel(" ".join(block.others), fontsize=8)
        ax.set_title(f"{name}: {block.agreeing} of {len(block.low)}, p = {block.p:.2g}", fontsize=9)
        ax.margins(0.12)
    figure.supylabel(f"mean of {axis}")
    return figure


def _draw_youden(found: StepAnalysis, axis: str) -> Figure:
    """Draw the mean at the high level against the mean at the low level, a point per term."""
    figure, ax = _one((5.4, 5.0))
    ax.axline(
        (float(found.values.mean()),) * 2, slope=-1, color=GREY, linewidth=0.8, linestyle="--"
    )
    points = {term: (found.mean_at(term, -1), found.mean_at(term, 1)) for term in found.effects}
    for term, (low, high) in points.items():
        ax.plot(low, high, marker="o", color=ORDER[0] if term in found.beyond_margin else GREY)
    ax.set(xlabel=f"mean of {axis} at {MINUS}", ylabel="mean at +")
    ax.margins(0.12)
    name_points(ax, {_short(term): points[term] for term in found.beyond_margin if term in points},
                beside=True)  # fmt: skip
    return figure


def _draw_effects(found: StepAnalysis, axis: str) -> Figure:
    shown = list(found.effects.items())[:30]
    figure, ax = _one((6.4, 0.22 * len(shown) + 1.2))
    places = np.arange(len(shown))
    ax.barh(places, [abs(v) for _, v in shown], color=[HIGH if v > 0 else LOW for _, v in shown])
    ax.set_yticks(places, [_short(name) for name, _ in shown], fontsize=8)
    ax.invert_yaxis()
    ax.axvline(found.margin, color=GREY, linestyle="--", linewidth=0.9)
    ax.grid(axis="y", visible=False)
    ax.set_xlabel(f"|effect| on {axis}\norange raises, blue lowers; dashed: Lenth's margin")
    return figure


def _draw_half_normal(found: StepAnalysis, axis: str) -> Figure:
    """Draw all contrasts against half-normal quantiles; chance lies on a line."""
    figure, ax = _one((5.8, 4.4))
    places = {term: place for place, term in enumerate(found.contrasts)}
    sizes = np.abs(list(found.contrasts.values()))
    ax.plot((0, found.half_normal[0]), (0, found.pseudo_error * found.half_normal[0]),
            color=GREY, linestyle="--", linewidth=0.9)  # fmt: skip
    for term, place in places.items():
        ax.plot(found.half_normal[place], sizes[place], marker="o", color=GREY,
                fillstyle="full" if term in found.effects else "none")  # fmt: skip
    named = {term: places[term] for term in found.beyond_margin}
    for place in named.values():
        ax.plot(found.half_normal[place], sizes[place], marker="o", color=ORDER[0])
    others = (
        "" if len(places) == len(found.effects) else "\nopen: products of three or more factors"
    )
    ax.set(xlabel=f"half-normal quantile{others}", ylabel=f"|effect| on {axis}")
    ax.margins(0.06)
    points = {_short(term): (found.half_normal[at], sizes[at]) for term, at in named.items()}
    name_points(ax, points)
    return figure


def _draw_residual_sd(found: StepAnalysis, axis: str) -> Figure:
    """Draw the residual standard deviation after each of the largest effects."""
    known = np.flatnonzero(np.isfinite(found.residual_sd))[:31]
    names = ["mean", *(f"+ {_short(term)}" for term in found.effects)]
    figure, ax = _one((max(5.0, 0.32 * len(known) + 1.2), 3.9))
    ax.plot(known, found.residual_sd[known], marker="o", color=ORDER[0])
    ax.set_xticks(known, [names[n] for n in known], rotation=90,
                  fontsize=8)  # fmt: skip
    ax.set_ylim(0, ROOM_ABOVE * float(found.residual_sd[known].max(initial=0.0)) or None)
    ax.set_ylabel(f"residual standard deviation\nof {axis}")
    return figure


def _draw_contour(found: StepAnalysis, axis: str) -> Figure:
    figure, ax = _one((5.8, 4.6))
    one, other = np.meshgrid(np.linspace(-1.5, 1.5, 61), np.linspace(-1.5, 1.5, 61))
    surface = found.fit_surface(one, other)
    if found.values.min() >= 0:  # a plane goes below what a rate can be
        surface = np.maximum(surface, 0.0)
    drawn = ax.contourf(one, other, surface, levels=12, cmap="viridis")
    figure.colorbar(drawn, ax=ax, label=axis)
    first, second = found.important[:2]
    for a in (-1, 1):
        for b in (-1, 1):
            at = (found.coded[first] == a) & (found.coded[second] == b)
            if at.any():
                frame = {"boxstyle": "round", "fc": "white", "ec": GREY}
                mean = f"{found.values[at].mean():.4g}"
                ax.text(a, b, mean, ha="center", va="center", fontsize=9, bbox=frame)
    ax.set(xlabel=f"{first} (coded)", ylabel=f"{second} (coded)")
    return figure


def _short(term: tuple[str, ...]) -> str:
    return "\N{MULTIPLICATION SIGN}".join(term)


#: Effects that a sheet has room to name, and the side of a cell in inches.
NAMED, CELL_IN = 80, 0.16
LEAST_IN, GREATEST_IN = 4.2, 11.0
COLOURS, ITSELF = "Blues", "#999999"


def aliases(mixed: EffectCorrelations, title: str = "") -> Figure:
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


def _frame(ax: Axes, mixed: EffectCorrelations) -> None:
    """Separate main effects from interactions, and the interactions by their first factor."""
    ax.grid(visible=False)
    ax.spines[:].set_visible(True)
    edge = mixed.main - 0.5
    ax.axhline(edge, color="black", linewidth=1.0)
    ax.axvline(edge, color="black", linewidth=1.0)
    for place in _groups(mixed)[1:]:
        ax.axhline(place - 0.5, color="#BBBBBB", linewidth=0.4)
        ax.axvline(place - 0.5, color="#BBBBBB", linewidth=0.4)


def _groups(mixed: EffectCorrelations) -> list[int]:
    firsts = [effect[0] if len(effect) > 1 else -1 for effect in mixed.effects]
    return [i for i in range(mixed.main, len(firsts)) if firsts[i] != firsts[i - 1]]


def _ticks(ax: Axes, mixed: EffectCorrelations) -> None:
    """Name every effect if there is room, else the first factor of each group."""
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
