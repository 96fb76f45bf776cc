"""The report of `headgate conform --kernel`: a kernel's TCP beside ours on the same paths."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Column, Table

from headgate import StoreError
from headgate.lab import SuiteReport, SuiteRequest
from headgate_studies.conform.kernel.comparison import LATE_S, Comparison
from headgate_studies.conform.kernel.figures import FIGURES
from headgate_studies.conform.kernel.pictures import save_pictures
from headgate_studies.conform.kernel.suite import Kernel, Selection, examine, run_cases, select

FIGURES_FILE = "figures.json"
HEADS = {
    "goodput": "goodput\nMbit/s",
    "queue": "mean queue\npackets",
    "recoveries": "recoveries",
    "back-off": "back-off",
    "completion": "completion\nms",
    "share": "share of\nthe last",
}


def run_kernel(request: SuiteRequest) -> SuiteReport:
    """Run the cases with a kernel and in simulation, and write the pictures.

    Raises HeadgateError.
    """
    folder = request.out or Path("out") / f"conform-{request.kernel}"
    found = examine(request.kernel)
    chosen = select(found, request.names, request.cases)
    seconds = request.repeats * sum(case.duration_s for case in chosen.cases)
    request.report_progress(
        f"kernel {found.release}: {len(chosen.cases)} cases, {seconds / 60:.0f} minutes of runs"
        " in real time at most"
    )
    done = _run(request, found, chosen, folder)
    pictures = save_pictures(done, found.release, folder)
    parts = [*_parts(done), *chosen.says(found)]
    return SuiteReport(
        _record(found, chosen, done),
        [*parts, f"{folder}: {FIGURES_FILE}, {len(pictures)} pictures"],
    )


def _run(request: SuiteRequest, found: Kernel, chosen: Selection, folder: Path) -> list[Comparison]:
    """Run every case, and write the figures after each."""
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
    outside = [name for name in FIGURES if one.agrees(name) is False]
    return f"{one.case.name}: {'differs in ' + ', '.join(outside) if outside else 'agrees'}"


def _record(kernel: Kernel, chosen: Selection, done: Sequence[Comparison]) -> dict[str, Any]:
    return {
        "kernel": {"name": kernel.name, "release": kernel.release, "laws": kernel.laws},
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
    first = Column("case: the kernel,\nbelow it Headgate", no_wrap=True)
    table = Table(first, *heads, "late\nms", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for one in done:
        late = f"{one.lateness_s * 1e3:.1f}"
        table.add_row(one.case.name, *(_cell(one, name) for name in shown), late)
    yield table
    yield "* outside: goodput and completion 2 %, mean queue 15 %, recoveries and back-off 20 %."
    yield from (f"{one.case.name}: {doubt}" for one in done if (doubt := _doubt(one)))


def _doubt(one: Comparison) -> str:
    """Say why a case was not run, or says little."""
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
