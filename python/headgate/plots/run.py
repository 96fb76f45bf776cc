"""The pictures of one run: windows, queues, throughput, completion times, utilisation."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from headgate import catalog
from headgate.plots.network import Stretch, network_map, utilisation_maps
from headgate.plots.style import DASHES, GREY, ORDER, colours, styled, subplots
from headgate.scenario.networks import abilene, isp
from headgate.tables import Table

MOST_LINES = 8
MOST_ROWS = 4
SIZE_IN = (8.2, 4.2)
ROW_IN = 1.5
THIN = 0.9
MOST_POINTS = 120
BINS_PER_DECADE = 6
LEAST_IN_BIN = 5
LEAST_SPAN = 4.0
MANY_DECADES = 1000.0

Line = tuple[NDArray[Any], NDArray[Any]]


class Tables(Protocol):
    """What is drawn: the tables of a result."""

    @property
    def flows(self) -> Table:
        """One row a flow."""

    @property
    def ports(self) -> Table:
        """One row a link."""

    @property
    def series(self) -> Table:
        """Chosen flows and ports over time."""


def draw_run(result: Tables) -> dict[str, Figure]:
    """Draw every picture that the run's tables have data for, by name."""
    made: dict[str, Callable[[Tables], Figure | None]] = {
        "cwnd": draw_cwnd,
        "queue": draw_queue,
        "throughput": draw_throughput,
        "fct": draw_completion_times,
        "utilisation": draw_utilisation,
    }
    with styled():
        drawn = {name: draw(result) for name, draw in made.items()}
    return {name: figure for name, figure in drawn.items() if figure is not None}


def draw_cwnd(result: Tables) -> Figure | None:
    """Draw the congestion window of each chosen flow over time."""
    chosen = _series(result, "flow")
    if not len(chosen):
        return None
    lines = _lines(chosen, "cwnd_packets")
    return _together(lines, "congestion window (packets)", _left_out(chosen, lines))


def draw_queue(result: Tables) -> Figure | None:
    """Draw the queue of each chosen port over time, one above another; dotted: its buffer."""
    chosen = _series(result, "port")
    if not len(chosen):
        return None
    lines, buffers = _lines(chosen, "queue_packets", MOST_ROWS), _buffers(result.ports)
    height_in = SIZE_IN[1] if len(lines) == 1 else 0.6 + ROW_IN * len(lines)
    figure, axes = subplots(len(lines), 1, (SIZE_IN[0], height_in), sharex=True)
    for ax, (name, (t_s, packets)) in zip(axes, lines.items(), strict=True):
        ax.plot(t_s, packets, color=ORDER[0], linewidth=THIN)
        ax.set_ylim(0, 1.05 * max(1.0, float(packets.max())))
        ax.margins(x=0.01)
        ax.set_title(f"Queue of {name}{_left_out(chosen, lines) if ax is axes[0] else ''}")
        _mark_buffer(ax, buffers[name], float(packets.max()))
    axes[-1].set_xlabel("time (s)")
    figure.supylabel("packets waiting", fontsize="medium")
    return figure


def draw_throughput(result: Tables) -> Figure | None:
    """Draw the throughput of each chosen flow over time, or of ports if no flow was chosen."""
    kind = "flow" if len(_series(result, "flow")) else "port"
    chosen = _series(result, kind)
    if not len(chosen):
        return None
    lines = {
        name: _binned(t_s, 1e-6 * bps)
        for name, (t_s, bps) in _lines(chosen, "throughput_bps").items()
    }
    return _together(lines, "throughput (Mbit/s)", _left_out(chosen, lines))


def draw_completion_times(result: Tables) -> Figure | None:
    """Draw flow completion time by size, both logarithmic: each flow, and the median of bins."""
    flows = result.flows
    done = np.isfinite(flows["fct_sender_s"]) & (flows["size_packets"] > 0)
    if not done.any():
        return None
    figure, axes = subplots(1, 1, SIZE_IN)
    laws = [str(law) for law in np.unique(flows["law"][done])]
    colour = colours(laws)
    for law in laws:
        mine = done & (flows["law"] == law)
        _law_times(axes[0], law, flows["size_packets"][mine], flows["fct_sender_s"][mine], colour)
    axes[0].set(xscale="log", yscale="log")
    axes[0].set(xlabel="file size (packets)", ylabel="flow completion time (s)")
    axes[0].set_title("Flow completion time by size")
    for axis in (axes[0].xaxis, axes[0].yaxis):
        _plain_numbers(axis)
    shaded = "median, 10 % to 90 % shaded" if axes[0].collections else None
    axes[0].legend(title=shaded)
    return figure


