"""What the pictures of the study are made of."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from headgate import Result
from headgate.figures import Curve, CurvePanel, draw_curves
from headgate.lab import Runs
from headgate_studies.paths import utilisation
from headgate_studies.vcp import measures
from headgate_studies.vcp.measures import Measure, at, levels

BANDWIDTH, DELAY = "bandwidth (Mbit/s)", "round trip (ms)"
AXES = {
    "bandwidth": BANDWIDTH,
    "delay": DELAY,
    "flows": "flows each way",
    "short": "short flows a second",
    "real time": "video, share of the line",
}
#: Sweeps whose levels are not on a logarithmic axis.
PLAIN = ("real time",)
PER_CENT = "% of the buffer"


def queue_per_cent(run: Result) -> float:
    """Mean queue in % of the buffer."""
    return 100 * measures.queue_share(run)


def each(runs: Runs, of: Callable[[str], Curve]) -> dict[str, Curve]:
    """Draw a curve for each of the four schemes."""
    return {name: of(name) for name in measures.compared(runs)}


def mark_points(runs: Runs, x: ArrayLike, of: Callable[[str], ArrayLike]) -> dict[str, Curve]:
    """Draw points for each of them."""
    return each(runs, lambda name: Curve(x, of(name), marks=True))


def swept(runs: Runs, part: str, of: Measure, y: str, title: str = "") -> CurvePanel:
    """Draw a measure over the levels of a sweep."""
    xs = levels(runs, part)
    drawn = mark_points(runs, xs, lambda name: [at(runs, part, name, x, of) for x in xs])
    return CurvePanel(title, AXES[part], y, drawn, "" if part in PLAIN else "x")


def over_paths(runs: Runs, of: Measure, y: str) -> Figure:
    """Draw a measure over bandwidths, and over round trips."""
    titles = {"bandwidth": "80 ms", "delay": "150 Mbit/s"}
    return draw_curves([swept(runs, part, of, y, title) for part, title in titles.items()])


def use_and_queue(runs: Runs, part: str) -> Figure:
    """Draw utilisation and queue over one of the other sweeps."""
    use = swept(runs, part, utilisation, "utilisation", "150 Mbit/s, 80 ms")
    return draw_curves([use, swept(runs, part, queue_per_cent, PER_CENT)])


def alone(panel: CurvePanel) -> Figure:
    """Draw a figure of one panel."""
    return draw_curves([panel], columns=1)
