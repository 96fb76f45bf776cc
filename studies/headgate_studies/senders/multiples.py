"""Small multiples of windows and queues, and the course of one flow with its phases named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from headgate.figures import GREY, ORDER, PALE, make_axes, use_style

Course = tuple[NDArray[np.float64], NDArray[np.float64]]
COLUMNS = 4
#: A phase is narrow below this share of the width: its name stands upright.
NARROW = 0.09


def windows_and_queues(courses: Mapping[str, tuple[Course, Course]], full: Course) -> Figure:
    """Draw window and queue of each name over time, all to one scale; dotted: the path's window."""
    top = 2.3 * float(np.max(full[1]))
    with use_style():
        rows = -(-len(courses) // COLUMNS)
        figure, axes = make_axes(rows, COLUMNS, (11.5, 1.55 * rows + 0.5), sharex=True, sharey=True)
        for ax, (name, (window, queue)) in zip(axes, courses.items(), strict=False):
            ax.fill_between(*queue, color=ORDER[1], alpha=0.55, linewidth=0, label="queue")
            ax.plot(*window, color=ORDER[0], linewidth=0.9, label="window")
            ax.plot(*full, color=GREY, linestyle=":", linewidth=0.9, label="rate x round trip")
            ax.set_title(name, fontsize=10, pad=2)
        for ax in axes[len(courses) :]:
            ax.set_visible(False)
        for ax in axes[max(0, len(courses) - COLUMNS) : len(courses)]:
            ax.tick_params(labelbottom=True)
        axes[0].set_ylim(0, top)
        axes[0].margins(x=0.01)
        figure.supxlabel("time (s)", fontsize="medium")
        figure.supylabel("packets", fontsize="medium")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper right", ncols=3)
        return figure


def phases(
    window: Course, threshold: Course, queue: Course, spans: Sequence[tuple[float, float, str]]
) -> Figure:
    """Draw the window of one flow, its threshold, the queue below; `spans` are named phases."""
    with use_style():
        figure, (ax, under) = make_axes(2, 1, (10.5, 5.2), sharex=True, height_ratios=(3.2, 1))
        top = 1.45 * float(np.nanmax(window[1]))
        ax.plot(*window, color=ORDER[0], label="congestion window")
        ax.plot(
            *threshold, color=ORDER[3], linestyle="--", linewidth=1, label="slow-start threshold"
        )
        under.fill_between(*queue, color=ORDER[1], alpha=0.6, linewidth=0)
        for i, span in enumerate(spans):
            _phase((ax, under), span, i, top)
        ax.set_ylim(0, top)
        ax.set_ylabel("packets")
        ax.legend(loc="lower left", bbox_to_anchor=(0.06, 0.0), ncols=2)
        under.set(xlabel="time (s)", ylabel="packets waiting")
        under.set_ylim(bottom=0)
        ax.margins(x=0)
        return figure


def _phase(axes: Sequence[Axes], span: tuple[float, float, str], number: int, top: float) -> None:
    begin, end, name = span
    for ax in axes:
        if number % 2:
            ax.axvspan(begin, end, color=PALE, alpha=0.6, linewidth=0)
    whole = axes[0].get_lines()[0].get_xdata()
    narrow = end - begin < NARROW * (np.max(whole) - np.min(whole))
    axes[0].text(
        (begin + end) / 2, 0.98 * top, name, ha="center", va="top", fontsize=8.5,
        rotation=90 if narrow else 0,
    )  # fmt: skip