def draw_utilisation(result: Tables) -> Figure | None:
    """Draw the network with its links coloured by utilisation."""
    ports = result.ports
    if not len(ports):
        return None
    columns = (ports["from"], ports["to"], ports["utilisation"])
    stretches = [Stretch(str(a), str(b), float(u)) for a, b, u in zip(*columns, strict=True)]
    routers = {s.source for s in stretches}
    for cities in (isp.CITIES, abilene.CITIES):  # the letters of the second are among the first's
        if set(cities) <= routers:
            return utilisation_maps({"": stretches}, cities, columns=1)
    return network_map(stretches)


def _series(result: Tables, kind: str) -> Table:
    return result.series.where(result.series["of"] == kind)


def _together(lines: Mapping[str, Line], label: str, left_out: str) -> Figure:
    """Draw all lines on one pair of axes; a single one is named in the title."""
    figure, axes = subplots(1, 1, SIZE_IN)
    for i, (name, (t_s, values)) in enumerate(lines.items()):
        style: dict[str, Any] = {
            "color": ORDER[i % len(ORDER)],
            "linestyle": DASHES[i % len(DASHES)],
        }
        axes[0].plot(t_s, values, label=name, **style)
    alone = f" of {next(iter(lines))}" if len(lines) == 1 else ""
    axes[0].set(xlabel="time (s)", ylabel=label)
    axes[0].set_title(f"{label.partition(' (')[0].capitalize()}{alone}{left_out}")
    axes[0].set_ylim(bottom=0)
    axes[0].margins(x=0.01)
    if len(lines) > 1:
        figure.legend(loc="outside right upper")
    return figure


def _lines(table: Table, column: str, most: int = MOST_LINES) -> dict[str, Line]:
    """Return time and values by name: those with the largest means, few enough to tell apart."""
    names, values = table["name"], table[column]
    own = {str(name): names == name for name in dict.fromkeys(names)}
    largest = sorted(own, key=lambda name: -float(np.nanmean(values[own[name]])))[:most]
    shown = [name for name in own if name in largest]
    return {name: (table["t_s"][own[name]], values[own[name]]) for name in shown}


def _left_out(table: Table, lines: Mapping[str, Line]) -> str:
    total = len(np.unique(table["name"]))
    return f" (the {len(lines)} largest of {total})" if len(lines) < total else ""


def _binned(t_s: NDArray[Any], values: NDArray[Any]) -> Line:
    """Average over equal stretches of time, few enough to see the course of a noisy series."""
    kept = np.isfinite(values)
    each = max(1, kept.sum() // MOST_POINTS)
    whole = kept.sum() // each * each
    bins = [column[kept][:whole].reshape(-1, each).mean(axis=1) for column in (t_s, values)]
    return bins[0], bins[1]


def _mark_buffer(ax: Axes, packets: float, highest: float) -> None:
    if not np.isfinite(packets) or packets > 3 * max(highest, 1.0):
        return
    ax.axhline(packets, color=GREY, linestyle=":", linewidth=1)
    ax.annotate(
        "buffer",
        (1, packets),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3),
        textcoords="offset points",
        color=GREY,
        ha="right",
        fontsize=8,
    )


def _buffers(ports: Table) -> Mapping[str, float]:
    return {str(n): float(b) for n, b in zip(ports["link"], ports["buffer_packets"], strict=True)}


def _plain_numbers(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers; values that are all alike get room."""
    low, high = axis.get_view_interval()
    if high < LEAST_SPAN * low:
        middle, half = math.sqrt(low * high), math.sqrt(LEAST_SPAN)
        low, high = middle / half, middle * half
        axis.set_view_interval(low, high, ignore=True)
    steps = (1, 2, 5) if high < MANY_DECADES * low else (1,)
    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axis.set_minor_formatter(NullFormatter())


def _law_times(
    ax: Axes,
    law: str,
    sizes: NDArray[Any],
    times_s: NDArray[Any],
    colour: Mapping[str, str],
) -> None:
    bins = np.floor(np.log10(sizes) * BINS_PER_DECADE).astype(int)
    kept = [b for b in np.unique(bins) if (bins == b).sum() >= LEAST_IN_BIN]
    ax.plot(
        sizes,
        times_s,
        ".",
        color=colour[law],
        alpha=min(1.0, 300 / len(sizes)),
        markersize=2.5 if kept else 6,
        rasterized=True,
        zorder=1,
        label=None if kept else catalog.label(law),
    )
    if kept:
        middles = [np.exp(np.log(sizes[bins == b]).mean()) for b in kept]
        low, median, high = np.array(
            [np.quantile(times_s[bins == b], (0.1, 0.5, 0.9)) for b in kept]
        ).T
        ax.fill_between(middles, low, high, color=colour[law], alpha=0.2, linewidth=0)
        ax.plot(
            middles, median, color=colour[law], label=catalog.label(law), marker="o", markersize=4
        )
