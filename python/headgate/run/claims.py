"""Who works on which run: a file a run in hand, which its owner writes again each second.

A run in hand elsewhere is left to its owner, so that several campaigns, shards or machines share a
store without doing a run twice. A claim whose owner is dead or silent is anybody's. Two may still
take the same run in a rare race; both then write the same result, and the first one wins.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from headgate.errors import StoreError
from headgate.run.folder import write_bytes
from headgate.run.plan import Job
from headgate.run.process import dead, here
from headgate.run.progress import Progress

#: Wall time between two signs of life, and how long without one until a claim is void.
BEAT_S, SILENT_S = 1.0, 60.0


@dataclass
class Claim:
    """A run in hand: by whom, since when, how far, and when its owner last said so."""

    run_id: str
    owner: str
    since_s: float
    at_s: float
    share: float = 0.0
    packet_hops: int = 0
    labels: dict[str, str | int | float] = field(default_factory=dict)

    @property
    def void(self) -> bool:
        """Whether its owner is gone."""
        return dead(self.owner) or time.time() - self.at_s > SILENT_S


class Claims:
    """The claims of a store."""

    def __init__(self, store: Path) -> None:
        self.folder = store / "running"
        self._mine: dict[str, Claim] = {}

    def take(self, job: Job) -> bool:
        """Claim a run; say no if another has it."""
        now_s = time.time()
        claim = Claim(job.id, here(), now_s, now_s, labels=dict(job.labels))
        held = self._read(self.folder / job.id)
        if held is not None and not held.void:
            return False
        if held is None and not self._create(claim):
            return False
        self._mine[job.id] = claim
        self._write(claim)
        return True

    def note(self, run_id: str, now: Progress) -> None:
        """Say how far a run of ours is, once a second."""
        claim = self._mine.get(run_id)
        if claim is None:  # a second copy has no claim
            return
        claim.share, claim.packet_hops = now.share, now.packet_hops
        if time.time() - claim.at_s >= BEAT_S:
            claim.at_s = time.time()
            self._write(claim)

    def drop(self, run_id: str) -> None:
        """Give a run of ours back, finished or not."""
        if self._mine.pop(run_id, None) is not None:
            (self.folder / run_id).unlink(missing_ok=True)

    def all(self) -> Iterator[Claim]:
        """Give every claim whose owner is there."""
        for path in self.folder.glob("[!.]*"):
            claim = self._read(path)
            if claim is not None and not claim.void:
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
        return True

    def _write(self, claim: Claim) -> None:
        write_bytes(self.folder / claim.run_id, json.dumps(asdict(claim)).encode(), durable=False)

    def _read(self, path: Path) -> Claim | None:
        try:
            text = path.read_text(encoding="utf-8")
            age_s = time.time() - path.stat().st_mtime
        except FileNotFoundError:
            return None
        try:
            return Claim(**json.loads(text))
        except (ValueError, TypeError):  # made a moment ago and not yet written, or cut short
            return Claim(path.name, "", 0.0, time.time() - age_s)
