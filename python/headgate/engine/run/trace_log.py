"""A trace of a running run: rows of a log, of which tables are made at the end."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from headgate.base.errors import StoreError, explain_os
from headgate.base.files import write_bytes
from headgate.data.parquet import write_table
from headgate.engine.run.events import EventTables
from headgate.engine.run.trace import Trace

TRACE_FOLDER, TRACE_FILE = "trace", "trace.json"
EVENTS_FOLDER, CONNECTIONS_FILE = "events", "connections.parquet"
#: Rows of one Parquet file of events: what is in memory at a time.
PART_ROWS = 500_000


class TraceLog:
    """The log of a trace during its run, in the run's folder.

    What a killed run had written is cut back to its last snapshot.
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
        """Begin with nothing. Raises StoreError."""
        try:
            shutil.rmtree(self.folder, ignore_errors=True)
            (self.folder / EVENTS_FOLDER).mkdir(parents=True)
            self._files = [path.open("w+b") for path in self._paths()]
        except OSError as error:
            raise self._error(error) from None

    def resume(self, kept: object) -> None:
        """Go on from what `keep` gave. Raises StoreError."""
        if not isinstance(kept, dict):
            raise StoreError(
                f"{self.folder.parent}: the run that was stopped here had no trace; resume without "
                "--trace, or choose another folder"
            )
        if kept.get("asked") != self.asked.plain():
            raise other_trace_error(self.folder.parent, kept)
        self.count, self.ended_s = kept["count"], kept["ended_s"]
        try:
            self._files = [path.open("r+b") for path in self._paths()]
            for file, size in zip(self._files, kept["bytes"], strict=True):
                if file.seek(0, os.SEEK_END) < size:
                    raise StoreError(f"{file.name}: is cut short; remove {self.folder.parent}")
                file.truncate(size)
                file.seek(size)
        except OSError as error:
            raise self._error(error) from None

    @property
    def room(self) -> int:
        """How many events it may still have."""
        return self.asked.limit - self.count

    def add(self, events: bytes, connections: bytes, count: int, ended_ps: int | None) -> bool:
        """Write rows of events; return whether it is full, which others found at `ended_ps`.

        Raises StoreError.
        """
        self.count += count
        self.ended_s = None if ended_ps is None else ended_ps / 1e12
        try:
            for file, rows in zip(self._files, (events, connections), strict=True):
                file.write(rows)
        except OSError as error:
            raise self._error(error) from None
        return self.is_full

    def keep(self) -> dict[str, Any]:
        """Have all on the disk, and return what is needed to resume. Raises StoreError."""
        try:
            for file in self._files:
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._error(error) from None
        sizes = [file.tell() for file in self._files]
        kept = {"asked": self.asked.plain(), "count": self.count, "ended_s": self.ended_s}
        return kept | {"bytes": sizes}

    def finish(self, meta: Mapping[str, Any]) -> None:
        """Make tables of the log, a part at a time; `meta` is said of them. Raises StoreError."""
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
        about |= {"ports": ports, "says": self.says(), **meta, "plan": _of_plan(self._plan)}
        write_bytes(self.folder / TRACE_FILE, json.dumps(about, indent=2).encode())

    def says(self) -> str:
        """Say how far the trace goes."""
        if self.ended_s is None:
            return f"{self.count:,} events, the whole run"
        duration_s = self._plan["duration_ps"] / 1e12
        return (
            f"the limit of {self.asked.limit:,} events was reached at {self.ended_s:.6f} s of "
            f"{duration_s:g} s; what happened later is not in the trace"
        )

    def discard(self) -> None:
        """Remove the log: its tables and the run's are written."""
        self.close()
        for path in self._paths():
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the log's files."""
        for file in self._files:
            file.close()

    def _paths(self) -> list[Path]:
        return [self.folder / "events.log", self.folder / "connections.log"]

    def _error(self, error: OSError) -> StoreError:
        return StoreError(f"{self.folder}: cannot be written: {explain_os(error)}")


def other_trace_error(folder: Path, kept: Mapping[str, Any]) -> StoreError:
    """Return the error of a stopped run that is resumed with another trace than `kept`."""
    options = " ".join(Trace(**kept["asked"]).options())
    return StoreError(
        f"{folder}: the run that was stopped here must be resumed with the trace that it had; "
        f"give it {options}, or choose another folder"
    )


def has_trace(folder: Path, asked: Trace, identity: str) -> bool:
    """Say whether a run's folder has this trace of this run."""
    try:
        about = json.loads((folder / TRACE_FOLDER / TRACE_FILE).read_bytes())
    except (OSError, ValueError):
        return False
    return (about.get("asked"), about.get("identity")) == (asked.plain(), identity)


def _of_plan(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return what converters need of a plan."""
    names = ("name", "segment_bytes", "receive_window", "recovery", "rtt")
    profiles = [{name: profile[name] for name in names} for profile in plan["transports"]]
    return {"duration_ps": plan["duration_ps"], "transports": profiles}


def _read_parts(log: BinaryIO) -> Iterator[Mapping[str, Any]]:
    """Yield the events of a log, in parts; one empty part if there are none."""
    from headgate._native import most_event_bytes, read_events

    at, size = 0, log.seek(0, os.SEEK_END)
    while True:
        log.seek(at)
        facts, used = read_events(log.read(PART_ROWS * most_event_bytes()), PART_ROWS)
        yield facts
        at += used
        if at >= size:
            return
