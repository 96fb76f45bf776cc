"""Pictures: each case over time, the kernel's and ours; and all figures as shares of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

import numpy as np

from headgate.figures import Dots, Line, Panel, PanelPicture, draw_dots, draw_panels, save_figure
from headgate_studies.conform.kernel.comparison import Comparison
from headgate_studies.conform.kernel.figures import Numbers, Outcome

POINTS = 1200
#: Flows of a case that are drawn.
MOST_FLOWS = 2
SHOWN = {
    "goodput": "goodput",
    "queue": "mean queue",
    "recoveries": "recoveries",
    "back-off": "back-off",
}


def draw_case(done: Comparison, kernel: str) -> PanelPicture:
    """Draw windows and the queue of the first run of either."""
    both = ((f"Linux {kernel}", done.theirs[0]), ("Headgate", done.ours[0]))
    windows = [line for at, (name, run) in enumerate(both) for line in _windows(name, at, run)]
    queues = [
        Line(name, *_thin(*run.queue), MOST_FLOWS * at, dash=at, listed=False)
        for at, (name, run) in enumerate(both)
    ]
    span = (0.0, max(float(run.queue[0][-1]) for _, run in both))
    panels = (
        Panel("Congestion window", "time (s)", "segments", tuple(windows), x_range=span),
        Panel("Queue", "time (s)", "packets", tuple(queues), x_range=span),
    )
    return PanelPicture(done.case.name, "", panels)


def _windows(name: str, place: int, run: Outcome) -> Iterator[Line]:
    several = len(run.courses) > 1
    for number, course in enumerate(run.courses[:MOST_FLOWS]):
        t_s, cwnd = _thin(course.t_s, course.cwnd)
        label = f"{name}, flow {number + 1}" if several else name
        yield Line(label, t_s, cwnd, MOST_FLOWS * place + number, dash=place)


def _thin(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    every = -(-len(x) // POINTS) or 1
    return np.asarray(x[::every], np.float64), np.asarray(y[::every], np.float64)


def draw_shares(done: Sequence[Comparison]) -> list[Dots]:
    """Return a panel for each figure: ours over the kernel's."""
    panels = []
    for figure, title in SHOWN.items():
        shares = {one.case.name: share for one in done if (share := _share(one, figure))}
        if any(high for _, _, high in shares.values()):
            panels.append(Dots(title, "ours / the kernel's", {"": shares}, level=1.0))
    return panels


def _share(one: Comparison, figure: str) -> tuple[float, float, float] | None:
    theirs, ours = one.figures(figure)
    if not theirs or not ours or not mean(theirs):
        return None
    of = mean(theirs)
    return mean(ours) / of, min(ours) / of, max(ours) / of


def save_pictures(done: Sequence[Comparison], kernel: str, out: Path) -> list[Path]:
    """Write a picture of each case, and one of all. Raises StoreError."""
    ran = [one for one in done if one.theirs and one.ours]
    paths = []
    for one in ran:
        paths += save_figure(draw_panels(draw_case(one, kernel)), out, one.case.name)
    if panels := draw_shares(ran):
        paths += save_figure(draw_dots(_names(panels), panels, 2.4), out, "all")
    return paths


def _names(panels: Sequence[Dots]) -> list[str]:
    """Return the cases that are in some panel, in order."""
    return list(dict.fromkeys(name for panel in panels for name in panel.series[""]))
