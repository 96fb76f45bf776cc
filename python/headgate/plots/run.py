"""The pictures of one run: windows, queues, throughput, completion times, utilisation."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter
from numpy.typing import NDArray

from headgate.plots.network import Stretch, network_map, utilisation_maps
from headgate.plots.style import DASHES, GREY, ORDER, colours, styled, subplots
from headgate.scenario.networks.abilene import CITIES
from headgate.tables import Table

MOST_LINES = 8
SIZE_IN = (8.2, 4.2)
BINS_PER_DECADE = 6
LEAST_IN_BIN = 5


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
    return _over_time(result.series, "flow", "cwnd_packets", "congestion window (packets)")


def draw_queue(result: Tables) -> Figure | None:
    """Draw the queue of each chosen port over time; a dotted line marks its buffer."""
    figure = _over_time(result.series, "port", "queue_packets", "packets waiting")
    if figure is not None:
        _mark_buffers(figure.axes[0], result)
    return figure


def draw_throughput(result: Tables) -> Figure | None:
    """Draw the throughput of each chosen flow over time."""
    series = result.series
    kind = "flow" if (series["of"] == "flow").any() else "port"
    return _over_time(series, kind, "throughput_bps", "throughput (Mbit/s)", scale=1e-6)


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
    axes[0].set(xscale="log", yscale="log", xlabel="file size (packets)")
    axes[0].set_title("Flow completion time by size")
    for axis in (axes[0].xaxis, axes[0].yaxis):
        axis.set_major_formatter(LogFormatter(labelOnlyBase=False, minor_thresholds=(1.5, 0.5)))
        axis.set_minor_formatter(LogFormatter(labelOnlyBase=False, minor_thresholds=(1.5, 0.5)))
    axes[0].set_ylabel("flow completion time (s)")
    axes[0].legend(title="median, 10 % to 90 % shaded")
    return figure


def draw_utilisation(result: Tables) -> Figure | None:
    """Draw the network with its links coloured by utilisation."""
    ports = result.ports
    if not len(ports):
        return None
    columns = (ports["from"], ports["to"], ports["utilisation"])
    stretches = [Stretch(str(a), str(b), float(u)) for a, b, u in zip(*columns, strict=True)]
    routers = {s.source for s in stretches}
    if set(CITIES) <= routers:
        return utilisation_maps({"": stretches}, CITIES, columns=1)
    return network_map(stretches)


def _over_time(
    series: Table, kind: str, column: str, label: str, scale: float = 1.0
) -> Figure | None:
    chosen = series.where(series["of"] == kind)
    if not len(chosen):
        return None
    lines = _lines(chosen, column)
    figure, axes = subplots(1, 1, SIZE_IN)
    for i, (name, (t_s, values)) in enumerate(lines.items()):
        style: dict[str, Any] = {
            "color": ORDER[i % len(ORDER)],
            "linestyle": DASHES[i % len(DASHES)],
        }
        axes[0].plot(t_s, values * scale, label=name, **style)
    axes[0].set(xlabel="time (s)", ylabel=label)
    axes[0].set_title(f"{label.partition(' (')[0].capitalize()} of each {kind}")
    axes[0].set_ylim(bottom=0)
    axes[0].margins(x=0.01)
    if len(lines) > 1 or kind == "port":
        figure.legend(loc="outside right upper")
    return figure


def _lines(table: Table, column: str) -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    """Return time and values by name, at most as many as a reader can tell apart."""
    values, names = table[column], table["name"]
    order = {str(name): None for name in names}
    shown = list(order)[:MOST_LINES]
    return {name: (table["t_s"][names == name], values[names == name]) for name in shown}


def _mark_buffers(ax: Axes, result: Tables) -> None:
    buffers = _buffers(result.ports)
    for line in ax.get_lines():
        packets = buffers.get(str(line.get_label()), np.inf)
        top = float(np.max(line.get_ydata()))
        if np.isfinite(packets) and packets <= 3 * max(top, 1.0):
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
        markersize=2.5,
        rasterized=True,
        zorder=1,
        label=None if kept else law,
    )
    if kept:
        middles = [np.exp(np.log(sizes[bins == b]).mean()) for b in kept]
        low, median, high = np.array(
            [np.quantile(times_s[bins == b], (0.1, 0.5, 0.9)) for b in kept]
        ).T
        ax.fill_between(middles, low, high, color=colour[law], alpha=0.2, linewidth=0)
        ax.plot(middles, median, color=colour[law], label=law, marker="o", markersize=4)
