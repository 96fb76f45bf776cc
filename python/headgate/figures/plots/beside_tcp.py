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
from headgate.figures.plots.style import cca_handles, colours, make_axes, marks, use_style
from headgate.figures.spec.looks import GREY

ACROSS = 4


@dataclass(frozen=True)
class Points:
    """An algorithm's flows and TCP's beside them, a point per condition; the note is the title."""

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
        for ax, (cca, panel) in zip(axes, panels.items(), strict=False):
            _draw_points(ax, panel, unit, colour[cca], mark[cca])
            ax.set_title(f"{label(cca)}\n{panel.note}", fontsize=9)
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
    """Shares under one condition, with shape (algorithm, part): the CCA's own flows, then TCP's."""

    title: str
    shares: np.ndarray
    spread: np.ndarray


def cca_bars(ccas: Sequence[str], panels: Sequence[SharePanel]) -> Figure:
    """Draw the CCA's own flows on the left, the TCP flows beside them hatched on the right."""
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    with use_style():
        size_in = (max(2.9 * across, 5.0), 1.9 * down + 0.6)
        figure, axes = make_axes(down, across, size_in, sharex=True, sharey=True, count=len(panels))
        for ax, panel in zip(axes, panels, strict=False):
            _draw_shares(ax, panel, ccas)
            ax.set_title(panel.title, fontsize=8.5)
        figure.supylabel("share of what is available")
        colour = colours(ccas)
        handles = [Patch(color=colour[cca], label=label(cca)) for cca in ccas]
        hatched = Patch(facecolor="white", edgecolor=GREY, hatch="////", label="TCP beside it")
        figure.legend(handles=[*handles, hatched], loc="outside lower center", ncols=5)
        return figure


def _draw_shares(ax: Axes, panel: SharePanel, ccas: Sequence[str]) -> None:
    colour = colours(ccas)
    places = np.arange(len(ccas))
    tint = [colour[cca] for cca in ccas]
    for part, (hatch, shift) in enumerate((("", 0), ("////", len(ccas) + 1))):
        known = np.nan_to_num(panel.spread[:, part])
        ax.bar(
            places + shift, panel.shares[:, part], yerr=known if known.any() else None, color=tint,
            hatch=hatch, edgecolor="white", width=0.9, error_kw={"elinewidth": 0.8},
        )  # fmt: skip
    ax.set_xticks([(len(ccas) - 1) / 2, len(ccas) + 1 + (len(ccas) - 1) / 2], ["own", "TCP"])
    ax.grid(axis="x", visible=False)


#: Classes of flows that fit into one panel; panels that fit into a row.
TOGETHER, RANKS_ACROSS = 2, 3


@dataclass(frozen=True)
class RankClass:
    """A class of flows: the mean rank of each algorithm, and its standard deviation."""

    title: str
    ranks: Mapping[str, tuple[float, float]]


def ranks(ccas: Sequence[str], classes: Sequence[RankClass]) -> Figure:
    """Draw a mark per CCA: two classes of flows beside each other, filled and open; more apart."""
    panels = [classes] if len(classes) <= TOGETHER else [[one] for one in classes]
    across = min(RANKS_ACROSS, len(panels))
    down = -(-len(panels) // across)
    with use_style():
        size_in = (3.0 + 3.4 * across, 1.2 + 2.8 * down) if len(panels) > 1 else (7.2, 4.6)
        figure, axes = make_axes(down, across, size_in, sharex=True, sharey=True, count=len(panels))
        for ax, own in zip(axes, panels, strict=False):
            _draw_ranks(ax, ccas, own)
            ax.set_title(own[0].title if len(panels) > 1 else "", fontsize=9.5)
        figure.supxlabel(f"mean rank over conditions (1 least, {len(ccas)} greatest)")
        figure.supylabel("standard deviation of the rank")
        handles = _handles(ccas, panels[0])
        figure.legend(handles=handles, loc="outside right upper")
        return figure


def _draw_ranks(ax: Axes, ccas: Sequence[str], classes: Sequence[RankClass]) -> None:
    for place, one in enumerate(classes):
        _class(ax, ccas, one, filled=place == 0)
    ax.axvline((len(ccas) + 1) / 2, color=GREY, linestyle=":", linewidth=0.8)
    ax.margins(0.08)


def _class(ax: Axes, ccas: Sequence[str], drawn: RankClass, *, filled: bool) -> None:
    colour, mark = colours(ccas), marks(ccas)
    for cca in ccas:
        mean, deviation = drawn.ranks[cca]
        face = colour[cca] if filled else "white"
        ax.plot(
            mean, deviation, linestyle="", marker=mark[cca], markersize=9,
            markerfacecolor=face, markeredgecolor=colour[cca], markeredgewidth=1.6,
        )  # fmt: skip


def _handles(ccas: Sequence[str], classes: Sequence[RankClass]) -> list[Line2D]:
    of = [
        Line2D(
            [], [], linestyle="", marker="o", color=GREY, label=one.title,
            markerfacecolor=GREY if place == 0 else "white",
        )
        for place, one in enumerate(classes)
    ]  # fmt: skip
    return [*cca_handles(ccas), *(of if len(of) > 1 else [])]
