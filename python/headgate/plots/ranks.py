"""Ranks: mean rank against its standard deviation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from headgate.catalog import label
from headgate.plots.palette import GREY
from headgate.plots.style import colours, marks, styled, subplots

if TYPE_CHECKING:
    from headgate.analysis.ranks import Ranks

#: So many classes of flows fit into one panel; so many panels into a row.
TOGETHER, ACROSS = 2, 3


def ranks(found: Ranks, titles: Mapping[str, str]) -> Figure:
    """Draw a mark a law: two classes of flows beside each other, filled and open; more apart."""
    classes = list(dict.fromkeys(response for response, _ in found.ranks))
    panels = [classes] if len(classes) <= TOGETHER else [[response] for response in classes]
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    with styled():
        size_in = (3.0 + 3.4 * across, 1.2 + 2.8 * down) if len(panels) > 1 else (7.2, 4.6)
        figure, axes = subplots(down, across, size_in, sharex=True, sharey=True)
        for ax, own in zip(axes, panels, strict=False):
            _panel(ax, found, own)
            ax.set_title(titles.get(own[0], own[0]) if len(panels) > 1 else "", fontsize=9.5)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        figure.supxlabel(f"mean rank over conditions (1 least, {len(found.laws)} greatest)")
        figure.supylabel("standard deviation of the rank")
        handles = _handles(found, panels[0], titles)
        figure.legend(handles=handles, loc="outside right upper")
        return figure


def _panel(ax: Axes, found: Ranks, classes: list[str]) -> None:
    for place, response in enumerate(classes):
        _class(ax, found, response, filled=place == 0)
    ax.axvline((len(found.laws) + 1) / 2, color=GREY, linestyle=":", linewidth=0.8)
    ax.margins(0.08)


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
