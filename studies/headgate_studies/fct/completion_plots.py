"""Completion time against flow size: a point for each size, a line through bins, formulas."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter
from numpy.typing import NDArray

from headgate.figures import GREY, ORDER, find_looks, make_axes, use_style

Course = tuple[NDArray[np.float64], NDArray[np.float64]]
#: Formulas in black, distinguished by their dashes.
FORMULA_DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)))


@dataclass(frozen=True)
class Cloud:
    """Completion times of one protocol: the mean of each size, and of each bin of sizes."""

    points: Course
    line: Course


@dataclass(frozen=True)
class Sizes:
    """One pair of axes: clouds and formulas by name, limits, and which axis is logarithmic."""

    title: str
    clouds: Mapping[str, Cloud]
    formulas: Mapping[str, Course]
    x: tuple[float, float]
    y: tuple[float, float]
    log_x: bool = False


def completion(
    panels: Sequence[Sizes],
    order: Sequence[str],
    columns: int = 2,
    panel_in: tuple[float, float] = (5.6, 4.0),
) -> Figure:
    """Draw panels in a grid with one legend; `order` fixes the colours of the protocols."""
    with use_style():
        rows = -(-len(panels) // columns)
        figure, axes = make_axes(rows, columns, (panel_in[0] * columns, panel_in[1] * rows + 0.4))
        for ax, panel in zip(axes, panels, strict=False):
            _draw(ax, panel, order)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        shown: dict[str, Any] = {}
        for ax in axes[: len(panels)]:
            handles, labels = ax.get_legend_handles_labels()
            shown |= dict(zip(labels, handles, strict=True))
        figure.legend(
            list(shown.values()), list(shown), loc="outside lower center", ncols=len(shown)
        )
        return figure


def _draw(ax: Axes, panel: Sizes, order: Sequence[str]) -> None:
    looks = find_looks(order)
    for name, cloud in panel.clouds.items():
        ink, mark = looks[name].colour, looks[name].mark
        ax.plot(
            *cloud.points, color=ink, marker=".", markersize=3.2, linestyle="", alpha=0.45,
            markeredgewidth=0, rasterized=True,
        )  # fmt: skip
        ax.plot(
            *cloud.line, color=ink, marker=mark, markersize=4.5, linewidth=1.5, label=name,
            markeredgecolor="white", markeredgewidth=0.5, zorder=4,
        )  # fmt: skip
    for (name, course), dash in zip(panel.formulas.items(), FORMULA_DASHES, strict=False):
        ax.plot(*course, color="black", linewidth=1.1, linestyle=dash, label=name, zorder=3)
    ax.set_title(panel.title)
    ax.set(xlabel="flow size (packets)", ylabel="average completion time (s)")
    ax.set_yscale("log")
    if panel.log_x:
        ax.set_xscale("log")
    else:
        ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.set(xlim=panel.x, ylim=panel.y)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(_plain))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_minor_formatter(NullFormatter())


def _plain(value: float, _: object) -> str:
    return f"{value:,.6g}"


def parts(
    names: Sequence[str],
    shares: Mapping[str, Sequence[float]],
    whole: Mapping[str, Sequence[float]],
    x: str,
    y: str,
) -> Figure:
    """Draw stacked bars, one a name: parts above zero upwards, below zero downwards.

    `whole` are marks over the bars, such as what the parts add up to.
    """
    with use_style():
        figure, (ax,) = make_axes(1, 1, (9.6, 4.6))
        places = np.arange(len(names))
        above, below = np.zeros(len(names)), np.zeros(len(names))
        for (name, given), ink in zip(shares.items(), ORDER, strict=False):
            values = np.asarray(given)
            bottom = np.where(values >= 0, above, below)
            ax.bar(places, values, 0.66, bottom, color=ink, label=name, edgecolor="white")
            above, below = above + np.maximum(values, 0), below + np.minimum(values, 0)
        for (name, given), mark in zip(whole.items(), ("D", "o"), strict=False):
            ax.plot(
                places, given, mark, color="black", markerfacecolor="white", label=name, zorder=5
            )
        ax.axhline(0, color=GREY, linewidth=0.9)
        ax.set_xticks(places, list(names))
        ax.set(xlabel=x, ylabel=y)
        ax.grid(axis="x", visible=False)
        ax.legend(loc="upper left")
        return figure
