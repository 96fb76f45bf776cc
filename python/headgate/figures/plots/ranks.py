"""Ranks: mean rank against its standard deviation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from headgate.base.catalog import label
from headgate.figures.plots.palette import GREY
from headgate.figures.plots.style import colours, make_axes, marks, use_style

#: Classes of flows that fit into one panel; panels that fit into a row.
TOGETHER, ACROSS = 2, 3


@dataclass(frozen=True)
class Class:
    """A class of flows: the mean rank of each law, and its standard deviation."""

    title: str
    ranks: Mapping[str, tuple[float, float]]


def ranks(laws: Sequence[str], classes: Sequence[Class]) -> Figure:
    """Draw a mark a law: two classes of flows beside each other, filled and open; more apart."""
    panels = [classes] if len(classes) <= TOGETHER else [[one] for one in classes]
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    with use_style():
        size_in = (3.0 + 3.4 * across, 1.2 + 2.8 * down) if len(panels) > 1 else (7.2, 4.6)
        figure, axes = make_axes(down, across, size_in, sharex=True, sharey=True)
        for ax, own in zip(axes, panels, strict=False):
            _panel(ax, laws, own)
            ax.set_title(own[0].title if len(panels) > 1 else "", fontsize=9.5)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        figure.supxlabel(f"mean rank over conditions (1 least, {len(laws)} greatest)")
        figure.supylabel("standard deviation of the rank")
        handles = _handles(laws, panels[0])
        figure.legend(handles=handles, loc="outside right upper")
        return figure


def _panel(ax: Axes, laws: Sequence[str], classes: Sequence[Class]) -> None:
    for place, one in enumerate(classes):
        _class(ax, laws, one, filled=place == 0)
    ax.axvline((len(laws) + 1) / 2, color=GREY, linestyle=":", linewidth=0.8)
    ax.margins(0.08)


def _class(ax: Axes, laws: Sequence[str], drawn: Class, *, filled: bool) -> None:
    colour, mark = colours(laws), marks(laws)
    for law in laws:
        mean, deviation = drawn.ranks[law]
        face = colour[law] if filled else "white"
        ax.plot(
            mean, deviation, linestyle="", marker=mark[law], markersize=9,
            markerfacecolor=face, markeredgecolor=colour[law], markeredgewidth=1.6,
        )  # fmt: skip


def _handles(laws: Sequence[str], classes: Sequence[Class]) -> list[Line2D]:
    colour, mark = colours(laws), marks(laws)
    by_law = [
        Line2D([], [], linestyle="", marker=mark[law], color=colour[law], label=label(law))
        for law in laws
    ]
    of = [
        Line2D(
            [], [], linestyle="", marker="o", color=GREY, label=one.title,
            markerfacecolor=GREY if place == 0 else "white",
        )
        for place, one in enumerate(classes)
    ]  # fmt: skip
    return [*by_law, *(of if len(of) > 1 else [])]
