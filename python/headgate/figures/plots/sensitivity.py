"""Sensitivity: Morris' plane of mu* and sigma, and Sobol indices with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from headgate.figures.plots.palette import STRONG, WEAK
from headgate.figures.plots.style import make_axes, use_style
from headgate.figures.spec.looks import GREY

Interval = tuple[float, float, float]
ROW_IN = 0.42


@dataclass(frozen=True)
class MorrisPoint:
    """A factor: mu* with its interval, sigma, and whether it exceeds the noise."""

    name: str
    mu_star: Interval
    sigma: float
    is_shown: bool


def draw_morris(points: Sequence[MorrisPoint], unit: str, floor: float) -> Figure:
    """Draw sigma against mu*; `floor` is the mu* of noise alone, NaN if it is unknown."""
    with use_style():
        figure, (ax,) = make_axes(1, 1, (6.0, 4.4))
        for place, point in enumerate(sorted(points, key=lambda one: one.sigma)):
            mean, low, high = point.mu_star
            shade = STRONG if point.is_shown else GREY
            ax.errorbar(
                mean, point.sigma, xerr=[[mean - low], [high - mean]], fmt="o", color=shade,
                markerfacecolor=shade if point.is_shown else "white", elinewidth=1.1, capsize=2.5,
            )  # fmt: skip
            side, below = (4, place % 2)
            ax.annotate(
                point.name, (mean, point.sigma), xytext=(side, -5 if below else 5),
                textcoords="offset points", va="top" if below else "bottom", fontsize=9,
            )  # fmt: skip
        top = max((point.sigma for point in points if np.isfinite(point.sigma)), default=1.0)
        right = max((point.mu_star[2] for point in points), default=1.0)
        # sigma = mu* separates effects with curvature or interactions from almost linear ones.
        end = min(right, 1.15 * top)
        ax.plot([0, end], [0, end], color=GREY, linestyle=":", linewidth=0.9)
        if np.isfinite(floor):
            ax.axvline(floor, color=GREY, linestyle="--", linewidth=0.9)
        ax.set_xlim(0, right * 1.12)
        ax.set_ylim(0, top * 1.2 or 1.0)
        within = f" ({unit})" if unit else ""
        ax.set_xlabel(f"mu*: mean size of the change over a factor's range{within}")
        ax.set_ylabel(f"sigma: standard deviation of the change{within}")
        handles = [
            Line2D([], [], ls="", marker="o", color=STRONG, label="above the noise"),
            Line2D([], [], ls="", marker="o", color=GREY, markerfacecolor="white",
                   label="not shown" if np.isfinite(floor) else "noise unknown"),
            Line2D([], [], color=GREY, ls=":", label="sigma = mu*"),
        ]  # fmt: skip
        if np.isfinite(floor):
            handles.append(Line2D([], [], color=GREY, ls="--", label="mu* of noise alone"))
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
        return figure


@dataclass(frozen=True)
class SobolBar:
    """A factor: its first and total index, each with an interval."""

    name: str
    first: Interval
    total: Interval


def draw_sobol(bars: Sequence[SobolBar]) -> Figure:
    """Draw both indices of each factor as bars with 95 % intervals, the largest total first."""
    ordered = sorted(bars, key=lambda bar: -bar.total[0])
    with use_style():
        figure, (ax,) = make_axes(1, 1, (7.0, ROW_IN * len(bars) + 1.5))
        for place, bar in enumerate(ordered):
            for shift, shade, (value, low, high) in (
                (-0.19, STRONG, bar.total), (0.19, WEAK, bar.first),
            ):  # fmt: skip
                ax.barh(place + shift, value, height=0.34, color=shade)
                ax.errorbar(value, place + shift, xerr=[[value - low], [high - value]], fmt="none",
                            color="black", elinewidth=1.1, capsize=2.5)  # fmt: skip
        ax.axvline(0, color=GREY, linewidth=0.9)
        ax.set_yticks(range(len(ordered)), [bar.name for bar in ordered])
        ax.set_ylim(len(ordered) - 0.5, -0.5)
        ax.grid(axis="y", visible=False)
        ax.set_xlabel("share of the variance of the response")
        figure.legend(
            handles=[
                Line2D([], [], ls="", marker="s", color=STRONG, label="total: with interactions"),
                Line2D([], [], ls="", marker="s", color=WEAK, label="first: the factor alone"),
            ],
            loc="outside upper right", ncols=2,
        )  # fmt: skip
        return figure
