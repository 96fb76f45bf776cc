"""Leases and attempts: files that record which process works on which run.

A lease is a worker's exclusive claim on a run, which it renews each second, so that several
campaigns, shards or machines share a store without making a run twice. A lease whose owner is dead
or silent is free. The silence is the file's age by the clock of the store, never by clocks of
machines.

An attempt is recorded before a run begins and removed when it returns. An attempt that does not
return records a cause if its process was seen to die, and none if the campaign died too, as in a
power cut. A run with too many of either is set aside. A campaign counts the deaths that it saw, and
the losses of all campaigns since the last snapshot, because a later snapshot shows progress.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Annotated

from pydantic import Field, FiniteFloat, NonNegativeInt

from headgate.base.errors import CrashedRunError, StoreError
from headgate.base.process import HeldError, exclusive, here, is_dead
from headgate.engine.run.progress import Progress, StopRunError
from headgate.lab.jobs import Job
from headgate.lab.records import Clock, create_record, read_record, write_record

#: Wall time between two renewals, and silence after which a lease is void.
BEAT_S, SILENT_S = 1.0, 60.0
#: Number of checks without renewal after which an owner is killed.
STUCK_LOOKS = 600


@dataclass
class Lease:
    """A claim on a run: its owner, its start on the store's clock, and its progress.

    Readers add its duration and the time since its last renewal.
    """

    run_id: str
    owner: str
    since_s: FiniteFloat
    share: Annotated[FiniteFloat, Field(ge=0, le=1)] = 0.0
    packet_hops: NonNegativeInt = 0
    labels: dict[str, str | int | float] = field(default_factory=dict)
    for_s: FiniteFloat = 0.0
    silent_s: FiniteFloat = 0.0

    @property
    def is_void(self) -> bool:
        """Whether its owner is dead or silent, or its time lies in the future."""
        return is_dead(self.owner) or abs(self.silent_s) > SILENT_S


class Leases:
    """The leases of a store."""

    def __init__(self, store: Path) -> None:
        self.folder = store / "running"
        self._lock = store / ".lock"
        self._clock = Clock(store)
        self._mine: dict[str, Lease] = {}
        self._beaten_s: dict[str, float] = {}
        self._renewed: set[str] = set()
        self._renewer: Thread | None = None

    def take(self, job: Job) -> bool:
        """Take a lease on a run; return whether that succeeded."""
        lease = Lease(job.id, here(), self._clock.now_s(), labels=dict(job.labels))
        if not (self._create(lease) or self._take_over(lease)):
            return False
        self._mine[job.id] = lease
        return True

    def note(self, run_id: str, now: Progress) -> None:
        """Record the progress of our run, each second. Raises StopRunError if the lease is lost."""
        lease = self._mine.get(run_id)
        if lease is None:  # a second copy holds no lease
            return
        lease.share, lease.packet_hops = now.share, now.packet_hops
        if time.monotonic() - self._beaten_s[run_id] >= BEAT_S:
            self._beat(lease)

    @contextmanager
    def renewing(self, run_id: str) -> Iterator[None]:
        """Renew the lease of our run each second while nothing reports progress."""
        if self._renewer is None:
            self._renewer = Thread(target=self._renew, daemon=True)
            self._renewer.start()
        self._renewed.add(run_id)
        try:
            yield
        finally:
            self._renewed.discard(run_id)

    def _renew(self) -> None:
        while True:
            time.sleep(BEAT_S)
            for run_id in tuple(self._renewed):
                lease = self._mine.get(run_id)
                if lease is not None and self._ours(lease):
                    with suppress(OSError):
                        os.utime(self.folder / run_id)

    def watch(self, run_id: str) -> Callable[[str], bool]:
        """Return a function to call each second, which returns whether an owner is stuck.

        It counts calls, so neither clocks nor a suspended machine can mislead it.
        """
        path, seen_ns, looks = self.folder / run_id, 0, 0

        def is_stuck(owner: str) -> bool:
            nonlocal seen_ns, looks
            held = read_record(Lease, path)
            renewed_ns = read_time_ns(path)
            same = held is not None and held.owner == owner and renewed_ns == seen_ns
            seen_ns, looks = renewed_ns, looks + 1 if same else 0
            return looks >= STUCK_LOOKS

        return is_stuck

    def drop(self, run_id: str) -> None:
        """Release our run, finished or not."""
        lease = self._mine.pop(run_id, None)
        if lease is not None and self._ours(lease):
            (self.folder / run_id).unlink(missing_ok=True)

    def remove_dead(self, run_id: str, owner: str) -> None:
        """Remove the lease of an owner that died."""
        held = read_record(Lease, self.folder / run_id)
        if held is not None and held.owner == owner:
            (self.folder / run_id).unlink(missing_ok=True)

    def all(self) -> Iterator[Lease]:
        """Yield every valid lease."""
        for path in self.folder.glob("[!.]*"):
            lease = self._read(path)
            if lease is not None and lease.owner and not lease.is_void:
                yield lease

    def _create(self, lease: Lease) -> bool:
        """Create the file of a lease, whole from the start; of two that try, one succeeds."""
        self._beaten_s[lease.run_id] = time.monotonic()
        return create_record(self.folder / lease.run_id, lease)

    def _take_over(self, lease: Lease) -> bool:
        """Take a lease over from a dead owner; of two that try, one succeeds."""
        held = self._read(self.folder / lease.run_id)
        if held is not None and not held.is_void:
            return False
        try:
            with exclusive(self._lock):
                held = self._read(self.folder / lease.run_id)
                if held is None and (self.folder / lease.run_id).is_symlink():
                    (self.folder / lease.run_id).unlink(missing_ok=True)  # it leads nowhere
                elif held is None or not held.is_void:
                    return False
                self._write(lease)
                return True
        except HeldError:
            return False

    def _beat(self, lease: Lease) -> None:
        """Renew the lease of a run; if the disk is full, by the time of its file alone."""
        if not self._ours(lease):
            del self._mine[lease.run_id]
            raise StopRunError
        try:
            self._write(lease)
        except StoreError:
            self._beaten_s[lease.run_id] = time.monotonic()
            with suppress(OSError):
                os.utime(self.folder / lease.run_id)

    def _ours(self, lease: Lease) -> bool:
        """Return whether no other process has taken the lease over."""
        held = read_record(Lease, self.folder / lease.run_id)
        return held is None or held.owner == lease.owner

    def _write(self, lease: Lease) -> None:
        self._beaten_s[lease.run_id] = time.monotonic()
        write_record(self.folder / lease.run_id, lease)

    def _read(self, path: Path) -> Lease | None:
        try:
            status = path.stat()
        except OSError:
            return None
        lease = read_record(Lease, path) or Lease(path.name, "", status.st_mtime)
        now_s = self._clock.now_s()
        lease.for_s, lease.silent_s = now_s - lease.since_s, now_s - status.st_mtime
        return lease


def read_time_ns(path: Path) -> int:
    """Return when a file was written, 0 if it is missing."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


