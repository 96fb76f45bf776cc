"""How far a set of runs has come, and how it is shown: a bar, or a plain line per 10 %."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from threading import Timer
from typing import TextIO

from headgate.notebook import in_notebook, show_bar
from headgate.visible import visible

LINE_EVERY_PERCENT = 10
#: So long a person waits without a word.
SILENT_S = 2.0


@dataclass
class CampaignProgress:
    """How far a set of runs has come.

    Work is counted in simulated time: `due_s` of all runs that are to be made, of which `made_s`
    have been, parts of unfinished runs among them.
    """

    total: int
    skipped: int = 0
    finished: int = 0
    failed: int = 0
    due_s: float = 0.0
    made_s: float = 0.0
    packet_hops: int = 0
    started_s: float = field(default_factory=time.monotonic)

    @property
    def done(self) -> int:
        """Runs that need no more work, those found in the store among them."""
        return self.skipped + self.finished

    @property
    def elapsed_s(self) -> float:
        """Wall-clock time since the start."""
        return time.monotonic() - self.started_s

    @property
    def hops_per_s(self) -> float:
        """Packet-hops per second of wall clock, all workers together."""
        return self.packet_hops / max(self.elapsed_s, 1e-9)

    @property
    def eta_s(self) -> float | None:
        """Seconds left if the rest is like what was done; None at the start."""
        if self.made_s <= 0:
            return None
        return self.elapsed_s * (self.due_s - self.made_s) / self.made_s

    @property
    def share(self) -> float:
        """Share of the work that is done; a run found in the store is one of `total` parts."""
        found = self.skipped / max(self.total, 1)
        return found + (1 - found) * (self.made_s / self.due_s if self.due_s else 1)

    @property
    def _runs(self) -> str:
        failed = f" ({self.failed} failed)" if self.failed else ""
        return f"{self.done}/{self.total} runs{failed}"

    def __str__(self) -> str:
        said = self._runs
        if self.eta_s is None:
            return said
        return (
            f"{said}, {self.hops_per_s / 1e6:.1f} million packet-hops/s,"
            f" {clock(self.elapsed_s)} elapsed, about {clock(self.eta_s)} left"
        )

    @property
    def short(self) -> str:
        """The same in 40 columns or so, beside a bar on a terminal of 80."""
        said = self._runs
        if self.eta_s is None:
            return said
        return f"{said}, {self.hops_per_s / 1e6:.1f} M hops/s, {clock(self.eta_s)} left"


@dataclass
class StepProgress:
    """How many of a number of equal steps, such as pictures, are done."""

    total: int
    noun: str
    done: int = 0

    @property
    def share(self) -> float:
        """Share of the steps that is done."""
        return self.done / max(self.total, 1)

    def __str__(self) -> str:
        return f"{self.done}/{self.total} {self.noun}"

    @property
    def short(self) -> str:
        """The same."""
        return str(self)


Progress = CampaignProgress | StepProgress
Show = Callable[[Progress], None]


@contextmanager
def count_steps(title: str, total: int, noun: str) -> Iterator[Callable[[], None]]:
    """Show how many steps are done; yield a function to call after each."""
    state = StepProgress(total, noun)

    with show_progress(title) as show:

        def step() -> None:
            state.done += 1
            show(state)

        yield step


@contextmanager
def count_slow_steps(title: str, total: int, noun: str) -> Iterator[Callable[[], None]]:
    """Do as `count_steps` does once `SILENT_S` are over, even if one step takes longer."""
    state, shows = StepProgress(total, noun), list[Show]()

    def step() -> None:
        state.done += 1
        for show in shows:
            show(state)

    with ExitStack() as stack:

        def begin() -> None:
            shows.append(stack.enter_context(show_progress(title)))
            shows[0](state)

        timer = Timer(SILENT_S, begin)
        timer.daemon = True
        timer.start()
        try:
            yield step
        finally:
            timer.cancel()
            timer.join()


def clock(seconds: float) -> str:
    """Write a time as m:ss or h:mm:ss."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def show_progress(title: str, stream: TextIO | None = None) -> Iterator[Show]:
    """Yield a function that shows progress: in a notebook, else on `stream` (stderr)."""
    if stream is None and in_notebook():
        move = show_bar(title)
        yield lambda state: move(state.share, str(state))
        return
    stream = stream or sys.stderr
    if stream.isatty():
        with _bar(title, stream) as show:
            yield show
    else:
        yield _Lines(title, stream)


class _Lines:
    def __init__(self, title: str, stream: TextIO) -> None:
        self.title, self.stream, self.shown = title, stream, -1

    def __call__(self, state: Progress) -> None:
        step = int(round(100 * state.share, 6) // LINE_EVERY_PERCENT)
        if step > self.shown:
            self.shown = step
            self.stream.write(f"{visible(self.title)}: {step * LINE_EVERY_PERCENT} %, {state}\n")
            self.stream.flush()


@contextmanager
def _bar(title: str, stream: TextIO) -> Iterator[Show]:
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    from headgate.console import PlainConsole

    named = TextColumn("{task.description}", markup=False)
    columns = (named, BarColumn(bar_width=16), TextColumn("{task.fields[said]}"))
    console = PlainConsole(file=stream)
    with Bar(*columns, console=console, refresh_per_second=5) as progress:
        task = progress.add_task(title, total=1, said="")

        def show(state: Progress) -> None:
            progress.update(task, completed=state.share, said=state.short)

        yield show
