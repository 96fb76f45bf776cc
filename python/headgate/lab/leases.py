"""Who works on which run: a file a run in hand, which its owner writes again each second.

A run in hand elsewhere is left to its owner, so that several campaigns, shards or machines share a
store without doing a run twice. A lease whose owner is dead or silent is anybody's. How long it has
been silent is known by the file's age on the clock of the store, never by clocks of machines.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Annotated

from pydantic import Field, FiniteFloat, NonNegativeInt

from headgate.base.errors import StoreError, explain_os
from headgate.base.process import HeldError, exclusive, here, is_dead
from headgate.engine.run.progress import Progress, StopRunError
from headgate.lab.clock import Clock
from headgate.lab.jobs import Job
from headgate.lab.records import read_record, write_record

#: Wall time between two signs of life, and how long without one until a lease is void.
BEAT_S, SILENT_S = 1.0, 60.0
#: How often an owner is looked at that shows no sign of life, until it is ended.
STUCK_LOOKS = 600


@dataclass
class Lease:
    """A run in hand: by whom, since when on the store's clock, and how far.

    What a reader adds: for how long, and for how long without a sign of life.
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
    def void(self) -> bool:
        """Whether its owner is dead, or nobody can have renewed it: the time is to come."""
        return is_dead(self.owner) or abs(self.silent_s) > SILENT_S


class Leases:
    """The leases of a store."""

    def __init__(self, store: Path) -> None:
        self.folder = store / "running"
        self._lock = store / ".lock"
        self._clock = Clock(store)
        self._mine: dict[str, Lease] = {}
        self._beaten_s: dict[str, float] = {}

    def take(self, job: Job) -> bool:
        """Take a lease on a run; say no if another has it."""
        lease = Lease(job.id, here(), self._clock.now_s(), labels=dict(job.labels))
        if not (self._create(lease) or self._take_over(lease)):
            return False
        self._mine[job.id] = lease
        return True

    def note(self, run_id: str, now: Progress) -> None:
        """Say how far a run of ours is, each second. Raises StopRunError if it is not ours now."""
        lease = self._mine.get(run_id)
        if lease is None:  # a second copy has no lease
            return
        lease.share, lease.packet_hops = now.share, now.packet_hops
        if time.monotonic() - self._beaten_s[run_id] >= BEAT_S:
            self._beat(lease)

    @contextmanager
    def renewing(self, run_id: str) -> Iterator[None]:
        """Renew the lease of a run of ours each second, while nothing reports how far it is."""
        ended = Event()

        def renew() -> None:
            while not ended.wait(BEAT_S):
                lease = self._mine.get(run_id)
                if lease is not None and self._ours(lease):
                    with suppress(OSError):
                        os.utime(self.folder / run_id)

        thread = Thread(target=renew, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def watch(self, run_id: str) -> Callable[[str], bool]:
        """Return a function to call each second; it says whether an owner's lease stands still.

        It counts calls, so that neither clocks nor a machine that slept can mislead it.
        """
        path, seen_ns, looks = self.folder / run_id, 0, 0

        def is_stuck(owner: str) -> bool:
            nonlocal seen_ns, looks
            held = read_record(Lease, path)
            renewed_ns = _modified_ns(path)
            same = held is not None and held.owner == owner and renewed_ns == seen_ns
            seen_ns, looks = renewed_ns, looks + 1 if same else 0
            return looks >= STUCK_LOOKS

        return is_stuck

    def drop(self, run_id: str) -> None:
        """Release a run of ours, finished or not."""
        lease = self._mine.pop(run_id, None)
        if lease is not None and self._ours(lease):
            (self.folder / run_id).unlink(missing_ok=True)

    def remove_dead(self, run_id: str, owner: str) -> None:
        """Remove the lease of an owner that was seen to die."""
        held = read_record(Lease, self.folder / run_id)
        if held is not None and held.owner == owner:
            (self.folder / run_id).unlink(missing_ok=True)

    def all(self) -> Iterator[Lease]:
        """Yield every lease whose owner is there, and has said who it is."""
        for path in self.folder.glob("[!.]*"):
            lease = self._read(path)
            if lease is not None and lease.owner and not lease.void:
                yield lease

    def _create(self, lease: Lease) -> bool:
        """Make the file of a lease; of two that try, one succeeds."""
        try:
            self.folder.mkdir(exist_ok=True)
            os.close(os.open(self.folder / lease.run_id, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            return False
        except OSError as error:
            raise StoreError(f"{self.folder}: cannot be written: {explain_os(error)}") from None
        try:
            self._write(lease)
        except StoreError:
            (self.folder / lease.run_id).unlink(missing_ok=True)
            raise
        return True

    def _take_over(self, lease: Lease) -> bool:
        """Take a lease over from a dead owner; of two that try, one succeeds."""
        held = self._read(self.folder / lease.run_id)
        if held is not None and not held.void:
            return False
        try:
            with exclusive(self._lock):
                held = self._read(self.folder / lease.run_id)
                if held is None and (self.folder / lease.run_id).is_symlink():
                    (self.folder / lease.run_id).unlink(missing_ok=True)  # it leads nowhere
                elif held is None or not held.void:
                    return False
                self._write(lease)
                return True
        except HeldError:
            return False

    def _beat(self, lease: Lease) -> None:
        """Renew the lease of a run; where the disk is full, by the time of its file alone."""
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
        """Say whether nobody has taken it over, as others do when its owner has been silent."""
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


def _modified_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
