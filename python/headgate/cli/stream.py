"""`headgate stream`: run a scenario and show its flows and queues while simulated time passes."""

from __future__ import annotations

import json
import math
import sys
import time
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.base.errors import HeadgateError, SchemeWarning
from headgate.base.terminal import echo
from headgate.cli.options import (
    Ccas,
    Json,
    Out,
    ScenarioFile,
    Seed,
    Settings,
    Trust,
    command_line,
    load,
)

if TYPE_CHECKING:
    from rich.console import Group

    from headgate.data.tables import Table
    from headgate.engine.api import Scenario
    from headgate.engine.run.stream import Update

#: Samples of a line of blocks, and its blocks from the lowest.
WIDTH, BLOCKS = 32, "▁▂▃▄▅▆▇█"
#: The most flows and ports that are shown.
MOST_FLOWS, MOST_PORTS = 12, 4
#: Lines in a file or a pipe: one per this share of the run.
SHARE = 0.05
PS_PER_S = 1e12


def stream(  # noqa: PLR0913, PLR0917 - one for each option
    scenario: ScenarioFile,
    speed: Annotated[
        str,
        typer.Option(
            metavar="S|max",
            help="Simulated seconds per second: 1, 0.1 for slow motion, or max for no limit.",
        ),
    ] = "1",
    settings: Settings = None,
    seed: Seed = None,
    ccas: Ccas = None,
    out: Out = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Run a scenario, and show rates, windows and queues while simulated time passes.

    Ctrl-Z pauses it and fg continues; Ctrl-C ends it. The result is the same as that of headgate
    run, and --out keeps it. With --json each line is one update.
    """
    from headgate.cli.run import print_result
    from headgate.engine.run.pace import read_speed
    from headgate.plugin.guard import run_watched

    chosen = load(scenario, settings, seed, ccas, trust=trust)
    if chosen.measure.series == "none":
        raise HeadgateError(
            f"{scenario}: measure.series is 'none', so there is nothing to show; remove it"
        )
    view = View(chosen, read_speed(speed))
    with run_watched(chosen.own_code()), _shown(view, as_json=as_json) as show:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SchemeWarning)  # print_result prints them
            updates = chosen.stream(speed=speed)
        for update in updates:
            view.take(update)
            show()
    result = updates.result
    if out is not None:
        result.meta["command"] = command_line()
        result.write(out)
    print_result(result, out, as_json)


@contextmanager
def _shown(view: View, *, as_json: bool) -> Iterator[Any]:
    """Yield a function that shows the view: on a terminal in place, elsewhere in lines."""
    if as_json:
        yield lambda: echo(json.dumps(view.record()))
    elif not sys.stdout.isatty():
        yield view.print_line
    else:
        from rich.live import Live

        from headgate.base.console import PlainConsole

        with Live(view.draw(), console=PlainConsole(), auto_refresh=False) as live:
            yield lambda: live.update(view.draw(), refresh=True)


@dataclass
class Course:
    """The newest row of a flow or port, and one column over the latest samples."""

    column: str
    row: dict[str, Any] = field(default_factory=dict)
    values: deque[float] = field(default_factory=lambda: deque(maxlen=WIDTH))
    top: float = 0.0

    def take(self, row: dict[str, Any]) -> None:
        """Add a row."""
        self.row = row
        value = row[self.column]
        self.values.append(value)
        self.top = max(self.top, value) if math.isfinite(value) else self.top

    def draw(self) -> str:
        """Return a block per sample, as high as its share of the highest so far."""
        scale = (len(BLOCKS) - 1) / self.top if self.top else 0.0
        return "".join(BLOCKS[round(v * scale)] if math.isfinite(v) else " " for v in self.values)


class View:
    """The state of a streamed run for a terminal, or for machines."""

    def __init__(self, scenario: Scenario, speed: float) -> None:
        self._title = scenario.title or "run"
        self._speed = speed
        series = scenario.measure.series
        self._interval_s = 0.0 if series == "none" else series.interval / PS_PER_S
        self._begun_s = time.monotonic()
        self._at = (0.0, scenario.duration / PS_PER_S)
        self._said = -1
        self._flows: dict[str, Course] = {}
        self._ports: dict[str, Course] = {}
        self._new: list[dict[str, Any]] = []

    def take(self, update: Update) -> None:
        """Add the samples of an update."""
        self._at = (update.time_s, update.duration_s)
        self._new = list(_read(update.series))
        for row in self._new:
            if row["of"] == "flow":
                self._flows.setdefault(row["name"], Course("cwnd_packets")).take(row)
            else:
                self._ports.setdefault(row["name"], Course("queue_packets")).take(row)

    def record(self) -> dict[str, Any]:
        """Return the update as plain data: the time, and the new samples."""
        time_s, duration_s = self._at
        kept = [{key: v for key, v in row.items() if not _is_nan(v)} for row in self._new]
        return {"time_s": time_s, "duration_s": duration_s, "series": kept}

    def print_line(self) -> None:
        """Print a line if another share of the run has passed."""
        time_s, duration_s = self._at
        share = int(time_s / duration_s / SHARE + 1e-9)
        if share == self._said:
            return
        self._said = share
        rates = [(name, _say_rate(c)) for name, c in self._flows.items()][:MOST_FLOWS]
        flows = [f"{name} {rate} Mbit/s" if rate else f"{name} starts" for name, rate in rates]
        ports = [f"{name} {c.row['queue_packets']:.0f} packets" for name, c in self._fullest()]
        echo(f"{time_s:.2f} s: {', '.join([*flows, *ports])}")

    def draw(self) -> Group:
        """Return what a terminal shows."""
        from rich.console import Group
        from rich.text import Text

        time_s, duration_s = self._at
        measured = time_s / max(time.monotonic() - self._begun_s, 1e-9)
        pace = f"{measured:.3g} simulated seconds per second"
        head = f"{self._title}    {time_s:.2f} of {duration_s:g} s    {pace}"
        tables = [self._draw_flows()] if self._flows else []
        lines = (Text(head, style="bold"), Text(self._say_interval()))
        return Group(*lines, *tables, self._draw_ports())

    def _say_interval(self) -> str:
        """Return how to see more samples, if they come less often than ten times a second."""
        if not math.isfinite(self._speed) or self._interval_s <= 0.11 * self._speed:
            return f"a sample each {1e3 * self._interval_s:g} ms"
        wanted_ms = max(1.0, 100 * self._speed)
        return (
            f"a sample each {1e3 * self._interval_s:g} ms; for more:"
            f" --set measure.series.interval='{wanted_ms:g} ms'"
        )

    def _fullest(self) -> list[tuple[str, Course]]:
        """Return the ports with the longest queues so far, in the order of the network."""
        tops = sorted((course.top for course in self._ports.values()), reverse=True)[:MOST_PORTS]
        return [pair for pair in self._ports.items() if pair[1].top >= tops[-1]][:MOST_PORTS]

    def _draw_flows(self) -> Any:
        heads = ("flow", "Mbit/s", "RTT ms", "cwnd", f"cwnd, latest {WIDTH} samples")
        rows = [
            (name, _say_rate(c), _say(c, "srtt_s", 1e3), _say(c, "cwnd_packets"), c.draw())
            for name, c in list(self._flows.items())[:MOST_FLOWS]
        ]
        return _table(heads, rows, len(self._flows) - MOST_FLOWS)

    def _draw_ports(self) -> Any:
        heads = ("queue", "drops", "marks", "packets", f"packets, latest {WIDTH} samples")
        rows = [
            (name, _say(c, "drops"), _say(c, "marks"), _say(c, "queue_packets"), c.draw())
            for name, c in self._fullest()
        ]
        return _table(heads, rows, len(self._ports) - MOST_PORTS)


def _read(series: Table) -> Iterator[dict[str, Any]]:
    columns = {name: series[name].tolist() for name in series.columns}
    return (
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    )


def _say_rate(course: Course) -> str:
    return _say(course, "arrival_rate_bps", 1e-6) or _say(course, "throughput_bps", 1e-6)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _say(course: Course, column: str, scale: float = 1.0) -> str:
    value = scale * course.row.get(column, math.nan)
    return f"{value:.4g}" if math.isfinite(value) else ""


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], left_out: int) -> Any:
    from rich import box
    from rich.table import Column, Table

    columns = [Column(heads[0], min_width=10), *(Column(h, justify="right") for h in heads[1:-1])]
    last = Column(heads[-1], no_wrap=True, min_width=WIDTH)
    table = Table(*columns, last, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for row in rows:
        table.add_row(*row)
    if left_out > 0:
        table.add_row(f"{left_out} more")
    return table
