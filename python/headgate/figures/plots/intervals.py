"""Effects with their intervals, the largest on top: those that exclude zero are filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from headgate.figures.plots.palette import GREY, STRONG
from headgate.figures.plots.style import make_axes, use_style

ROW_IN = 0.27


@dataclass(frozen=True)
class Bar:
    """One effect: what it is of, the effect with its interval, whether that excludes zero."""

    name: str
    effect: float
    low: float
    high: float
    decided: bool


def effect_intervals(bars: Sequence[Bar], axis: str) -> Figure:
    """Draw effects as dots with 95 % intervals beside a line at zero."""
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
            handles=[_dot("interval excludes zero", STRONG), _dot("it does not", "white")],
            loc="outside upper right", ncols=2,
        )  # fmt: skip
        return figure


def _dot(label: str, face: str) -> Line2D:
    edge = GREY if face == "white" else face
    return Line2D([], [], ls="", marker="o", color=edge, markerfacecolor=face, label=label)
