"""Throughput against delay: a point for each run and law, an ellipse over replicates.

As Pantheon draws it (Yan et al., USENIX ATC 2018, figure 3; the ellipses are Remy's: Winstein,
Balakrishnan, SIGCOMM 2013, section 5.2): less delay lies to the right, so better is up and right;
an ellipse is the contour at one standard deviation of a normal distribution of two variables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from headgate.figures.pictures.chosen import Courses, name_law
from headgate.figures.pictures.drawing import Line, Numbers, Panel, Picture
from headgate.figures.pictures.flows import colour_laws
from headgate.figures.pictures.limits import set_limits_around, set_limits_from_zero
from headgate.figures.pictures.run import Run, count_conditions, list_laws

PERCENTILE = 95
#: A covariance of two variables needs three points.
LEAST_FOR_ELLIPSE = 3
CORNERS = 73
#: Labels of runs of an experiment that are no part of a condition; and conditions that are drawn.
REPLICATES = ("law", "seed")
MOST_CONDITIONS = 12


@dataclass(frozen=True)
class Point:
    """What the flows of one law got in one run."""

    run: str
    law: str
    delay_ms: float
    throughput_mbps: float


def draw_tradeoff(runs: Sequence[Run]) -> Picture | None:
    """Draw what each law got in each run; nothing where there would be one point."""
    points, delay = _measure(runs)
    if len(points) < 2:
        return None
    named = {name: of for name, of in _group_by_condition(runs).items() if name}
    apart = len(named) > 1 and sum(map(len, named.values())) == len(runs)
    measured = {point.run for point in points}
    groups = {
        title: of
        for title, of in (named if apart else {"": runs}).items()
        if measured & {run.name for run in of}
    }
    shown = dict(list(groups.items())[:MOST_CONDITIONS])
    names = {title: {run.name for run in of} for title, of in shown.items()}
    panels = tuple(
        _draw_condition(title, [p for p in points if p.run in names[title]], runs, delay)
        for title in shown
    )
    caption = _describe(runs, points, apart)
    if len(shown) < len(groups):
        caption += f" The first {len(shown)} of {len(groups)} conditions are drawn."
    return Picture("Throughput against delay", caption, panels, min(2, len(panels)))


def _draw_condition(title: str, points: Sequence[Point], runs: Sequence[Run], delay: str) -> Panel:
    """Draw the points and ellipses of runs under one condition; laws have the colours of all."""
    colour = colour_laws(runs)
    lines: list[Line] = []
    for law, (ink, dash) in colour.items():
        own = [point for point in points if point.law == law]
        if not own:
            continue
        x, y = np.array([(p.delay_ms, p.throughput_mbps) for p in own]).T
        name, each = name_law(law), tuple(point.run for point in own)
        lines.append(Line(name, x, y, ink, dash, "points", each=each))
        if len(own) >= LEAST_FOR_ELLIPSE:
            lines.append(Line(name, *trace_ellipse(x, y), ink, dash, listed=False))
    return Panel(
        title, f"{delay}, ms (less is to the right)", "mean goodput of a flow (Mbit/s)",
        tuple(lines), reverse_x=True,
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


def _measure(runs: Sequence[Run]) -> tuple[list[Point], str]:
    """Measure all runs by the same delay: a percentile if all of them have it, else the mean."""
    found = [_find_percentiles(run) for run in runs]
    known = [one for one in found if one is not None]
    if len(known) == len(runs):
        delay = f"{PERCENTILE}th percentile of the smoothed RTT"
    else:
        known, delay = [_find_means(run) for run in runs], "mean RTT"
    each = zip(runs, known, strict=True)
    return [point for run, delay_s in each for point in _read_points(run, delay_s)], delay


def _read_points(run: Run, delay_s: Mapping[str, float]) -> list[Point]:
    flows = run.tables["flows"]
    points = []
    for law in list_laws([run]):
        own = flows["goodput_bps"][flows["law"] == law]
        known = own[np.isfinite(own)]
        if len(known) and np.isfinite(delay_s[law]):
            points.append(Point(run.name, law, 1e3 * delay_s[law], 1e-6 * float(known.mean())))
    return points


def _find_percentiles(run: Run) -> dict[str, float] | None:
    """Find the percentile of what each law's flows saw, sampled at equal intervals; NaN is none.

    None unless each flow has samples of its round-trip time.
    """
    if "series" not in tuple(run.tables):
        return None  # an experiment keeps what its responses need
    courses, flows = Courses(run, "flow"), run.tables["flows"]
    measured = set(courses.list_known("srtt_s"))
    if not measured or not measured >= set(map(str, flows["traffic"])):
        return None
    found = {}
    for law in list_laws([run]):
        parts = [
            courses.read(str(name), "srtt_s") for name in flows["traffic"][flows["law"] == law]
        ]
        values = np.concatenate([srtt_s[t_s > run.warmup_s] for t_s, srtt_s in parts])
        found[law] = float(np.percentile(values, PERCENTILE)) if len(values) else float("nan")
    return found


def _find_means(run: Run) -> dict[str, float]:
    """Find the mean of the round-trip times of each law's flows; NaN where none is known."""
    flows = run.tables["flows"]
    found = {}
    for law in list_laws([run]):
        own = flows["mean_rtt_s"][flows["law"] == law]
        known = own[np.isfinite(own)]
        found[law] = float(known.mean()) if len(known) else float("nan")
    return found


def _describe(runs: Sequence[Run], points: Sequence[Point], apart: bool) -> str:
    said = ["A point is what a law's flows got in one run, after the warm-up."]
    by_group: dict[tuple[str, str], list[tuple[float, float]]] = {}
    condition = {run.name: _name_condition(run) if apart else "" for run in runs}
    for p in points:
        by_group.setdefault((condition[p.run], p.law), []).append((p.delay_ms, p.throughput_mbps))
    got = list(by_group.values())
    if len(runs) > 1 and all(len(set(of_law)) == 1 for of_law in got):
        said.append("The runs of each law are alike: nothing in them is random, whatever the seed.")
    elif max(map(len, got)) >= LEAST_FOR_ELLIPSE:
        said.append("An ellipse is one standard deviation over runs; better is up and right.")
    else:
        said.append(f"Ellipses need {LEAST_FOR_ELLIPSE} runs of a law: give more folders.")
    conditions = count_conditions(runs)
    if conditions > 1 and not apart:
        said.append(
            f"These runs are of {conditions} different conditions (network, duration, measure):"
            " the spread is not chance alone."
        )
    return " ".join(said)


def _group_by_condition(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Group the runs of an experiment by what it varied, laws and seeds apart, in their order."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(_name_condition(run), []).append(run)
    return groups


def _name_condition(run: Run) -> str:
    labels = run.meta.get("labels", {})
    return ", ".join(f"{name} {value}" for name, value in labels.items() if name not in REPLICATES)
