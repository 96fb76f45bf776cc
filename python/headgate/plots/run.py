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
from headgate.plots import over_time
from headgate.plots.network import Stretch, network_map, utilisation_maps
from headgate.plots.over_time import SIZE_IN
from headgate.plots.style import colours, subplots, use_style
from headgate.tables import Table
from headgate.topologies import abilene, isp

BINS_PER_DECADE = 6
LEAST_IN_BIN = 5
LEAST_SPAN = 4.0
MANY_DECADES = 1000.0


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
        "cwnd": _cwnd,
        "queue": _queue,
        "throughput": _throughput,
        "fct": draw_completion_times,
        "utilisation": draw_utilisation,
    }
    with use_style():
        drawn = {name: draw(result) for name, draw in made.items()}
    return {name: figure for name, figure in drawn.items() if figure is not None}


def draw_answer(result: Tables) -> Figure | None:
    """Draw the one picture that says most of the run, if its tables have data for any."""
    with use_style():
        drawn = (draw(result) for draw in (_throughput, draw_completion_times, draw_utilisation))
        return next((figure for figure in drawn if figure is not None), None)


def _cwnd(result: Tables) -> Figure | None:
    flows = over_time.choose_series(result.series, "flow", result.flows)
    return over_time.draw_cwnd(flows) if flows else None


def _queue(result: Tables) -> Figure | None:
    ports = over_time.choose_series(result.series, "port", result.flows)
    return over_time.draw_queue(ports, _by_link(result.ports, "buffer_packets")) if ports else None


def _throughput(result: Tables) -> Figure | None:
    """Draw the throughput of flows, or of ports where no flow was chosen."""
    ports = over_time.choose_series(result.series, "port", result.flows)
    of = over_time.choose_series(result.series, "flow", result.flows) or ports
    rates_bps = _by_link(result.ports, "rate_bps")
    return over_time.draw_throughput(of, ports, rates_bps) if of else None


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


def _by_link(ports: Table, column: str) -> Mapping[str, float]:
    return {str(n): float(v) for n, v in zip(ports["link"], ports[column], strict=True)}


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
