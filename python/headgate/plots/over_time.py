"""Pictures of a run over time: windows, queues, throughput."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from headgate import catalog
from headgate.plots.palette import GREY, ORDER
from headgate.plots.style import DASHES, colours, subplots
from headgate.tables import Table

MOST_LINES = 8
MOST_ROWS = 4
SIZE_IN = (8.2, 4.2)
ROW_IN = 1.5
THIN = 0.9
MOST_POINTS = 120

Line = tuple[NDArray[Any], NDArray[Any]]


@dataclass(frozen=True)
class Chosen:
    """The series of flows, or of ports; `laws` are those of the flows, by the flow's name."""

    table: Table
    laws: Mapping[str, str]

    @property
    def names(self) -> list[str]:
        """Names in the order of their first row."""
        return [str(name) for name in dict.fromkeys(self.table["name"])]

    def line(self, name: str, column: str) -> Line:
        """Return time and values of one."""
        own = self.table["name"] == name
        return self.table["t_s"][own], self.table[column][own]

    def by_law(self) -> dict[str, list[str]]:
        """Return the flows of each law, where there are too many to tell apart."""
        if len(self.names) <= MOST_LINES or not all(name in self.laws for name in self.names):
            return {}
        laws = dict.fromkeys(self.laws[name] for name in self.names)
        return {law: [n for n in self.names if self.laws[n] == law] for law in laws}

    def together(self, names: Iterable[str], column: str, how: Callable[..., NDArray[Any]]) -> Line:
        """Return the mean or the sum of several at each time at which one has a value."""
        own = np.isin(self.table["name"], list(names)) & np.isfinite(self.table[column])
        t_s, place = np.unique(self.table["t_s"][own], return_inverse=True)
        total = np.bincount(place, self.table[column][own])
        return t_s, total if how is np.sum else total / np.bincount(place)


def choose_series(series: Table, kind: str, flows: Table) -> Chosen | None:
    """Return the series of a kind; None where there are none."""
    table = series.where(series["of"] == kind)
    laws = {str(t): str(law) for t, law in zip(flows["traffic"], flows["law"], strict=True)}
    return Chosen(table, laws) if len(table) else None


def draw_cwnd(of: Chosen) -> Figure:
    """Draw the window of each flow over time; of many flows, the mean of each law's."""
    laws = of.by_law()
    lines = {
        f"{catalog.label(law)}, mean of {len(names)}": of.together(names, "cwnd_packets", np.mean)
        for law, names in laws.items()
    }
    lines = lines or _largest(of, "cwnd_packets")
    figure, ax = _together(lines, "congestion window (packets)")
    ax.set_title(f"Congestion window{_alone(lines)}{_describe_left_out(of, lines)}")
    return figure


def draw_queue(of: Chosen, buffers: Mapping[str, float]) -> Figure:
    """Draw the queues of ports, one above another; dotted: the buffer."""
    shown = _worst(of)[:MOST_ROWS]
    height_in = SIZE_IN[1] if len(shown) == 1 else 0.6 + ROW_IN * len(shown)
    figure, axes = subplots(len(shown), 1, (SIZE_IN[0], height_in), sharex=True)
    few = f" (the {len(shown)} of {len(of.names)} that drop or hold most)"
    for ax, name in zip(axes, shown, strict=True):
        t_s, packets = of.line(name, "queue_packets")
        ax.plot(t_s, packets, color=ORDER[0], linewidth=THIN)
        ax.set_ylim(0, 1.05 * max(1.0, float(packets.max())))
        ax.margins(x=0.01)
        ax.set_title(f"Queue of {name}{few * (ax is axes[0] and len(shown) < len(of.names))}")
        _mark_buffer(ax, buffers[name], float(packets.max()))
    axes[-1].set_xlabel("time (s)")
    figure.supylabel("packets waiting", fontsize="medium")
    return figure


def _worst(of: Chosen) -> list[str]:
    """Return ports from the one that drops most on; among equals, that which holds most."""

    def key(name: str) -> tuple[float, float]:
        drops, queue = of.line(name, "drops")[1], of.line(name, "queue_packets")[1]
        return -float(np.nan_to_num(drops).max()), -float(np.nan_to_num(queue).mean())

    return sorted(of.names, key=key)


