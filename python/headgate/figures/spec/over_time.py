"""Several runs over time in one picture: lines by run or algorithm, replicates as a band."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from headgate.base.level_order import level_text
from headgate.data.measures.ccas import label_ccas
from headgate.figures.spec.drawing import Level, Line, Numbers, Panel, Picture
from headgate.figures.spec.facets import (
    AUTOMATIC,
    CCA,
    REPLICATES,
    Facets,
    arrange_runs,
    name_panels,
    say_combined,
)
from headgate.figures.spec.flows import find_capacities_of_flows, look_ccas, name_rate
from headgate.figures.spec.looks import Look, look_at
from headgate.figures.spec.run import Run
from headgate.figures.spec.selection import (
    SeriesReader,
    average,
    choose_interval,
    compare,
    group_by_cca,
    name_cca,
    rank_ports,
    share_times,
)
from headgate.stats.intervals import compute_mean_interval

#: Times and values; and a function that returns the courses of a run by algorithm, "" for a port.
Course = tuple[Numbers, Numbers]
Measure = Callable[[Run, float], dict[str, Course]]


def overlay_throughput(runs: Sequence[Run], facets: Facets = AUTOMATIC) -> Picture | None:
    """Draw the throughput of each algorithm's flows, in total, in several runs."""

    def measure(run: Run, interval_s: float) -> dict[str, Course]:
        return _combine_flows(run, name_rate(run), interval_s, 1e-6, mean=False)

    title = "Throughput, sum of the flows of each algorithm"
    return _overlay(runs, facets, measure, title, "throughput (Mbit/s)")


def overlay_rtt(runs: Sequence[Run], facets: Facets = AUTOMATIC) -> Picture | None:
    """Draw the mean round-trip time of each algorithm's flows in several runs."""

    def measure(run: Run, interval_s: float) -> dict[str, Course]:
        return _combine_flows(run, "srtt_s", interval_s, 1e3, mean=True)

    title = "Round-trip time, mean over the flows of each algorithm"
    return _overlay(runs, facets, measure, title, "smoothed RTT (ms)", zero=False)


def overlay_cwnd(runs: Sequence[Run], facets: Facets = AUTOMATIC) -> Picture | None:
    """Draw the mean congestion window of each algorithm's flows in several runs."""

    def measure(run: Run, interval_s: float) -> dict[str, Course]:
        return _combine_flows(run, "cwnd_packets", interval_s, 1.0, mean=True)

    title = "Congestion window, mean over the flows of each algorithm"
    return _overlay(runs, facets, measure, title, "congestion window (packets)")


def overlay_queue(runs: Sequence[Run], facets: Facets = AUTOMATIC) -> Picture | None:
    """Draw the queue of the port with most loss or waiting in several runs."""
    ports = {_find_port(run) for run in runs} - {""}
    if not ports:
        return None

    def measure(run: Run, interval_s: float) -> dict[str, Course]:
        name = _find_port(run)
        if not name:
            return {}
        return {"": average(*SeriesReader(run, "port").read(name, "queue_packets"), interval_s)}

    named = f" of {ports.pop()}" if len(ports) == 1 else " of the port with most loss or waiting"
    return _overlay(runs, facets, measure, f"Queue{named}", "queue (packets)")


def _find_port(run: Run) -> str:
    """Return the port with a series that loses or waits most; "" if there is none."""
    if "series" not in tuple(run.tables):
        return ""
    names = SeriesReader(run, "port").list_known("queue_packets")
    return rank_ports(run, names)[0] if names else ""


def _combine_flows(
    run: Run, column: str, interval_s: float, scale: float, *, mean: bool
) -> dict[str, Course]:
    """Return the mean or the sum over the flows of each algorithm, averaged over intervals.

    In an experiment on algorithms, flows of others are left out.
    """
    if "series" not in tuple(run.tables):
        return {}
    courses = SeriesReader(run, "flow")
    asked = run.meta.get("labels", {}).get(CCA)
    found = {}
    for cca, names in group_by_cca(run, courses.list_known(column)).items():
        name = name_cca(cca)
        if asked is None or name == level_text(asked):
            t_s, values = courses.combine(names, column, mean=mean)
            found[name] = average(t_s, scale * values, interval_s)
    return found


