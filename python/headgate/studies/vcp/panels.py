"""What the pictures of the study are made of."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from headgate.engine.api import Result
from headgate.experiment.runs import Runs
from headgate.figures.plots.curves import Curve, Panel, curves
from headgate.studies.paths import utilisation
from headgate.studies.vcp import measures
from headgate.studies.vcp.measures import Measure, at, levels

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


def swept(runs: Runs, part: str, of: Measure, y: str, title: str = "") -> Panel:
    """Draw a measure over the levels of a sweep."""
    xs = levels(runs, part)
    drawn = mark_points(runs, xs, lambda name: [at(runs, part, name, x, of) for x in xs])
    return Panel(title, AXES[part], y, drawn, "" if part in PLAIN else "x")


def over_paths(runs: Runs, of: Measure, y: str) -> Figure:
    """Draw a measure over bandwidths, and over round trips."""
    titles = {"bandwidth": "80 ms", "delay": "150 Mbit/s"}
    return curves([swept(runs, part, of, y, title) for part, title in titles.items()])


def use_and_queue(runs: Runs, part: str) -> Figure:
    """Draw utilisation and queue over one of the other sweeps."""
    use = swept(runs, part, utilisation, "utilisation", "150 Mbit/s, 80 ms")
    return curves([use, swept(runs, part, queue_per_cent, PER_CENT)])


def alone(panel: Panel) -> Figure:
    """Draw a figure of one panel."""
    return curves([panel], columns=1)