def draw_throughput(of: Chosen, ports: Chosen | None, rates_bps: Mapping[str, float]) -> Figure:
    """Draw what flows (or ports) carry over time, of many the sum of each law's, and in all.

    A flow's is what was acknowledged: one ACK may cover what came over the link long before, so
    that it exceeds the link's rate for an interval. The rate and the total stand beside it.
    """
    laws = of.by_law()
    lines = {
        f"{catalog.label(law)}, sum of {len(names)}": of.together(names, "throughput_bps", np.sum)
        for law, names in laws.items()
    }
    lines = lines or _largest(of, "throughput_bps")
    few = _describe_left_out(of, lines)
    link = ports.names[0] if ports is not None and len(ports.names) == 1 else ""
    if link and of is not ports and len(of.names) > 1:
        total = of.together(of.names, "throughput_bps", np.sum)
        known = f" of {len(of.laws)}" * (len(of.laws) > len(of.names))
        lines = {f"total of {len(of.names)}{known}": total, **lines}
    binned = {name: _average_bins(t_s, 1e-6 * bps) for name, (t_s, bps) in lines.items()}
    figure, ax = _together(binned, "throughput (Mbit/s)", total=bool(link))
    what = "bits sent" if of is ports else "payload acknowledged"
    ax.set_title(f"Throughput{_alone(binned)}{few}: {what}, each point over {_interval(binned)}")
    if link:
        _mark(ax, 1e-6 * rates_bps[link], f"rate of {link}")
        ax.set_ylim(top=max(ax.get_ylim()[1], 1.08e-6 * rates_bps[link]))
    return figure


def _largest(of: Chosen, column: str) -> dict[str, Line]:
    """Return the lines with the largest means, few enough to tell apart."""
    lines = {name: of.line(name, column) for name in of.names}
    order = sorted(lines, key=lambda name: -float(np.nanmean(lines[name][1])))
    return {name: line for name, line in lines.items() if name in order[:MOST_LINES]}


def _describe_left_out(of: Chosen, lines: Mapping[str, Line]) -> str:
    fewer = len(lines) < len(of.names) and set(lines) <= set(of.names)
    return f" (the {len(lines)} largest of {len(of.names)})" if fewer else ""


def _alone(lines: Mapping[str, Line]) -> str:
    return f" of {next(iter(lines))}" if len(lines) == 1 else ""


def _interval(lines: Mapping[str, Line]) -> str:
    """Return the time between two points, the most common one."""
    steps_s = np.concatenate([np.diff(t_s) for t_s, _ in lines.values()])
    return f"{np.median(steps_s):.3g} s" if len(steps_s) else "one interval"


def _together(lines: Mapping[str, Line], label: str, *, total: bool = False) -> tuple[Figure, Axes]:
    """Draw all lines on one pair of axes; the first is grey if it is the total."""
    figure, (ax,) = subplots(1, 1, SIZE_IN)
    named = [name for name in lines if not (total and name.startswith("total of "))]
    colour = colours(named)
    for name, (t_s, values) in lines.items():
        style: dict[str, Any] = {"color": GREY, "linewidth": THIN}
        if name in colour:
            dash = DASHES[named.index(name) % len(DASHES)]
            style = {"color": colour[name], "linestyle": dash}
        ax.plot(t_s, values, label=name, **style)
    ax.set(xlabel="time (s)", ylabel=label)
    ax.set_ylim(bottom=0)
    ax.margins(x=0.01)
    if len(lines) > 1:
        figure.legend(loc="outside right upper")
    return figure, ax


def _average_bins(t_s: NDArray[Any], values: NDArray[Any]) -> Line:
    """Average over equal stretches of time, few enough to see the course of a noisy series."""
    kept = np.isfinite(values)
    each = max(1, kept.sum() // MOST_POINTS)
    whole = kept.sum() // each * each
    bins = [column[kept][:whole].reshape(-1, each).mean(axis=1) for column in (t_s, values)]
    return bins[0], bins[1]


def _mark_buffer(ax: Axes, packets: float, highest: float) -> None:
    if np.isfinite(packets) and packets <= 3 * max(highest, 1.0):
        _mark(ax, packets, "buffer")


def _mark(ax: Axes, level: float, said: str) -> None:
    """Draw a dotted line at a level, and say what it is."""
    ax.axhline(level, color=GREY, linestyle=":", linewidth=1)
    ax.annotate(
        said,
        (1, level),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3),
        textcoords="offset points",
        color=GREY,
        ha="right",
        fontsize=8,
    )