#: Crashes of a run's process, and losses together with the campaign, after which it is set aside.
DEATHS, LOSSES = 2, 5


@dataclass(frozen=True)
class Attempt:
    """A start of a run: its process, its snapshot, and the cause of its death."""

    by: str
    snapshot: int
    cause: str = ""


@dataclass(frozen=True)
class _History:
    attempts: tuple[Attempt, ...] = ()


class Attempts:
    """The attempts at the runs of a store."""

    def __init__(self, store: Path) -> None:
        self.folder, self._snapshots = store / "attempts", store / "snapshots"

    def begin(self, run_id: str) -> None:
        """Record an attempt. Raises CrashedRunError if the run is set aside."""
        self.judge(run_id)
        since = self._snapshot(run_id)
        kept = [one for one in self._of(run_id) if one.cause or one.snapshot == since]
        self._write(run_id, (*kept, Attempt(here(), since)))

    def end(self, run_id: str) -> None:
        """Remove the attempts of a run that returned."""
        self._file(run_id).unlink(missing_ok=True)

    def forget_deaths(self, run_id: str) -> None:
        """Remove the deaths that an earlier campaign saw, which may have been killed with them."""
        attempts = self._of(run_id)
        kept = tuple(one for one in attempts if not one.cause)
        if len(kept) < len(attempts):
            self._write(run_id, kept)

    def note_death(self, run_id: str, by: str, cause: str) -> None:
        """Record the cause of the death of an attempt's process."""
        others = [one for one in self._of(run_id) if one.by != by]
        self._write(run_id, (*others, Attempt(by, self._snapshot(run_id), cause)))

    def judge(self, run_id: str) -> None:
        """Raise CrashedRunError if a run crashed its process too often."""
        attempts = self._of(run_id)
        causes = [one.cause for one in attempts if one.cause]
        if len(causes) >= DEATHS:
            raise CrashedRunError(f"crashed its process {len(causes)} times: {causes[-1]}")
        lost = [one for one in attempts if one.snapshot == self._snapshot(run_id)]
        if len(lost) >= LOSSES:
            raise CrashedRunError(
                f"was running each of the {len(lost)} times that its process and the campaign died"
            )

    def find_unfinished(self) -> set[str]:
        """Return the runs with attempts that did not return."""
        return {path.stem for path in self.folder.glob("[!.]*.json")}

    def _of(self, run_id: str) -> tuple[Attempt, ...]:
        return (read_record(_History, self._file(run_id)) or _History()).attempts

    def _write(self, run_id: str, attempts: tuple[Attempt, ...]) -> None:
        write_record(self._file(run_id), _History(attempts), durable=True)

    def _file(self, run_id: str) -> Path:
        return self.folder / f"{run_id}.json"

    def _snapshot(self, run_id: str) -> int:
        return read_time_ns(self._snapshots / run_id)
