"""Pictures of flows alone: windows and queues, phases, what a law makes of a path."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from headgate import Result, catalog
from headgate.figures import Curve, CurvePanel, Heat, draw_curves, draw_heat
from headgate.lab import Picture, Runs
from headgate_studies.paths import bdp_packets, course, in_seconds, loss_rate, utilisation
from headgate_studies.senders import measures
from headgate_studies.senders.jobs import FAST_PATH_BDP, TCP
from headgate_studies.senders.multiples import Course, windows_and_queues
from headgate_studies.senders.multiples import phases as phases_of

SHALLOW = 0.25
PHASES_S = 24.0
#: What is shown of a halved path before and after, as a share of how long it is halved.
MARGIN = 0.15
#: Loss that gets the darkest colour.
MUCH_LOSS = 0.02


def courses(runs: Runs) -> Picture:
    """Draw window and queue of every law on one path."""
    full = bdp_packets(100e6, 0.04)
    lasts_s = in_seconds(runs.setup.settings["course"]["duration"]) * runs.setup.settings["size"]
    path_window = np.array([0.0, lasts_s]), np.array([full, full])
    return Picture(
        "courses",
        "Window and queue of every law alone",
        "One flow on 100 Mbit/s and 40 ms with a buffer of half a BDP: congestion window, queue"
        " (filled), and the window that just fills the path (dotted).",
        windows_and_queues(_courses(runs, "course", (0.0, lasts_s)), path_window),
    )


def draw_halved(runs: Runs) -> Picture:
    """Draw window and queue of every law while the path is halved."""
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
    for law in runs.setup.laws:
        window = _between(runs[part, law], law, "cwnd_packets", shown)
        drawn[catalog.label(law)] = (
            window,
            _between(runs[part, law], "bottleneck", "queue_packets", shown),
        )
    return drawn


def _between(run: Result, name: str, column: str, shown: tuple[float, float]) -> Course:
    t_s, values = course(run, name, column)
    kept = (t_s >= shown[0]) & (t_s <= shown[1])
    return t_s[kept], values[kept]


# Phases ------------------------------------------------------------------------------------------


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
        phases_of(window, threshold, queue, spans(*window, threshold[1])),
    )


def spans(
    t_s: NDArray[np.float64], window: NDArray[np.float64], threshold: NDArray[np.float64]
) -> list[tuple[float, float, str]]:
    """Tell the phases of a Reno flow from its window and threshold."""
    names = np.where(window < threshold, "slow start", "congestion\navoidance")
    names[window <= 1] = "time-out"
    dropped = np.flatnonzero(np.diff(window) < -5)
    for at in dropped:
        if window[at + 1] > 1:
            names[at + 1 : at + 6] = "recovery"
    edges = [0, *(np.flatnonzero(names[1:] != names[:-1]) + 1), len(names)]
    return [(float(t_s[a]), float(t_s[b - 1]), str(names[a])) for a, b in pairwise(edges)]


# What a law makes of a path ----------------------------------------------------------------------


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
        f"One flow, buffer {SHALLOW} BDP, the first fifth of {part['durations'][-1]} left out: what"
        " a law makes of a path within that time.",
        draw_curves(panels, panel_in=(5.6, 4.4)),
    )


def _utilisation_curves(
    runs: Runs, x: Iterable[int], paths: list[tuple[str, int]]
) -> dict[str, Curve]:
    return {
        catalog.label(law): Curve(
            list(x),
            [utilisation(runs["alone", law, *path, SHALLOW]) for path in paths],
            marks=True,
        )
        for law in runs.setup.laws
    }


def grids(runs: Runs) -> list[Callable[[Runs], Picture]]:
    """Return what draws the grid of each rate."""
    part = runs.setup.settings["alone"]
    return [partial(_grid, *each) for each in zip(part["rates"], part["durations"], strict=True)]


def _grid(rate: str, duration: str, runs: Runs) -> Picture:
    part, laws = runs.setup.settings["alone"], runs.setup.laws
    columns = list(product(part["rtts_ms"], part["buffers"]))
    each = len(part["buffers"])
    groups = {i: f"{rtt} ms" for i, (rtt, _) in enumerate(columns) if i % each == 0}

    def panel(
        title: str, of: Callable[[Result], float], high: float, look: str, **how: float
    ) -> Heat:
        values = [[of(runs["alone", law, rate, *column]) for column in columns] for law in laws]
        buffers = [f"{buffer:g}" for _, buffer in columns]
        low, digits = how.get("low", 0.0), int(how.get("digits", 0))
        return Heat(title, np.array(values), buffers, low, high, look, 100, groups, "", digits)

    panels = [
        panel("Utilisation (%)", utilisation, 1.0, "viridis", low=0.4),
        panel("Loss at the buffer (%)", loss_rate, MUCH_LOSS, "cividis", digits=1),
        panel("Mean queue (% of the buffer)", measures.queue_share, 1.0, "magma"),
        panel("Largest queue (% of the buffer)", measures.largest_queue_share, 1.0, "magma"),
    ]
    return Picture(
        f"alone-{rate.replace(' ', '-').replace('/', 'p').lower()}",
        f"Every law alone on {rate}",
        f"One flow; below: buffer in BDP, above: round trip. What a law makes of the path within"
        f" {duration}, the first fifth left out.",
        draw_heat(
            [catalog.label(law) for law in laws],
            panels,
            "buffer (BDP)",
            across=2 if len(columns) < 20 else 1,
        ),
    )
