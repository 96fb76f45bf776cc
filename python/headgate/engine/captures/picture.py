"""The picture of a capture: replayed and other packets, rates, sizes and round trips."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from headgate.base.units import readable
from headgate.engine.captures.read import Capture
from headgate.engine.captures.summary import count, format_percent, shares
from headgate.figures.plots.panels import write_plain_numbers
from headgate.figures.plots.style import make_axes, use_style
from headgate.figures.spec.looks import GREY, LINES

TO_CLIENTS, TO_SERVERS, OTHER = LINES[0], LINES[1], GREY
SIZE_IN = (11.0, 7.0)
#: Least number of rows in the bar chart.
LEAST_ROWS = 6
#: The share of all bytes in percent, and the axis limit that leaves room for labels.
WHOLE, WITH_WORDS = 100, 175
#: Greatest number of time steps.
MOST_STEPS = 240


def draw_capture(capture: Capture) -> Figure:
    """Draw bytes by kind, bytes over time, and the distributions of sizes and round trips."""
    with use_style():
        figure, axes = make_axes(2, 2, SIZE_IN)
        figure.suptitle(f"What was taken of {capture.path.name}")
        _draw_shares(axes[0], capture)
        _draw_rates(axes[1], capture)
        _draw_sizes(axes[2], capture)
        _draw_rtts(axes[3], capture)
        return figure


def _draw_shares(ax: Axes, capture: Capture) -> None:
    each = shares(capture)
    looks: dict[bool, dict[str, Any]] = {
        True: {"facecolor": TO_CLIENTS},
        False: {"facecolor": "white", "hatch": "////"},
    }
    for place, share in enumerate(each):
        percent = WHOLE * share.count.bytes / max(capture.all.bytes, 1)
        ax.barh(place, percent, height=0.7, edgecolor=GREY, **looks[share.is_taken])
        ax.annotate(
            f"{format_percent(percent / WHOLE)}, {count(share.count.packets, 'packet')}",
            (percent, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8,
        )  # fmt: skip
    ax.set_yticks(range(len(each)), [share.name for share in each])
    ax.set_xticks(range(0, WHOLE + 1, 20))
    ax.set(
        title="Packets by kind", xlabel="share of all bytes (%)", xlim=(0, WITH_WORDS),
        ylim=(max(len(each), LEAST_ROWS) - 0.3, -0.7),
    )  # fmt: skip
    ax.grid(axis="y", visible=False)
    names = {True: "taken", False: "not taken"}
    patches = [Patch(edgecolor=GREY, label=names[taken], **look) for taken, look in looks.items()]
    ax.legend(handles=patches, loc="lower right")


def _draw_rates(ax: Axes, capture: Capture) -> None:
    rates = capture.rates
    spans = capture.span_s / rates.width_s
    width_s = rates.width_s * max(1, math.ceil(spans / MOST_STEPS))
    edges = width_s * np.arange(math.floor(capture.span_s / width_s) + 2)
    rows = (rates.to_clients, rates.to_servers, rates.other)
    bps = [8 * np.histogram(rates.begin_s, edges, weights=row)[0] / width_s for row in rows]
    scale, unit = readable("bit/s", float(max(row.max() for row in bps)))
    labels = ("TCP to clients", "TCP to servers", "not TCP")
    styles = (("-", TO_CLIENTS), ("--", TO_SERVERS), (":", OTHER))
    for row, label, (dash, colour) in zip(bps, labels, styles, strict=True):
        ax.stairs(row * scale, edges, linestyle=dash, color=colour, label=label, linewidth=1.3)
    ax.set(
        title=f"Rates over {width_s:g} s", xlabel="time since the first packet (s)",
        ylabel=f"rate on the wire ({unit})",
    )  # fmt: skip
    ax.set_ylim(0, None)
    ax.legend(loc="upper right")


def _draw_sizes(ax: Axes, capture: Capture) -> None:
    found = capture.connections
    for label, end, dash, colour in (
        ("to clients", "server", "-", TO_CLIENTS),
        ("to servers", "client", "--", TO_SERVERS),
    ):
        sizes = np.sort(found[f"{end}_bytes"])
        sizes = sizes[sizes > 0]
        if len(sizes):
            above = np.arange(len(sizes), 0, -1) / len(sizes)
            ax.step(*_thin(sizes / 1e3, above), dash, where="post", color=colour,
                    label=f"{label} ({len(sizes):,})")  # fmt: skip
    ax.set(
        title="Sizes of flows", xlabel="payload (kB)", ylabel="share of flows at least as large",
        xscale="log", yscale="log",
    )  # fmt: skip
    write_plain_numbers(ax.xaxis)
    write_plain_numbers(ax.yaxis)
    ax.legend(loc="upper right")


def _draw_rtts(ax: Axes, capture: Capture) -> None:
    rtts = capture.connections["rtt_s"]
    known = np.sort(1e3 * rtts[np.isfinite(rtts)])
    title = f"Round trips of {len(known):,} handshakes; {len(rtts) - len(known):,} unknown"
    ax.set(
        title=title, xlabel="from SYN to the ACK of the SYN-ACK (ms)",
        ylabel="share of connections", xscale="log", ylim=(0, 1.02),
    )  # fmt: skip
    if len(known):
        share = np.arange(1, len(known) + 1) / len(known)
        x, y = _thin(np.append(known[0], known), np.append(0.0, share))
        ax.step(x, y, where="post", color=TO_CLIENTS)
    write_plain_numbers(ax.xaxis)


def _thin(
    x: NDArray[np.float64], y: NDArray[np.float64], most: int = 4000
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Keep evenly spaced points if there are too many to distinguish."""
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), most)).round().astype(np.intp))
    return x[kept], y[kept]
