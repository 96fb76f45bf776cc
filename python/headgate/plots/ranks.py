"""Ranks: mean rank against its standard deviation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from headgate.catalog import label
from headgate.plots.style import GREY, colours, marks, styled, subplots

if TYPE_CHECKING:
    from headgate.analysis.ranks import Ranks


def ranks(found: Ranks, titles: Mapping[str, str]) -> Figure:
    """Draw a mark a law and class of flows: filled for the first class, open for the others."""
    classes = list(dict.fromkeys(response for response, _ in found.ranks))
    with styled():
        figure, axes = subplots(1, 1, (7.2, 4.6))
        for place, response in enumerate(classes):
            _class(axes[0], found, response, filled=place == 0)
        middle = (len(found.laws) + 1) / 2
        axes[0].axvline(middle, color=GREY, linestyle=":", linewidth=0.8)
        axes[0].set(
            xlabel=f"mean rank over conditions (1 least, {len(found.laws)} greatest)",
            ylabel="standard deviation of the rank",
        )
        axes[0].margins(0.08)
        figure.legend(handles=_handles(found, classes, titles), loc="outside right upper")
        return figure


def _class(ax: Axes, found: Ranks, response: str, *, filled: bool) -> None:
    colour, mark = colours(found.laws), marks(found.laws)
    for law in found.laws:
        rank = found.ranks[response, law]
        face = colour[law] if filled else "white"
        ax.plot(
            rank.mean, rank.deviation, linestyle="", marker=mark[law], markersize=9,
            markerfacecolor=face, markeredgecolor=colour[law], markeredgewidth=1.6,
        )  # fmt: skip


def _handles(found: Ranks, classes: list[str], titles: Mapping[str, str]) -> list[Line2D]:
    colour, mark = colours(found.laws), marks(found.laws)
    laws = [
        Line2D([], [], linestyle="", marker=mark[law], color=colour[law], label=label(law))
        for law in found.laws
    ]
    of = [
        Line2D(
            [], [], linestyle="", marker="o", color=GREY, label=titles.get(name, name),
            markerfacecolor=GREY if place == 0 else "white",
        )
        for place, name in enumerate(classes)
    ]  # fmt: skip
    return [*laws, *(of if len(of) > 1 else [])]
