"""Throughput against delay of the flows of several algorithms or runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.data.measures.ccas import label_ccas
from headgate.figures.spec.drawing import Line, Numbers, Panel, Picture
from headgate.figures.spec.facets import AUTOMATIC, Facets, arrange_runs, name_panels, say_combined
from headgate.figures.spec.flows import look_ccas
from headgate.figures.spec.run import Run, count_conditions, list_ccas
from headgate.figures.spec.selection import (
    SeriesReader,
    name_cca,
    set_limits_around,
    set_limits_from_zero,
)

PERCENTILE = 95
#: A covariance of two variables needs three points.
LEAST_FOR_ELLIPSE = 3
CORNERS = 73


@dataclass(frozen=True)
class Point:
    """Delay and throughput of the flows of one algorithm in one run."""

    run: str
    cca: str
    delay_ms: float
    throughput_mbps: float


def draw_tradeoff(runs: Sequence[Run], facets: Facets = AUTOMATIC) -> Picture | None:
    """Draw delay and throughput of each CCA in each run, a panel per condition.

    None if there is only one point. Beside endless flows, flows of given size are left out: their
    throughput is a matter of their size.
    """
    points, delay = _measure_points(runs)
    if len(points) < 2:
        return None
    grid, left = arrange_runs(runs, facets)
    names = [{runs[at].name for at in cell} for cell in grid.cells]
    cells = [[point for point in points if point.run in of] for of in names]
    panels = [_draw_condition(of, runs, delay) for of in cells]
    caption = _describe_points(runs, cells) + _say_files(runs) + say_combined(left)
    across = len(grid.column_names)
    return Picture(
        "Throughput against delay", caption, name_panels(panels, grid), across, grid.row_names,
        grid.column_names,
    )  # fmt: skip


def _draw_condition(points: Sequence[Point], runs: Sequence[Run], delay: str) -> Panel:
    """Draw the points and ellipses of one condition; looks are those of all runs."""
    lines: list[Line] = []
    for cca, look in look_ccas(runs).items():
        own = [point for point in points if point.cca == cca]
        if not own:
            continue
        x, y = np.array([(p.delay_ms, p.throughput_mbps) for p in own]).T
        name, each = name_cca(cca), tuple(point.run for point in own)
        lines.append(Line(name, x, y, look, "points", each=each))
        if len(own) >= LEAST_FOR_ELLIPSE:
            lines.append(Line(name, *trace_ellipse(x, y), look, listed=False))
    axes = f"{delay}, ms (less is to the right)", "mean goodput of a flow (Mbit/s)"
    if not lines:
        return Panel("", *axes, (), reverse_x=True)
    return Panel(
        "", *axes, tuple(lines), reverse_x=True,
        x_range=set_limits_around(np.concatenate([line.x for line in lines])),
        y_range=set_limits_from_zero(np.concatenate([line.y for line in lines])),
    )  # fmt: skip


def trace_ellipse(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """Return the contour at one standard deviation around the mean of points, closed."""
    covariance = np.cov(x, y)
    spread, axes = np.linalg.eigh(covariance)
    turn = np.linspace(0, 2 * np.pi, CORNERS)
    half = axes * np.sqrt(np.maximum(spread, 0))
    edge = half @ np.stack([np.cos(turn), np.sin(turn)])
    return x.mean() + edge[0], y.mean() + edge[1]


def _measure_points(runs: Sequence[Run]) -> tuple[list[Point], str]:
    """Measure all runs by the same delay: a percentile if all have it, else the mean."""
    found = [_find_percentiles(run) for run in runs]
    known = [one for one in found if one is not None]
    if len(known) == len(runs):
        delay = f"{PERCENTILE}th percentile of the smoothed RTT"
    else:
        known, delay = [_find_means(run) for run in runs], "mean RTT"
    each = zip(runs, known, strict=True)
    return [point for run, delay_s in each for point in _read_points(run, delay_s)], delay


def _choose_flows(run: Run, cca: str) -> NDArray[np.bool_]:
    """Return which flows of an algorithm count: the endless ones, or all if none is endless."""
    flows = run.tables["flows"]
    endless = ~_has_size(run)
    own: NDArray[np.bool_] = np.asarray(label_ccas(flows) == cca)
    return own & endless if endless.any() else own


def _has_size(run: Run) -> NDArray[np.bool_]:
    return np.asarray(run.tables["flows"]["size_packets"], float) > 0


def _say_files(runs: Sequence[Run]) -> str:
    """Count the flows of given size that are left out beside endless flows."""
    sized = [_has_size(run) for run in runs]
    left = sum(int(of.sum()) for of in sized if not of.all())
    return f" {left:,} flows of given size are left out; fct shows these." if left else ""


def _read_points(run: Run, delay_s: Mapping[str, float]) -> list[Point]:
    flows = run.tables["flows"]
    points = []
    for cca in list_ccas([run]):
        own = flows["goodput_bps"][_choose_flows(run, cca)]
        known = own[np.isfinite(own)]
        if len(known) and np.isfinite(delay_s[cca]):
            points.append(Point(run.name, cca, 1e3 * delay_s[cca], 1e-6 * float(known.mean())))
    return points


def _find_percentiles(run: Run) -> dict[str, float] | None:
    """Return the RTT percentile of each algorithm's flows; NaN if none is known.

    None unless each flow has samples of its round-trip time.
    """
    if "series" not in tuple(run.tables):
        return None  # an experiment keeps what its responses need
    courses, flows = SeriesReader(run, "flow"), run.tables["flows"]
    measured = set(courses.list_known("srtt_s"))
    found = {}
    for cca in list_ccas([run]):
        names = [str(name) for name in flows["traffic"][_choose_flows(run, cca)]]
        if not measured or not measured >= set(names):
            return None
        parts = [courses.read(name, "srtt_s") for name in names]
        values = np.concatenate([np.empty(0), *(of[t_s > run.warmup_s] for t_s, of in parts)])
        found[cca] = float(np.percentile(values, PERCENTILE)) if len(values) else float("nan")
    return found


def _find_means(run: Run) -> dict[str, float]:
    """Return the mean round-trip time of each algorithm's flows; NaN if none is known."""
    flows = run.tables["flows"]
    found = {}
    for cca in list_ccas([run]):
        own = flows["mean_rtt_s"][_choose_flows(run, cca)]
        known = own[np.isfinite(own)]
        found[cca] = float(known.mean()) if len(known) else float("nan")
    return found


def _describe_points(runs: Sequence[Run], cells: Sequence[Sequence[Point]]) -> str:
    said = ["Each point shows the flows of one algorithm in one run, after the warm-up."]
    by_group: dict[tuple[int, str], list[tuple[float, float]]] = {}
    for place, points in enumerate(cells):
        for p in points:
            by_group.setdefault((place, p.cca), []).append((p.delay_ms, p.throughput_mbps))
    got = list(by_group.values())
    if len(runs) > 1 and all(len(set(of_cca)) == 1 for of_cca in got):
        said.append(
            "The runs of each algorithm are equal: nothing in them is random, whatever the seed."
        )
    elif max(map(len, got)) >= LEAST_FOR_ELLIPSE:
        said.append("An ellipse is one standard deviation over runs; better is up and right.")
    else:
        said.append(f"Ellipses need {LEAST_FOR_ELLIPSE} runs of an algorithm: give more folders.")
    conditions = count_conditions(runs)
    if conditions > 1 and len(cells) == 1:
        said.append(
            f"These runs have {conditions} different conditions (network, duration, measure), so"
            " the spread is not chance alone."
        )
    return " ".join(said)
