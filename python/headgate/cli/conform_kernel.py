"""`headgate conform --kernel`: a kernel's TCP through `emulate`, beside ours on the same paths."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.base.errors import StoreError, explain_os
from headgate.base.visible import say

if TYPE_CHECKING:
    from headgate.conform.kernel.comparison import Comparison
    from headgate.conform.kernel.suite import Kernel, Selection

FIGURES_FILE = "figures.json"
HEADS = {
    "goodput": "goodput\nMbit/s",
    "queue": "mean queue\npackets",
    "recoveries": "recoveries",
    "back-off": "back-off",
    "completion": "completion\nms",
    "share": "share of\nthe last",
}


@dataclass(frozen=True)
class Runs:
    """How cases are run, and where what they come to goes."""

    repeats: int
    workers: int
    out: Path | None
    as_json: bool


def conform_kernel(
    names: Sequence[str] | None, kernel: str, globs: Sequence[str], runs: Runs
) -> None:
    """Run the cases, print both sides, write the pictures."""
    from headgate.conform.kernel.pictures import save_pictures
    from headgate.conform.kernel.suite import examine, run_cases, select

    folder = Path("out") / f"conform-{kernel}" if runs.out is None else runs.out
    found = examine(kernel)
    chosen = select(found, names, globs)
    _announce(found, chosen, runs.repeats)
    done: list[Comparison] = []
    order = {case.name: at for at, case in enumerate(chosen.cases)}
    _write(folder, _record(found, chosen, done))
    for one in run_cases(chosen.cases, kernel, runs.repeats, runs.workers):
        done = sorted([*done, one], key=lambda one: order[one.case.name])
        _write(folder, _record(found, chosen, done))
        say(f"{len(done)} of {len(chosen.cases)}: {_line(one)}", error=True)
    record = _record(found, chosen, done)
    pictures = save_pictures(done, found.release, folder)
    if runs.as_json:
        say(json.dumps(record))
        return
    _show(done)
    for sentence in chosen.says(found):
        say(sentence)
    say(f"{folder}: {FIGURES_FILE}, {len(pictures)} pictures")


def _announce(kernel: Kernel, chosen: Selection, repeats: int) -> None:
    seconds = repeats * sum(case.duration_s for case in chosen.cases)
    says = f"kernel {kernel.release}: {len(chosen.cases)} cases, {seconds / 60:.0f} minutes of runs"
    say(f"{says} in real time at most", error=True)


def _line(one: Comparison) -> str:
    if one.obstacle:
        return f"{one.case.name}: {_doubt(one)}"
    from headgate.conform.kernel.figures import FIGURES

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
        raise StoreError(f"{folder}: cannot be written: {explain_os(error)}") from None


def _show(done: Sequence[Comparison]) -> None:
    from rich import box
    from rich.table import Column, Table

    from headgate.base.console import PlainConsole

    shown = [name for name in HEADS if any(any(one.figures(name)) for one in done)]
    heads = (HEADS[name] for name in shown)
    first = Column("case: the kernel,\nbelow it Headgate", no_wrap=True)
    table = Table(first, *heads, "late\nms", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for one in done:
        late = f"{one.lateness_s * 1e3:.1f}"
        table.add_row(one.case.name, *(_cell(one, name) for name in shown), late)
    PlainConsole().print(table)
    say("* outside: goodput and completion 2 %, mean queue 15 %, recoveries and back-off 20 %.")
    for one in done:
        if doubt := _doubt(one):
            say(f"{one.case.name}: {doubt}")


def _doubt(one: Comparison) -> str:
    """Say why a case was not run, or says little."""
    from headgate.conform.kernel.comparison import LATE_S

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
