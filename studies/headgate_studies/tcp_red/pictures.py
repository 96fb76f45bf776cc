"""The pictures of the study: phase diagrams, phases, changes, box plots."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from headgate.figures import GREY, ORDER, PALE, Curve, CurvePanel, draw_curves, make_axes, use_style
from headgate.lab import Picture
from headgate_studies.tcp_red.working_points import (
    FIRST,
    NAMES,
    PHASES,
    SECOND,
    SIMULATIONS,
    THIRD,
    VIRTUAL_QUEUE,
    Simulations,
    Trace,
)

PANEL_IN = (4.7, 3.6)
#: Of the drop probability, from pale (none) to dark (largest).
COLOURS = "viridis_r"
PATH = ORDER[3]
#: Offset of the letter of each point, in points.
BESIDE = {"A": (-9, 3), "B": (4, 5), "C": (6, 4), "D": (3, -12)}
LABELS = {
    "W": "window W (packets)",
    "R": "round trip R (s)",
    "S": "rate S (packets/s)",
    "q": "queue q (packets)",
}


def pictures(made: Simulations) -> tuple[Picture, ...]:
    """Draw every figure of the report."""
    drawn = (_diagrams, _phases, _changes, _growth, _average, _boxes, _beside)
    return tuple(draw(made) for draw in drawn)


def _diagrams(made: Simulations) -> Picture:
    own = {NAMES[name]: made.program[name] for name in SIMULATIONS}
    return Picture(
        "phase-diagrams",
        "The oscillation of the flow",
        "Rate over round trip, coloured by the drop probability, from the start. A: least round"
        " trip; B: greatest rate; C and D: greatest round trip, least rate. Red: from A to B."
        " Solved as the source's program does; the last uses the settings of simulation 2.",
        phase_diagrams(own),
    )


def _phases(made: Simulations) -> Picture:
    return Picture(
        "phases",
        "Slow start, transient, steady cycle",
        "Rate of simulation 1. Fast is a change of 0.5 packets/s each second or more; the steady"
        " cycle begins at the least rate after the first drops.",
        phases(made.program[FIRST]),
    )


def _changes(made: Simulations) -> Picture:
    trace = made.program[FIRST]
    row_ms = 1e3 * float(np.median(np.diff(trace.t_s)))
    drawn = [
        {name: Curve(trace.t_s[trace.path], trace.changes(name)[at]) for name in "WRS"}
        for at in (0, 1)
    ]
    titles = (f"Change in {row_ms:.0f} ms from A to B (%)", "Change since A (%)")
    panels = [
        CurvePanel(title, "time (s)", "%", curves, levels={"": 0.0})
        for title, curves in zip(titles, drawn, strict=True)
    ]
    return Picture(
        "changes",
        "From A to B",
        "Changes of window, round trip and rate along the path from A to B of simulation 1: towards"
        " B the window buys round trip, and no more rate.",
        draw_curves(panels),
    )


def _growth(made: Simulations) -> Picture:
    return Picture(
        "growth",
        "Working points at which a larger window helps",
        "The cycle of simulation 1 beside the limit W0 < Q0 + Q*. The window passes it at A, and"
        " the rate grows up to B all the same; beyond, two thirds of the cycle, it grows for"
        " nothing.",
        growth(made.program[FIRST], VIRTUAL_QUEUE),
    )


def _average(made: Simulations) -> Picture:
    settings = made.setup.settings["simulations"]
    panels = []
    for name in (FIRST, SECOND, THIRD):
        trace, level = made.program[name], {"drops begin": settings[name]["min_packets"]}
        curves = {
            "queue q": Curve(trace.t_s, trace.q),
            "moving average x": Curve(trace.t_s, trace.x),
        }
        panels.append(CurvePanel(NAMES[name], "time (s)", "packets", curves, "", level, low=0.0))
    return Picture(
        "average",
        "Queue and moving average",
        "The average reaches the threshold seconds after the queue. In simulations 2 and 3 drops"
        " follow the queue itself; the average is drawn for comparison.",
        draw_curves(panels, columns=1, panel_in=(9.2, 2.3)),
    )


def _boxes(made: Simulations) -> Picture:
    return Picture(
        "boxes",
        "What the remedies change",
        "Box plots over one cycle of each simulation: quartiles, and whiskers of 1.5 times their"
        " distance.",
        boxes({NAMES[name]: made.program[name] for name in SIMULATIONS}),
    )


def _beside(made: Simulations) -> Picture:
    own = {
        "by the source's program": made.program[FIRST],
        "by the equations": made.exact[FIRST],
        "by packets": made.packets[FIRST],
        "simulation 2 by packets": made.packets[SECOND],
    }
    return Picture(
        "beside",
        "Program, equations, packets",
        "Simulation 1 in the steps of the source's program, as the equations have it, and by"
        " packets: Reno over RED with the same profile, and with that of simulation 2. A loss cuts"
        " the window at once, so the rate falls at C.",
        phase_diagrams(own, float(made.exact[FIRST].p.max())),
    )


def phase_diagrams(
    traces: Mapping[str, Trace], most: float | None = None, columns: int = 2
) -> Figure:
    """Draw S over R for each trace, coloured by p, with its points and the path from A to B.

    The darkest colour starts at `most`, by default the greatest p of all.
    """
    with use_style():
        rows = -(-len(traces) // columns)
        size_in = (PANEL_IN[0] * columns, PANEL_IN[1] * rows + 0.3)
        figure, axes = make_axes(rows, columns, size_in, sharex=True, sharey=True)
        greatest = max(float(trace.p.max()) for trace in traces.values())
        shades = Normalize(0.0, most or greatest)
        for ax, (name, trace) in zip(axes, traces.items(), strict=False):
            drawn = _draw_course(ax, trace, shades)
            _points(ax, trace)
            ax.set_title(name)
        figure.supxlabel(LABELS["R"], fontsize="medium")
        figure.supylabel(LABELS["S"], fontsize="medium")
        for ax in axes[len(traces) :]:
            ax.set_visible(False)
        figure.colorbar(
            drawn,
            ax=axes,
            label="drop probability p",
            shrink=0.7,
            extend="max" if most else "neither",
        )
        return figure


def phases(trace: Trace) -> Figure:
    """Draw the rate over time: shaded by phase, thick for fast changes."""
    with use_style():
        figure, axes = make_axes(1, 1, (9.2, 3.6))
        ax = axes[0]
        _shade(ax, trace)
        grows, fast = trace.slopes
        looks = (("grows", grows, ORDER[2]), ("falls", ~grows, ORDER[3]))
        for word, chosen, colour in looks:
            for speed, rows, width in (("fast", fast, 2.6), ("slowly", ~fast, 0.9)):
                line = np.where(chosen & rows, trace.S, np.nan)
                ax.plot(trace.t_s, line, color=colour, linewidth=width, label=f"{word} {speed}")
        for letter, point in trace.points.items():
            ax.plot(point.t_s, point.S, "o", color=ORDER[0])
            ax.annotate(letter, (point.t_s, point.S), BESIDE[letter], textcoords="offset points")
        ax.set(xlabel="time (s)", ylabel=LABELS["S"])
        ax.set_title("Phases of the rate")
        ax.margins(x=0)
        figure.legend(loc="outside lower center", ncols=4)
        return figure


def growth(trace: Trace, packets: float) -> Figure:
    """Draw W/(q + Q*) and S over a cycle: the part in which window growth has no benefit."""
    with use_style():
        figure, axes = make_axes(2, 1, (9.2, 4.6), sharex=True)
        own = trace.cycle
        t_s = trace.t_s[own]
        axes[0].plot(t_s, trace.room(packets)[own], color=ORDER[0])
        axes[0].axhline(1, color=GREY, linestyle=":")
        axes[0].set_title("W / (q + Q*): a larger window helps below 1, says the source")
        axes[1].plot(t_s, trace.S[own], color=ORDER[0])
        axes[1].set_title("Rate S (packets/s)")
        since_s = trace.points["B"].t_s
        for ax in axes:
            ax.axvspan(since_s, float(t_s[-1]), color=PALE, alpha=0.6, linewidth=0)
            for letter, point in trace.points.items():
                ax.axvline(point.t_s, color=GREY, linewidth=0.8, linestyle="--")
                if ax is axes[1]:
                    place = (point.t_s, ax.get_ylim()[0])
                    ax.annotate(letter, place, (3, 3), textcoords="offset points")
            ax.margins(x=0)
        axes[1].set_xlabel("time (s); shaded: from B to the next onset of drops")
        return figure


def boxes(traces: Mapping[str, Trace]) -> Figure:
    """Draw box plots of W, R, q and S over the cycle of every trace."""
    with use_style():
        figure, axes = make_axes(2, 2, (2 * PANEL_IN[0], 2 * 2.9))
        for ax, (letter, label) in zip(axes, LABELS.items(), strict=True):
            own = [trace.column(letter)[trace.cycle] for trace in traces.values()]
            ax.boxplot(
                own,
                tick_labels=[name.replace(" ", "\n", 1) for name in traces],
                widths=0.6,
                patch_artist=True,
                boxprops={"facecolor": PALE},
                medianprops={"color": ORDER[3]},
                flierprops={"marker": ".", "markersize": 2},
            )
            ax.set_title(label)
        return figure


def _draw_course(ax: Axes, trace: Trace, shades: Normalize) -> LineCollection:
    """Draw the whole way through {R, S}, each piece in the colour of its p."""
    places: NDArray[np.float64] = np.stack([trace.R, trace.S], axis=1)
    pieces = np.stack([places[:-1], places[1:]], axis=1)
    lines = LineCollection(list(pieces), cmap=COLOURS, norm=shades, linewidths=1.3)
    lines.set_array(trace.p[:-1])
    ax.add_collection(lines)
    ax.autoscale()
    return lines


def _points(ax: Axes, trace: Trace) -> None:
    path = trace.path
    rates, trips = trace.S[path], trace.R[path]
    ax.plot(trips, rates, color=PATH, linewidth=2.2)
    ax.annotate(
        "", (trips[-1], rates[-1]), (trips[-3], rates[-3]),
        arrowprops={"arrowstyle": "-|>", "color": PATH},
    )  # fmt: skip
    for letter, point in trace.points.items():
        ax.plot(point.R, point.S, "o", color="black", markersize=4)
        ax.annotate(
            letter, (point.R, point.S), BESIDE[letter], textcoords="offset points", weight="bold"
        )


def _shade(ax: Axes, trace: Trace) -> None:
    for place, name in enumerate(PHASES):
        rows = np.flatnonzero(trace.phases == place)
        if len(rows):
            start, end = trace.t_s[rows[0]], trace.t_s[min(rows[-1] + 1, len(trace.t_s) - 1)]
            ax.axvspan(start, end, color=PALE, alpha=(0.9, 0.5, 0.15)[place], linewidth=0)
            ax.annotate(
                name, (start, 1), xycoords=("data", "axes fraction"),
                xytext=(3, -2 - 11 * place), textcoords="offset points",
                va="top", fontsize=8, color=GREY,
            )  # fmt: skip
