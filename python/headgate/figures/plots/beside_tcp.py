"""Flows of each algorithm beside TCP flows: biplots, shares, and ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from headgate.base.catalog import label
from headgate.figures.plots.palette import GREY
from headgate.figures.plots.style import colours, law_handles, make_axes, marks, use_style

ACROSS = 4


@dataclass(frozen=True)
class Points:
    """A law's flows and TCP's beside them, a point per condition; the note is the title."""

    own: np.ndarray
    other: np.ndarray
    note: str


def biplots(panels: Mapping[str, Points], axes_titles: tuple[str, str], unit: float) -> Figure:
    """Draw a point per condition, with the line of equality; all panels share one scale."""
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    colour, mark = colours(panels), marks(panels)
    most = max(max(p.own.max(initial=0), p.other.max(initial=0)) for p in panels.values())
    most = most or unit
    with use_style():
        size_in = (max(2.6 * across, 4.5) + 0.3, 2.7 * down + 0.4)
        figure, axes = make_axes(down, across, size_in, sharex=True, sharey=True, count=len(panels))
        for ax, (law, panel) in zip(axes, panels.items(), strict=False):
            _draw_points(ax, panel, unit, colour[law], mark[law])
            ax.set_title(f"{label(law)}\n{panel.note}", fontsize=9)
            ax.set(xlim=(0, 1.05 * most / unit), ylim=(0, 1.05 * most / unit), aspect="equal")
        figure.supxlabel(axes_titles[0])
        figure.supylabel(axes_titles[1])
        return figure


def _draw_points(ax: Axes, panel: Points, unit: float, colour: str, mark: str) -> None:
    ax.axline((0, 0), slope=1, color=GREY, linewidth=0.8, linestyle="--")
    ax.plot(
        panel.own / unit, panel.other / unit, linestyle="", marker=mark, color=colour,
        markeredgecolor="white", markeredgewidth=0.4,
    )  # fmt: skip


@dataclass(frozen=True)
class SharePanel:
    """Shares under one condition, with shape (law, part): the law's own flows, then TCP's."""

    title: str
    shares: np.ndarray
    spread: np.ndarray


def law_bars(laws: Sequence[str], panels: Sequence[SharePanel]) -> Figure:
    """Draw the law's own flows on the left, the TCP flows beside them hatched on the right."""
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    with use_style():
        size_in = (max(2.9 * across, 5.0), 1.9 * down + 0.6)
        figure, axes = make_axes(down, across, size_in, sharex=True, sharey=True, count=len(panels))
        for ax, panel in zip(axes, panels, strict=False):
            _draw_shares(ax, panel, laws)
            ax.set_title(panel.title, fontsize=8.5)
        figure.supylabel("share of what is available")
        colour = colours(laws)
        handles = [Patch(color=colour[law], label=label(law)) for law in laws]
        hatched = Patch(facecolor="white", edgecolor=GREY, hatch="////", label="TCP beside it")
        figure.legend(handles=[*handles, hatched], loc="outside lower center", ncols=5)
        return figure


def _draw_shares(ax: Axes, panel: SharePanel, laws: Sequence[str]) -> None:
    colour = colours(laws)
    places = np.arange(len(laws))
    tint = [colour[law] for law in laws]
    for part, (hatch, shift) in enumerate((("", 0), ("////", len(laws) + 1))):
        known = np.nan_to_num(panel.spread[:, part])
        ax.bar(
            places + shift, panel.shares[:, part], yerr=known if known.any() else None, color=tint,
            hatch=hatch, edgecolor="white", width=0.9, error_kw={"elinewidth": 0.8},
        )  # fmt: skip
    ax.set_xticks([(len(laws) - 1) / 2, len(laws) + 1 + (len(laws) - 1) / 2], ["own", "TCP"])
    ax.grid(axis="x", visible=False)


#: Classes of flows that fit into one panel; panels that fit into a row.
TOGETHER, RANKS_ACROSS = 2, 3


@dataclass(frozen=True)
class RankClass:
    """A class of flows: the mean rank of each law, and its standard deviation."""

    title: str
    ranks: Mapping[str, tuple[float, float]]


def ranks(laws: Sequence[str], classes: Sequence[RankClass]) -> Figure:
    """Draw a mark per law: two classes of flows beside each other, filled and open; more apart."""
    panels = [classes] if len(classes) <= TOGETHER else [[one] for one in classes]
    across = min(RANKS_ACROSS, len(panels))
    down = -(-len(panels) // across)
    with use_style():
        size_in = (3.0 + 3.4 * across, 1.2 + 2.8 * down) if len(panels) > 1 else (7.2, 4.6)
        figure, axes = make_axes(down, across, size_in, sharex=True, sharey=True, count=len(panels))
        for ax, own in zip(axes, panels, strict=False):
            _draw_ranks(ax, laws, own)
            ax.set_title(own[0].title if len(panels) > 1 else "", fontsize=9.5)
        figure.supxlabel(f"mean rank over conditions (1 least, {len(laws)} greatest)")
        figure.supylabel("standard deviation of the rank")
        handles = _handles(laws, panels[0])
        figure.legend(handles=handles, loc="outside right upper")
        return figure


def _draw_ranks(ax: Axes, laws: Sequence[str], classes: Sequence[RankClass]) -> None:
    for place, one in enumerate(classes):
        _class(ax, laws, one, filled=place == 0)
    ax.axvline((len(laws) + 1) / 2, color=GREY, linestyle=":", linewidth=0.8)
    ax.margins(0.08)


def _class(ax: Axes, laws: Sequence[str], drawn: RankClass, *, filled: bool) -> None:
    colour, mark = colours(laws), marks(laws)
    for law in laws:
        mean, deviation = drawn.ranks[law]
        face = colour[law] if filled else "white"
        ax.plot(
            mean, deviation, linestyle="", marker=mark[law], markersize=9,
            markerfacecolor=face, markeredgecolor=colour[law], markeredgewidth=1.6,
        )  # fmt: skip


def _handles(laws: Sequence[str], classes: Sequence[RankClass]) -> list[Line2D]:
    of = [
        Line2D(
            [], [], linestyle="", marker="o", color=GREY, label=one.title,
            markerfacecolor=GREY if place == 0 else "white",
        )
        for place, one in enumerate(classes)
    ]  # fmt: skip
    return [*law_handles(laws), *(of if len(of) > 1 else [])]
