"""Progress of long work, shown as a bar or as a plain line per 10 %."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from html import escape
from threading import Timer
from typing import Protocol, TextIO

from headgate.base.terminal import escape_controls

LINE_EVERY_PERCENT = 10
#: How long a command may run without output.
SILENT_S = 2.0


class Progress(Protocol):
    """The state of long work: the completed share, and a description."""

    @property
    def share(self) -> float:
        """Completed share of the work."""

    @property
    def short(self) -> str:
        """The state in about 40 columns, next to a bar on a terminal of 80."""


Show = Callable[[Progress], None]


@dataclass
class StepProgress:
    """Completed steps of a number of equal steps, such as figures."""

    total: int
    noun: str
    done: int = 0

    @property
    def share(self) -> float:
        """Completed share of the steps."""
        return self.done / max(self.total, 1)

    def __str__(self) -> str:
        return f"{self.done}/{self.total} {self.noun}"

    @property
    def short(self) -> str:
        """The state, for a bar."""
        return str(self)


@contextmanager
def count_steps(title: str, total: int, noun: str) -> Iterator[Callable[[], None]]:
    """Show the number of completed steps; yield a function to call after each."""
    state = StepProgress(total, noun)

    with show_progress(title) as show:

        def step() -> None:
            state.done += 1
            show(state)

        yield step


@contextmanager
def count_slow_steps(title: str, total: int, noun: str) -> Iterator[Callable[[], None]]:
    """Show steps as `count_steps` does, but only after `SILENT_S`, even during a long step."""
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


def in_notebook() -> bool:
    """Return whether this runs in the kernel of a notebook."""
    shell = sys.modules.get("IPython")
    return shell is not None and hasattr(shell.get_ipython(), "kernel")


def show_bar(title: str) -> Callable[[float, str], None]:
    """Show a bar below the cell; return a function that sets its share and its text."""
    from IPython.display import HTML, display

    def draw(share: float, said: str) -> HTML:
        return HTML(f'<progress value="{share:.4f}" max="1"></progress> {escape(said)}')

    shown = display(draw(0.0, title), display_id=True)
    return lambda share, said: shown.update(draw(share, f"{title}: {said}"))


class _Lines:
    def __init__(self, title: str, stream: TextIO) -> None:
        self.title, self.stream, self.shown = title, stream, -1

    def __call__(self, state: Progress) -> None:
        step = int(round(100 * state.share, 6) // LINE_EVERY_PERCENT)
        if step > self.shown:
            self.shown = step
            self.stream.write(
                f"{escape_controls(self.title)}: {step * LINE_EVERY_PERCENT} %, {state}\n"
            )
            self.stream.flush()


@contextmanager
def _bar(title: str, stream: TextIO) -> Iterator[Show]:
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    from headgate.base.console import PlainConsole

    named = TextColumn("{task.description}", markup=False)
    columns = (named, BarColumn(bar_width=16), TextColumn("{task.fields[said]}"))
    console = PlainConsole(file=stream)
    with Bar(*columns, console=console, refresh_per_second=5) as progress:
        task = progress.add_task(title, total=1, said="")

        def show(state: Progress) -> None:
            progress.update(task, completed=state.share, said=state.short)

        yield show
