"""Progress of a run: simulated time, speed, and time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from headgate.base.progress import in_notebook, show_bar
from headgate.base.terminal import echo

#: Longest silence of a run, also without a terminal.
SILENT_S = 300.0

Report = Callable[["Progress"], None]


class StopRunError(Exception):
    """Raised by a progress callback: stop here, and save the state if there is a place for it."""


@dataclass(frozen=True)
class Progress:
    """One report. `hops_per_s` is a mean over the wall time since this start."""

    time_s: float
    duration_s: float
    packet_hops: int
    hops_per_s: float
    eta_s: float

    @property
    def share(self) -> float:
        """Share of the simulated time that is done."""
        return self.time_s / self.duration_s if self.duration_s else 1.0


class Clock:
    """Makes reports by the wall clock since its creation."""

    def __init__(self, time_s: float, packet_hops: int) -> None:
        self._begun = time.perf_counter()
        self._time_s, self._hops = time_s, packet_hops

    def report(self, time_s: float, duration_s: float, packet_hops: int) -> Progress:
        """Return the report for now."""
        wall_s = max(time.perf_counter() - self._begun, 1e-9)
        done_s = time_s - self._time_s
        eta_s = wall_s * (duration_s - time_s) / done_s if done_s > 0 else float("inf")
        rate = (packet_hops - self._hops) / wall_s
        return Progress(time_s, duration_s, packet_hops, rate, eta_s)


@contextmanager
def show_progress(title: str) -> Iterator[Report]:
    """Show reports: a bar in a notebook, on stderr a bar on a terminal and plain lines elsewhere.

    There is one line per tenth of the run, and no pause of more than `SILENT_S`.
    """
    if in_notebook():
        move = show_bar(title)
        yield lambda at: move(at.share, facts(at))
    elif not sys.stderr.isatty():
        yield _plain(title)
    else:
        with _bar(title) as report:
            yield report


@contextmanager
def _bar(title: str) -> Iterator[Report]:
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    from headgate.base.console import PlainConsole

    named = TextColumn("{task.description}", markup=False)
    columns = (named, BarColumn(), TextColumn("{task.fields[facts]}"))
    with Bar(*columns, console=PlainConsole(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1.0, facts="")
        yield lambda at: bar.update(task, completed=at.share, facts=facts(at))


def _plain(title: str) -> Report:
    said, until_s = -1, 0.0

    def report(at: Progress) -> None:
        nonlocal said, until_s
        tenth, now_s = int(10 * at.share + 1e-9), time.perf_counter()
        if tenth > said or now_s > until_s:
            said, until_s = tenth, now_s + SILENT_S
            echo(f"{title}: {facts(at)}", error=True)

    return report


def facts(at: Progress) -> str:
    """Return simulated time, rate and time left as text."""
    left = f", {at.eta_s:.0f} s left" if at.eta_s < float("inf") else ""
    return (
        f"{at.time_s:.1f} of {at.duration_s:.1f} s simulated, {at.packet_hops:,.0f} packet-hops, "
        f"{at.hops_per_s / 1e6:.1f} million hops/s{left}"
    )
