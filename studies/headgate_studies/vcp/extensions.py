"""The pictures of slide 23, the slides' future work: short files, real-time traffic, wireless."""

from __future__ import annotations

import numpy as np

from headgate.figures import Curve, CurvePanel, draw_curves
from headgate.lab import Picture, Runs
from headgate_studies.paths import goodput_bps
from headgate_studies.vcp import applications
from headgate_studies.vcp.applications import HALF_A_LINE, SHORT, mean_completion_s
from headgate_studies.vcp.measures import levels, replicates
from headgate_studies.vcp.panels import AXES, alone, mark_points, swept, use_and_queue

#: Bins of the sizes of files, packets; the least that is drawn is 8.
SIZES = ((8, 9), (10, 14), (15, 19), (20, 29), (30, 49), (50, 99), (100, 199), (200, 499))


def short(runs: Runs) -> Picture:
    """Show the line that short files share with long flows."""
    return Picture(
        "short-flows",
        "Slide 23, applications: short-lived traffic",
        "Pareto sizes, mean 30 packets, shape 1.35, beside 50 long flows each way.",
        use_and_queue(runs, "short"),
    )


def completion(runs: Runs) -> Picture:
    """Show how long they take."""
    rates = levels(runs, "short")
    typical = max(levels(runs, "short", most=HALF_A_LINE))
    files = (1, SHORT)
    by_rate = mark_points(
        runs, rates, lambda n: [mean_completion_s(runs, n, x, files) for x in rates]
    )
    middles = [np.sqrt(low * high) for low, high in SIZES]
    by_size = mark_points(
        runs, middles, lambda n: [mean_completion_s(runs, n, typical, size) for size in SIZES]
    )
    by_size["alone"] = Curve(
        middles, [applications.ai_completion_s(x) for x in middles], theory=True
    )
    seconds = "mean completion time (s)"
    panels = [
        CurvePanel(f"Files of up to {SHORT} packets", AXES["short"], seconds, by_rate, "xy"),
        CurvePanel(f"{typical:g} files a second", "size (packets)", seconds, by_size, "xy"),
    ]
    return Picture(
        "completion",
        "Slide 23, applications: how long short files take",
        "The same runs; from the SYN to the last packet at the receiver. 625 files a second would"
        " take all of the line. Dashed: VCP's window of two packets, which only alpha raises.",
        draw_curves(panels),
    )


def real_time(runs: Runs) -> Picture:
    """Show what a voice waits and loses."""
    panels = [swept(runs, "real time", of, name) for name, of in applications.VOICE.items()]
    return Picture(
        "real-time",
        "Slide 23, applications: real-time traffic",
        "A voice of 50 packets a second beside 50 flows each way and video; neither yields. What"
        " its round trips wait, how much that changes from one to the next, and what gets lost.",
        draw_curves(panels),
    )


def lossy(runs: Runs) -> Picture:
    """Show the goodput over a link that loses packets at random."""
    losses = runs.setup.settings["lossy"]["losses"]
    drawn = mark_points(runs, losses, lambda name: [_goodput_mbps(runs, name, p) for p in losses])
    panel = CurvePanel("One flow, 50 Mbit/s, 80 ms", "random loss", "goodput (Mbit/s)", drawn, "xy")
    return Picture(
        "wireless",
        "Slide 23, environment: a channel that loses packets",
        "Losses halve the window of all of them, as TCP's.",
        alone(panel),
    )


def _goodput_mbps(runs: Runs, scheme: str, loss: float) -> float:
    done = replicates(runs, "lossy", scheme, loss)
    return float(np.mean([goodput_bps(run) for run in done])) / 1e6