def _overlay(  # noqa: PLR0913 - what the pictures differ in
    runs: Sequence[Run],
    facets: Facets,
    measure: Measure,
    title: str,
    y: str,
    *,
    zero: bool = True,
) -> Picture | None:
    interval_s = max((choose_interval(run.tables["series"]["t_s"]) for run in runs
                      if "series" in tuple(run.tables)), default=0.0)  # fmt: skip
    courses = [measure(run, interval_s) for run in runs]
    if not any(courses):
        return None
    grid, left = arrange_runs(runs, facets)
    lines_of = _name_lines(runs, courses)
    panels, most = [], 1
    for cell in grid.cells:
        own = [runs[at] for at in cell]
        groups = _group(lines_of, runs, cell)
        most = max([most, *map(len, groups.values())])
        lines = tuple(_draw_mean(name, look, of) for (name, look), of in groups.items())
        warmup_s = max((run.warmup_s for run in own), default=0.0)
        levels = _find_level(own) if y.startswith("throughput") else ()
        outages = [run.list_outages() for run in own]
        down = outages[0] if outages and all(of == outages[0] for of in outages) else ()
        panels.append(Panel("", "time (s)", y, lines, levels, warmup_s, outages=down))
    shown, cut = compare(panels, zero=zero)
    said = [
        f"Averaged over {interval_s:.3g} s.", _say_band(most), cut, say_combined(left).strip(),
        "" if y.startswith("queue") else _say_missing(runs),
    ]  # fmt: skip
    return Picture(
        title, " ".join(filter(None, said)), name_panels(share_times(shown), grid),
        len(grid.column_names), grid.row_names, grid.column_names,
    )  # fmt: skip


def _say_missing(runs: Sequence[Run]) -> str:
    """State the number of flows with a series if not all are: only these are drawn."""
    has = [len(SeriesReader(run, "flow")) if "series" in tuple(run.tables)
           else 0 for run in runs]  # fmt: skip
    every = sum(len(run.tables["flows"]["traffic"]) for run in runs)
    if sum(has) >= every:
        return ""
    return (
        f"Only the {sum(has):,} of {every:,} flows with a series are drawn;"
        " measure.series.most raises that."
    )


def _say_band(replicates: int) -> str:
    if replicates < 2:
        return ""
    return (
        f"Lines are means over {replicates} replicates; shaded areas are Student's 95 % intervals"
        " of these means."
    )


@dataclass(frozen=True)
class _NamedLine:
    """A line of one run: replicates have lines of the same name and look."""

    run: int
    name: str
    look: Look
    course: Course


def _name_lines(runs: Sequence[Run], courses: Sequence[Mapping[str, Course]]) -> list[_NamedLine]:
    """Name the lines of runs by algorithm, and by run if an algorithm is in several of them."""
    groups = _name_replicates(runs)
    order = list(dict.fromkeys(groups))
    shown = [
        {cca or _find_only_cca(run): values for cca, values in course.items()}
        for run, course in zip(runs, courses, strict=True)
    ]
    users: dict[str, list[str]] = {}
    for group, course in zip(groups, shown, strict=True):
        for cca in course:
            users[cca] = list(dict.fromkeys([*users.get(cca, ()), group]))
    looks = {name_cca(cca): look for cca, look in look_ccas(runs).items()}
    found = []
    for at, (group, course) in enumerate(zip(groups, shown, strict=True)):
        for cca, values in course.items():
            repeats = len(users[cca]) > 1
            parts = [group] if not cca else [cca] if not repeats else [group, cca]
            if repeats and len(course) == 1:
                parts = [group]
            look = looks[cca] if cca in looks else look_at(order.index(group))
            look = look.varied(users[cca].index(group)) if cca in looks and repeats else look
            found.append(
                _NamedLine(at, ": ".join(filter(None, parts)) or "all flows", look, values)
            )
    return found


