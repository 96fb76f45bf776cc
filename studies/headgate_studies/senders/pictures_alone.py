"""Pictures of flows alone: windows and queues, phases, use of the path."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise, product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from headgate import Result, catalog
from headgate.figures import (
    GREY,
    ORDER,
    PALE,
    Curve,
    CurvePanel,
    Heat,
    draw_curves,
    draw_heat,
    make_axes,
    use_style,
)
from headgate.lab import Picture, Runs
from headgate_studies.paths import (
    bdp_packets,
    course,
    in_seconds,
    largest_queue_share,
    loss_rate,
    queue_share,
    utilisation,
)
from headgate_studies.senders import measures
from headgate_studies.senders.jobs import FAST_PATH_BDP, TCP

SHALLOW = 0.25
PHASES_S = 24.0
#: Time shown before and after a path is halved, as a share of the halved time.
MARGIN = 0.15
#: Loss that gets the darkest colour.
MUCH_LOSS = 0.02
Course = tuple[NDArray[np.float64], NDArray[np.float64]]
COLUMNS = 4
#: A phase is narrow below this share of the width: its name is rotated.
NARROW = 0.09


def courses(runs: Runs) -> Picture:
    """Draw window and queue of every algorithm on one path."""
    full = bdp_packets(100e6, 0.04)
    lasts_s = in_seconds(runs.setup.settings["course"]["duration"]) * runs.setup.settings["size"]
    path_window = np.array([0.0, lasts_s]), np.array([full, full])
    return Picture(
        "courses",
        "Window and queue of every algorithm alone",
        "One flow on 100 Mbit/s and 40 ms with a buffer of half a BDP: congestion window, queue"
        " (filled), and the window that just fills the path (dotted).",
        windows_and_queues(_courses(runs, "course", (0.0, lasts_s)), path_window),
    )


def draw_halved(runs: Runs) -> Picture:
    """Draw window and queue of every algorithm while the path is halved."""
    begin, end = measures.halved_between_s(runs)
    edge = MARGIN * (end - begin)
    shown = begin - edge, end + edge
    t_s = np.array([shown[0], begin, begin, end, end, shown[1]])
    path_window = t_s, FAST_PATH_BDP * np.array([1, 1, 0.5, 0.5, 1, 1])
    return Picture(
        "halved",
        "A path that is halved, and whole again",
        "One flow on 100 Mbit/s and 100 ms with a buffer of a BDP: congestion window, queue"
        " (filled), and the window that just fills the path (dotted), which halves and doubles"
        " with the rate.",
        windows_and_queues(_courses(runs, "halved", shown), path_window),
    )


def _courses(runs: Runs, part: str, shown: tuple[float, float]) -> dict[str, tuple[Course, Course]]:
    drawn = {}
    for cca in runs.setup.ccas:
        window = _between(runs[part, cca], cca, "cwnd_packets", shown)
        drawn[catalog.label(cca)] = (
            window,
            _between(runs[part, cca], "bottleneck", "queue_packets", shown),
        )
    return drawn


def _between(run: Result, name: str, column: str, shown: tuple[float, float]) -> Course:
    t_s, values = course(run, name, column)
    kept = (t_s >= shown[0]) & (t_s <= shown[1])
    return t_s[kept], values[kept]


def phases(runs: Runs) -> Picture:
    """Draw one TCP flow with its phases named."""
    run, shown = runs["phases",], (0.0, PHASES_S)
    window, threshold = (
        _between(run, TCP, name, shown) for name in ("cwnd_packets", "ssthresh_packets")
    )
    queue = _between(run, "bottleneck", "queue_packets", shown)
    return Picture(
        "phases",
        "The phases of one TCP flow",
        "10 Mbit/s, 100 ms, 40 packets of buffer, a first threshold of 64 packets. The buffer"
        " overflows twice; then a whole window is lost, so that only the timer is left.",
        draw_phases(window, threshold, queue, spans(*window, threshold[1])),
    )


def spans(
    t_s: NDArray[np.float64], window: NDArray[np.float64], threshold: NDArray[np.float64]
) -> list[tuple[float, float, str]]:
    """Return the phases of a Reno flow, from its window and threshold."""
    names = np.where(window < threshold, "slow start", "congestion\navoidance")
    names[window <= 1] = "time-out"
    dropped = np.flatnonzero(np.diff(window) < -5)
    for at in dropped:
        if window[at + 1] > 1:
            names[at + 1 : at + 6] = "recovery"
    edges = [0, *(np.flatnonzero(names[1:] != names[:-1]) + 1), len(names)]
    return [(float(t_s[a]), float(t_s[b - 1]), str(names[a])) for a, b in pairwise(edges)]


def rate_and_delay(runs: Runs) -> Picture:
    """Draw utilisation against rate and against delay."""
    part = runs.setup.settings["alone"]
    rates, rtts = part["rates"], part["rtts_ms"]
    by_rate = _utilisation_curves(runs, range(len(rates)), [(rate, rtts[-1]) for rate in rates])
    by_delay = _utilisation_curves(runs, rtts, [(rates[-1], rtt) for rtt in rtts])
    ticks = {rtt: str(rtt) for rtt in rtts}
    panels = [
        CurvePanel(f"{rtts[-1]} ms", "rate", "utilisation", by_rate, ticks=dict(enumerate(rates))),
        CurvePanel(rates[-1], "round trip (ms)", "utilisation", by_delay, "x", ticks=ticks),
    ]
    return Picture(
        "alone-curves",
        "Utilisation against rate and against delay",
        f"One flow, buffer {SHALLOW} BDP, the first fifth of {part['durations'][-1]} left out:"
        " the utilisation that an algorithm reaches within that time.",
        draw_curves(panels, panel_in=(5.6, 4.4)),
    )


def _utilisation_curves(
    runs: Runs, x: Iterable[int], paths: list[tuple[str, int]]
) -> dict[str, Curve]:
    return {
        catalog.label(cca): Curve(
            list(x),
            [utilisation(runs["alone", cca, *path, SHALLOW]) for path in paths],
            marks=True,
        )
        for cca in runs.setup.ccas
    }


def grids(runs: Runs) -> list[Callable[[Runs], Picture]]:
    """Return what draws the grid of each rate."""
    part = runs.setup.settings["alone"]
    return [partial(_grid, *each) for each in zip(part["rates"], part["durations"], strict=True)]


def _grid(rate: str, duration: str, runs: Runs) -> Picture:
    part, ccas = runs.setup.settings["alone"], runs.setup.ccas
    columns = list(product(part["rtts_ms"], part["buffers"]))
    each = len(part["buffers"])
    groups = {i: f"{rtt} ms" for i, (rtt, _) in enumerate(columns) if i % each == 0}

    def panel(
        title: str, of: Callable[[Result], float], high: float, look: str, **how: float
    ) -> Heat:
        values = [[of(runs["alone", cca, rate, *column]) for column in columns] for cca in ccas]
        buffers = [f"{buffer:g}" for _, buffer in columns]
        low, digits = how.get("low", 0.0), int(how.get("digits", 0))
        return Heat(title, np.array(values), buffers, low, high, look, 100, groups, "", digits)

    panels = [
        panel("Utilisation (%)", utilisation, 1.0, "viridis", low=0.4),
        panel("Loss at the buffer (%)", loss_rate, MUCH_LOSS, "cividis", digits=1),
        panel("Mean queue (% of the buffer)", queue_share, 1.0, "magma"),
        panel("Largest queue (% of the buffer)", largest_queue_share, 1.0, "magma"),
    ]
    return Picture(
        f"alone-{rate.replace(' ', '-').replace('/', 'p').lower()}",
        f"Every algorithm alone on {rate}",
        f"One flow; below: buffer in BDP, above: round trip. Results within"
        f" {duration}, the first fifth left out.",
        draw_heat(
            [catalog.label(cca) for cca in ccas],
            panels,
            "buffer (BDP)",
            across=2 if len(columns) < 20 else 1,
        ),
    )


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


def draw_phases(
    window: Course, threshold: Course, queue: Course, spans: Sequence[tuple[float, float, str]]
) -> Figure:
    """Draw the window of one flow, its threshold, the queue below; `spans` name phases."""
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
