"""Traces of runs: which flows and ports are traced, and the log that a run writes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Any, BinaryIO

from headgate.base.errors import ScenarioError, StoreError, report_unwritable
from headgate.base.files import write_bytes
from headgate.base.names import each_name, name_counts
from headgate.data.parquet import write_table
from headgate.engine.run.events import EventTables
from headgate.scenario.plan import choose_numbers

ALL = "all"
#: Default number of events of a trace; at about 54 bytes per event the log takes 270 MB.
LIMIT = 5_000_000


def _make_list(names: Sequence[str | int] | str | int) -> Sequence[str | int]:
    """Return one name or several as several."""
    if isinstance(names, str | int):
        return () if names == "" else (names,)
    return names


@dataclass(frozen=True)
class Trace:
    """A request for a trace: flows and ports by name, pattern, number, or "all"."""

    flows: Sequence[str | int] | str | int = ()
    """Flows whose every event is recorded, at their ends and at every port on their way."""
    ports: Sequence[str | int] | str | int = ()
    """Ports at which every packet is recorded, by the names of their links."""
    limit: int = LIMIT
    """Events after which the trace ends."""

    def __post_init__(self) -> None:
        for kind in ("flows", "ports"):
            object.__setattr__(self, kind, _make_list(getattr(self, kind)))
        if not (self.flows or self.ports):
            raise ScenarioError("trace", "it must name flows or ports")
        if self.limit < 1:
            raise ScenarioError(
                "trace limit", f"{self.limit} is not allowed; it must be at least 1"
            )

    @classmethod
    def parse(cls, options: Sequence[str], limit: int | None = None) -> Trace:
        """Read "flows=0,5" and "ports=bottleneck". Raises ScenarioError."""
        asked: dict[str, list[str | int]] = {"flows": [], "ports": []}
        for option in options:
            kind, _, names = option.partition("=")
            if kind not in asked or not names:
                says = f"{option!r} is not flows=NAMES or ports=NAMES, such as flows=0,5"
                raise ScenarioError("--trace", says)
            asked[kind] += [name.strip() for name in names.split(",")]
        return cls(**asked, limit=LIMIT if limit is None else limit)

    def options(self) -> Iterator[str]:
        """Yield the command-line options of this trace."""
        for kind in ("flows", "ports"):
            if names := ",".join(map(str, getattr(self, kind))):
                yield "--trace " + quote(f"{kind}={names}")
        if self.limit != LIMIT:
            yield f"--trace-limit {self.limit}"

    def numbers(self, plan: Mapping[str, Any]) -> tuple[set[int], set[int]]:
        """Return the numbers of the flows and links of a plan. Raises ScenarioError."""
        traffic, links = plan["traffic"], plan["links"]
        flows = _Candidates("flows", sum(name_counts(traffic)), lambda: each_name(traffic))
        ports = _Candidates("ports", len(links), lambda: (link["name"] for link in links))
        patterns = (
            tuple(flows.patterns(_make_list(self.flows))),
            tuple(ports.patterns(_make_list(self.ports))),
        )
        chosen = choose_numbers(plan, *patterns, ("trace flows", "trace ports"))
        for named, wanted, found in zip((flows, ports), patterns, chosen, strict=True):
            if wanted and not found:
                raise ScenarioError("trace", f"no {named.kind} are called {', '.join(wanted)}")
        return chosen

    def plain(self) -> dict[str, Any]:
        """Return the trace as plain data for JSON."""
        plain = asdict(self)
        return plain | {kind: [str(one) for one in plain[kind]] for kind in ("flows", "ports")}


@dataclass(frozen=True)
class _Candidates:
    """Flows or ports: their number, and their names in order."""

    kind: str
    count: int
    names: Callable[[], Iterator[str]]

    def patterns(self, asked: Sequence[str | int]) -> Iterator[str]:
        for one in asked:
            text = str(one)
            yield self._name_of(int(text)) if text.isdecimal() else "*" if text == ALL else text

    def _name_of(self, number: int) -> str:
        if number >= self.count:
            says = f"{number} is not a number of the {self.kind}: they have 0 to {self.count - 1}"
            raise ScenarioError(f"trace {self.kind}", says)
        return next(islice(self.names(), number, None))


TRACE_FOLDER, TRACE_FILE = "trace", "trace.json"
EVENTS_FOLDER, CONNECTIONS_FILE = "events", "connections.parquet"
#: Rows of one Parquet file of events, which are in memory at a time.
PART_ROWS = 500_000


class TraceLog:
    """The log of a trace during its run, in the run's folder.

    Resuming cuts the log of a killed run back to its last snapshot.
    """

    def __init__(self, folder: Path, asked: Trace, plan: Mapping[str, Any]) -> None:
        self.asked, self._plan = asked, plan
        self.folder = folder / TRACE_FOLDER
        self.numbers = asked.numbers(plan)
        self.count = 0
        self.ended_s: float | None = None
        self._files: list[BinaryIO] = []

    @property
    def is_full(self) -> bool:
        """Whether the limit was reached."""
        return self.ended_s is not None

    def begin(self) -> None:
        """Start an empty log. Raises StoreError."""
        with report_unwritable(self.folder):
            shutil.rmtree(self.folder, ignore_errors=True)
            (self.folder / EVENTS_FOLDER).mkdir(parents=True)
            self._files = [path.open("w+b") for path in self._paths()]

    def resume(self, kept: object) -> None:
        """Continue from the data that `keep` returned. Raises StoreError."""
        if not isinstance(kept, dict):
            raise StoreError(
                f"{self.folder.parent}: the run that was stopped here had no trace; resume without "
                "--trace, or choose another folder"
            )
        if kept.get("asked") != self.asked.plain():
            raise other_trace_error(self.folder.parent, kept)
        self.count, self.ended_s = kept["count"], kept["ended_s"]
        with report_unwritable(self.folder):
            self._files = [path.open("r+b") for path in self._paths()]
            for file, size in zip(self._files, kept["bytes"], strict=True):
                if file.seek(0, os.SEEK_END) < size:
                    raise StoreError(f"{file.name}: is cut short; remove {self.folder.parent}")
                file.truncate(size)
                file.seek(size)

    @property
    def room(self) -> int:
        """Number of events until the limit."""
        return self.asked.limit - self.count

    def add(self, events: bytes, connections: bytes, count: int, ended_ps: int | None) -> bool:
        """Write rows of events; return whether the trace is full. Raises StoreError."""
        self.count += count
        self.ended_s = None if ended_ps is None else ended_ps / 1e12
        with report_unwritable(self.folder):
            for file, rows in zip(self._files, (events, connections), strict=True):
                file.write(rows)
        return self.is_full

    def keep(self) -> dict[str, Any]:
        """Flush the log to the disk, and return the data to resume it. Raises StoreError."""
        with report_unwritable(self.folder):
            for file in self._files:
                file.flush()
                os.fsync(file.fileno())
        sizes = [file.tell() for file in self._files]
        kept = {"asked": self.asked.plain(), "count": self.count, "ended_s": self.ended_s}
        return kept | {"bytes": sizes}

    def finish(self, meta: Mapping[str, Any]) -> None:
        """Make tables of the log, a part at a time; `meta` describes the run. Raises StoreError."""
        from headgate._native import event_labels, read_connections

        tables, labels = EventTables(self._plan), event_labels()
        events, connections = self._files
        for number, facts in enumerate(_read_parts(events)):
            path = self.folder / EVENTS_FOLDER / f"{number:04}.parquet"
            write_table(path, tables.make_events(facts, labels))
        connections.seek(0)
        known = read_connections(connections.read())
        write_table(self.folder / CONNECTIONS_FILE, tables.make_connections(known))
        about = {"asked": self.asked.plain(), "events": self.count, "ended_s": self.ended_s}
        ports = [self._plan["links"][number]["name"] for number in sorted(self.numbers[1])]
        names = {"name", "segment_bytes", "receive_window", "recovery", "rtt", "quic"}
        profiles = [
            {key: value for key, value in profile.items() if key in names}
            for profile in self._plan["transports"]
        ]
        plan = {"duration_ps": self._plan["duration_ps"], "transports": profiles}
        about |= {"ports": ports, "says": self.says(), **meta, "plan": plan}
        write_bytes(self.folder / TRACE_FILE, json.dumps(about, indent=2).encode())

    def says(self) -> str:
        """Return a sentence about the extent of the trace."""
        if self.ended_s is None:
            return f"{self.count:,} events, the whole run"
        duration_s = self._plan["duration_ps"] / 1e12
        return (
            f"the limit of {self.asked.limit:,} events was reached at {self.ended_s:.6f} s of "
            f"{duration_s:g} s; what happened later is not in the trace"
        )

    def discard(self) -> None:
        """Remove the log after the tables are written."""
        self.close()
        for path in self._paths():
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the log's files."""
        for file in self._files:
            file.close()

    def _paths(self) -> list[Path]:
        return [self.folder / "events.log", self.folder / "connections.log"]


def other_trace_error(folder: Path, kept: Mapping[str, Any]) -> StoreError:
    """Return the error of resuming a run with another trace than `kept`."""
    options = " ".join(Trace(**kept["asked"]).options())
    return StoreError(
        f"{folder}: the run that was stopped here must be resumed with the trace that it had; "
        f"give it {options}, or choose another folder"
    )


def has_trace(folder: Path, asked: Trace, identity: str) -> bool:
    """Return whether a run's folder contains this trace of this run."""
    try:
        about = json.loads((folder / TRACE_FOLDER / TRACE_FILE).read_bytes())
    except (OSError, ValueError):
        return False
    return (about.get("asked"), about.get("identity")) == (asked.plain(), identity)


def _read_parts(log: BinaryIO) -> Iterator[Mapping[str, Any]]:
    from headgate._native import most_event_bytes, read_events

    at, size = 0, log.seek(0, os.SEEK_END)
    while True:
        log.seek(at)
        facts, used = read_events(log.read(PART_ROWS * most_event_bytes()), PART_ROWS)
        yield facts
        at += used
        if at >= size:
            return
