"""The report of `headgate conform --kernel`: tables and pictures of a kernel beside Headgate."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from rich import box
from rich.table import Column, Table

from headgate import EmulationError, HeadgateError, StoreError
from headgate.figures import (
    Dots,
    Line,
    Panel,
    PanelPicture,
    draw_dots,
    draw_panels,
    look_at,
    save_figure,
)
from headgate.lab import SuiteReport, SuiteRequest
from headgate_studies.conform.kernel.comparison import FIGURES, LATE_S, Comparison, Numbers, Outcome
from headgate_studies.conform.kernel.path import MATCHES, choose
from headgate_studies.conform.kernel.suite import Kernel, Selection, examine, run_cases, select
from headgate_studies.conform.report import subjects

FIGURES_FILE = "figures.json"
HEADS = {
    "goodput": "goodput\nMbit/s",
    "queue": "mean queue\npackets",
    "retransmissions": "retrans-\nmissions",
    "recoveries": "recoveries",
    "back-off": "back-off",
    "completion": "completion\nms",
    "share": "share of\nthe last",
}
POINTS = 1200
#: Flows of a case that are drawn.
MOST_FLOWS = 2
SHOWN = {
    "goodput": "goodput",
    "queue": "mean queue",
    "recoveries": "recoveries",
    "back-off": "back-off",
}


def run_kernel(request: SuiteRequest) -> SuiteReport:
    """Run the cases with a kernel and in simulation, and write the pictures.

    Raises HeadgateError.
    """
    folder = request.out or Path("out") / f"conform-{request.kernel}"
    names, own = _read_names(request)
    try:
        found = examine(request.kernel)
    except EmulationError as error:
        advice = "`headgate doctor` checks user namespaces, TUN and user-mode Linux"
        raise EmulationError(f"--kernel {request.kernel}: {error}; {advice}") from None
    chosen = select(found, names, request.cases, own)
    seconds = request.repeats * sum(case.duration_s for case in chosen.cases)
    request.report_progress(
        f"kernel {found.release}: {len(chosen.cases)} cases, {seconds / 60:.0f} minutes of runs"
        " in real time at most"
    )
    done = _run(request, found, chosen, folder)
    pictures = save_pictures(done, found.release, folder)
    parts = [*_parts(done), *chosen.says(found)]
    parts.append(f"{folder}: {FIGURES_FILE}, {len(pictures)} pictures")
    failed = any(one.obstacle for one in done)
    return SuiteReport(_record(found, chosen, done), [*parts, _count(done)], failed)


def _read_names(request: SuiteRequest) -> tuple[Sequence[str] | None, str]:
    """Return the algorithms of the catalogue to compare, and the user-defined one in their place.

    Raises HeadgateError.
    """
    own = [name for name in request.names or () if any(sign in name for sign in ":./")]
    if not own and not request.role:
        return request.names, ""
    if not request.role:
        raise HeadgateError(
            f"--kernel: {own[0]} needs --as NAME, the algorithm of the kernel to compare it with,"
            " such as --as cubic"
        )
    if len(own) != 1 or request.names != own:
        raise HeadgateError("--as with --kernel: name one user-defined algorithm, and nothing else")
    if not choose([request.role]):
        known = ", ".join(match.ours for match in MATCHES)
        raise HeadgateError(f"--as {request.role}: Linux does not have it; it has {known}")
    [subject] = subjects(own, request.role)
    return [request.role], subject.name


def _count(done: Sequence[Comparison]) -> str:
    """Return the last line: how many cases agree, differ, and say nothing."""
    ran = [one for one in done if not one.obstacle]
    calm = [one for one in ran if not one.is_disturbed]
    agree = sum(not _list_outside(one) for one in calm)
    return (
        f"{agree} agree, {len(calm) - agree} differ, {len(ran) - len(calm)} disturbed,"
        f" {len(done) - len(ran)} not run"
    )


def _list_outside(one: Comparison) -> list[str]:
    """List the figures that do not agree."""
    return [name for name in FIGURES if one.agrees(name) is False]


def _run(request: SuiteRequest, found: Kernel, chosen: Selection, folder: Path) -> list[Comparison]:
    done: list[Comparison] = []
    order = {case.name: at for at, case in enumerate(chosen.cases)}
    _write(folder, _record(found, chosen, done))
    for one in run_cases(chosen.cases, request.kernel, request.repeats, request.workers):
        done = sorted([*done, one], key=lambda one: order[one.case.name])
        _write(folder, _record(found, chosen, done))
        request.report_progress(f"{len(done)} of {len(chosen.cases)}: {_line(one)}")
    return done


def _line(one: Comparison) -> str:
    if one.obstacle:
        return f"{one.case.name}: {_doubt(one)}"
    outside = _list_outside(one)
    return f"{one.case.name}: {'differs in ' + ', '.join(outside) if outside else 'agrees'}"


def _record(kernel: Kernel, chosen: Selection, done: Sequence[Comparison]) -> dict[str, Any]:
    return {
        "kernel": {"name": kernel.name, "release": kernel.release, "ccas": kernel.ccas},
        "skipped": {
            "not_in_kernel": chosen.not_in_kernel,
            "not_in_linux": chosen.not_in_linux,
            "not_in_headgate": chosen.not_ours,
        },
        "cases": [one.record() for one in done],
    }


def _write(folder: Path, record: dict[str, Any]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FIGURES_FILE).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {error.strerror or error}") from None


def _parts(done: Sequence[Comparison]) -> Iterator[Table | str]:
    shown = [name for name in HEADS if any(any(one.figures(name)) for one in done)]
    heads = (HEADS[name] for name in shown)
    ours = next((_name_ours(one) for one in done), "Headgate")
    first = Column(f"case: the kernel,\nbelow it {ours}", no_wrap=True)
    table = Table(first, *heads, "late\nms", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for one in done:
        late = f"{one.lateness_s * 1e3:.1f}"
        table.add_row(one.case.name, *(_cell(one, name) for name in shown), late)
    yield table
    yield (
        "* outside: goodput and completion 2 %, mean queue 15 %, retransmissions, recoveries and"
        " back-off 20 %."
    )
    yield from filter(None, map(_say_differences, done))
    yield from (f"{one.case.name}: {doubt}" for one in done if (doubt := _doubt(one)))


def _say_differences(one: Comparison) -> str:
    """Return the differences of means with their intervals; empty if there is one run a side."""
    found = {name: one.find_difference(name) for name in FIGURES}
    parts = [
        f"{name} {100 * d[0]:+.1f} % ({100 * d[1]:+.1f} to {100 * d[2]:+.1f})"
        for name, d in found.items()
        if d is not None
    ]
    if not parts:
        return ""
    return f"{one.case.name}, difference from the kernel, 95 % interval: {', '.join(parts)}"


def _name_ours(one: Comparison) -> str:
    """Return the name of the simulated side: Headgate, or a user-defined algorithm."""
    return one.case.replacement.rpartition(":")[2] or "Headgate"


def _doubt(one: Comparison) -> str:
    """Say why a case was not run, or why its figures are unreliable."""
    if one.obstacle:
        return f"not run: {one.obstacle.removeprefix(f'{one.case.name}: ')}"
    if one.is_disturbed:
        late = f"packets were {one.lateness_s * 1e3:.1f} ms late (99.9th percentile)"
        return f"{late}, more than {LATE_S * 1e3:g} ms: the figures are unreliable"
    return ""


def _cell(one: Comparison, name: str) -> str:
    theirs, ours = one.figures(name)
    mark = "*" if one.agrees(name) is False else ""
    return f"{_range(theirs)}\n{_range(ours)}{mark}" if theirs or ours else ""


def _range(values: Sequence[float]) -> str:
    if not values:
        return "-"
    low, high = (f"{of(values):.4g}" for of in (min, max))
    return low if low == high else f"{low}..{high}"


def draw_case(done: Comparison, kernel: str) -> PanelPicture:
    """Draw windows and the queue of the first run of either."""
    both = ((f"Linux {kernel}", done.theirs[0]), (_name_ours(done), done.ours[0]))
    windows = [line for at, (name, run) in enumerate(both) for line in _windows(name, at, run)]
    queues = [
        Line(name, *_thin(*run.queue), look_at(MOST_FLOWS * at, dash=at), listed=False)
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
        yield Line(label, t_s, cwnd, look_at(MOST_FLOWS * place + number, dash=place))


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
    return list(dict.fromkeys(name for panel in panels for name in panel.series[""]))