def _find_only_cca(run: Run) -> str:
    """Return the algorithm of a run, that of its label first; "" if there are several."""
    if (label := _read_cca(run)) or not (own := _list_own(run)):
        return label
    return own.pop() if len(own) == 1 else ""


def _read_cca(run: Run) -> str:
    return level_text(run.meta.get("labels", {}).get(CCA, ""))


def _list_own(run: Run) -> set[str]:
    return {name_cca(str(cca)) for cca in np.unique(label_ccas(run.tables["flows"]))}


def _name_replicates(runs: Sequence[Run]) -> list[str]:
    """Name the group of replicates of each run: "" in an experiment, else after the folders."""
    if all(run.meta.get("labels") for run in runs):
        return [""] * len(runs)
    groups: dict[str, list[int]] = {}
    for at, run in enumerate(runs):
        scenario = {k: v for k, v in run.meta.get("scenario", {}).items() if k != "seed"}
        key = json.dumps(scenario, sort_keys=True) if scenario else run.name
        groups.setdefault(key, []).append(at)
    names = [""] * len(runs)
    for members in groups.values():
        own = [runs[at].name for at in members]
        common = re.sub(r"[\W_]+(seed)?[\W_]*$", "", _find_common_start(own))
        for at in members:
            names[at] = own[0] if len(own) == 1 else common or own[0]
    return names


def _find_common_start(names: Sequence[str]) -> str:
    first, last = min(names), max(names)
    alike = [a == b for a, b in zip(first, last, strict=False)]
    return first[: alike.index(False) if False in alike else len(alike)]


def _group(
    lines: Iterable[_NamedLine], runs: Sequence[Run], cell: Sequence[int]
) -> dict[tuple[str, Look], list[Course]]:
    """Return the replicates of each line: a mean over the conditions that a panel combines."""
    groups: dict[tuple[str, Look], dict[Any, list[Course]]] = {}
    for line in lines:
        if line.run in cell:
            labels = runs[line.run].meta.get("labels", {})
            replicate = next((labels[name] for name in REPLICATES if name in labels), line.run)
            groups.setdefault((line.name, line.look), {}).setdefault(replicate, []).append(
                line.course
            )
    return {
        key: [_average_courses(of) for of in by_replicate.values()]
        for key, by_replicate in groups.items()
    }


def _align(courses: Sequence[Course]) -> tuple[Numbers, Numbers]:
    """Return the times that all courses share, and their values (course, time)."""
    times = [np.round(t_s, 9) for t_s, _ in courses]
    shared = times[0]
    for other in times[1:]:
        shared = np.intersect1d(shared, other)
    each = [values[np.isin(t_s, shared)] for t_s, (_, values) in zip(times, courses, strict=True)]
    return shared, np.array(each)


def _average_courses(courses: Sequence[Course]) -> Course:
    shared, each = _align(courses)
    return shared, each.mean(axis=0)


def _draw_mean(name: str, look: Look, courses: Sequence[Course]) -> Line:
    """Draw the mean over replicates at the times that all of them have, with its interval."""
    if len(courses) == 1:
        return Line(name, *courses[0], look)
    shared, each = _align(courses)
    mean, low, high = np.array([compute_mean_interval(column) for column in each.T]).T
    return Line(name, shared, mean, look, band=(low, high))


def _find_level(runs: Sequence[Run]) -> tuple[Level, ...]:
    """Return the rate of the link if it is the only measured one and equal in all runs."""
    found: list[Level] = []
    for run in runs:
        if "series" not in tuple(run.tables):
            return ()
        links, levels = find_capacities_of_flows(run, SeriesReader(run, "port"))
        flows = run.tables["flows"]
        if links != 1 or len(np.unique(flows["source"])) != 1:
            return ()
        found += levels
    first = next(iter(found), None)
    if first is None or any(
        not np.array_equal(level.y, first.y) or not np.array_equal(level.x, first.x)
        for level in found
    ):
        return ()
    return (first,)
