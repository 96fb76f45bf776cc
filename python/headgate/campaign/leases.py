"""Who works on which run: a file a run in hand, which its owner writes again each second.

A run in hand elsewhere is left to its owner, so that several campaigns, shards or machines share a
store without doing a run twice. A claim whose owner is dead or silent is anybody's. How long it has
been silent is told by the file's age on the clock of the store, never by clocks of machines.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import FiniteFloat, NonNegativeInt

from headgate.campaign.clock import Clock
from headgate.campaign.jobs import Job
from headgate.campaign.records import read_record, write_record
from headgate.errors import StoreError
from headgate.run.lock import exclusive
from headgate.run.process import dead, here
from headgate.run.progress import Progress, StopRunError

#: Wall time between two signs of life, and how long without one until a claim is void.
BEAT_S, SILENT_S = 1.0, 60.0


@dataclass
class Claim:
    """A run in hand: by whom, since when on the store's clock, and how far.

    What a reader adds: for how long, and for how long without a sign of life.
    """

    run_id: str
    owner: str
    since_s: FiniteFloat
    share: FiniteFloat = 0.0
    packet_hops: NonNegativeInt = 0
    labels: dict[str, str | int | float] = field(default_factory=dict)
    for_s: FiniteFloat = 0.0
    silent_s: FiniteFloat = 0.0

    @property
    def void(self) -> bool:
        """Whether its owner is gone."""
        return dead(self.owner) or self.silent_s > SILENT_S


class Claims:
    """The claims of a store."""

    def __init__(self, store: Path) -> None:
        self.folder = store / "running"
        self._lock = store / ".lock"
        self._clock = Clock(store)
        self._mine: dict[str, Claim] = {}
        self._beaten_s: dict[str, float] = {}

    def take(self, job: Job) -> bool:
        """Claim a run; say no if another has it."""
        claim = Claim(job.id, here(), self._clock.now_s(), labels=dict(job.labels))
        if not (self._create(claim) or self._take_over(claim)):
            return False
        self._mine[job.id] = claim
        return True

    def note(self, run_id: str, now: Progress) -> None:
        """Say how far a run of ours is, each second. Raises StopRunError if it is not ours now."""
        claim = self._mine.get(run_id)
        if claim is None:  # a second copy has no claim
            return
        claim.share, claim.packet_hops = now.share, now.packet_hops
        if time.monotonic() - self._beaten_s[run_id] >= BEAT_S:
            self._beat(claim)

    def drop(self, run_id: str) -> None:
        """Give a run of ours back, finished or not."""
        claim = self._mine.pop(run_id, None)
        if claim is not None and self._ours(claim):
            (self.folder / run_id).unlink(missing_ok=True)

    def bury(self, run_id: str, owner: str) -> None:
        """Remove the claim of an owner that was seen to die."""
        held = read_record(Claim, self.folder / run_id)
        if held is not None and held.owner == owner:
            (self.folder / run_id).unlink(missing_ok=True)

    def all(self) -> Iterator[Claim]:
        """Give every claim whose owner is there, and has said who it is."""
        for path in self.folder.glob("[!.]*"):
            claim = self._read(path)
            if claim is not None and claim.owner and not claim.void:
                yield claim

    def _create(self, claim: Claim) -> bool:
        """Make the file of a claim; of two that try, one succeeds."""
        try:
            self.folder.mkdir(exist_ok=True)
            os.close(os.open(self.folder / claim.run_id, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            return False
        except OSError as error:
            raise StoreError(f"{self.folder}: cannot be written: {error.strerror}") from None
        try:
            self._write(claim)
        except StoreError:
            (self.folder / claim.run_id).unlink(missing_ok=True)
            raise
        return True

    def _take_over(self, claim: Claim) -> bool:
        """Take a claim from an owner who is gone; of two that try, one succeeds."""
        held = self._read(self.folder / claim.run_id)
        if held is not None and not held.void:
            return False
        with exclusive(self._lock):
            held = self._read(self.folder / claim.run_id)
            if held is None or not held.void:
                return False
            self._write(claim)
            return True

    def _beat(self, claim: Claim) -> None:
        """Give a sign of life; where there is no room to say how far, the file's time must do."""
        if not self._ours(claim):
            del self._mine[claim.run_id]
            raise StopRunError
        try:
            self._write(claim)
        except StoreError:
            self._beaten_s[claim.run_id] = time.monotonic()
            with suppress(OSError):
                os.utime(self.folder / claim.run_id)

    def _ours(self, claim: Claim) -> bool:
        """Say whether nobody has taken it over, as others do when its owner has been silent."""
        held = read_record(Claim, self.folder / claim.run_id)
        return held is None or held.owner == claim.owner

    def _write(self, claim: Claim) -> None:
        self._beaten_s[claim.run_id] = time.monotonic()
        write_record(self.folder / claim.run_id, claim)

    def _read(self, path: Path) -> Claim | None:
        try:
            status = path.stat()
        except OSError:
            return None
        claim = read_record(Claim, path) or Claim(path.name, "", status.st_mtime)
        now_s = self._clock.now_s()
        claim.for_s, claim.silent_s = now_s - claim.since_s, now_s - status.st_mtime
        return claim
