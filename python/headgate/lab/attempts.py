"""Attempts at runs, written down before they begin: what took its process down is known by them.

An attempt that comes back, with whatever outcome, is struck out. One that does not has a cause if
somebody saw its process die, and none if all went down with it: a kill, a power cut, or a run that
takes everything along. A run with too many of either is set aside. A campaign counts the deaths
that it saw, and the losses of all campaigns. Losses before the last snapshot do not count, for the
run gets on.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headgate.base.errors import CrashedRunError
from headgate.base.process import here
from headgate.lab.records import read_record, write_record

#: How often a run may take its process down, and be lost with everything else, from one place on.
DEATHS, LOSSES = 2, 5


@dataclass(frozen=True)
class Attempt:
    """A start of a run: whose, from which snapshot on, and what its process died of."""

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
        """Write an attempt down. Raises CrashedRunError if the run was to be set aside."""
        self.judge(run_id)
        since = self._snapshot(run_id)
        kept = [one for one in self._of(run_id) if one.cause or one.snapshot == since]
        self._write(run_id, (*kept, Attempt(here(), since)))

    def end(self, run_id: str) -> None:
        """Strike out what came back."""
        self._file(run_id).unlink(missing_ok=True)

    def forget_deaths(self, run_id: str) -> None:
        """Strike out the deaths that an earlier campaign saw: it may have been killed with them."""
        attempts = self._of(run_id)
        kept = tuple(one for one in attempts if not one.cause)
        if len(kept) < len(attempts):
            self._write(run_id, kept)

    def note_death(self, run_id: str, by: str, cause: str) -> None:
        """Write down what the process of an attempt died of."""
        others = [one for one in self._of(run_id) if one.by != by]
        self._write(run_id, (*others, Attempt(by, self._snapshot(run_id), cause)))

    def judge(self, run_id: str) -> None:
        """Raise CrashedRunError if a run took its process down too often."""
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
        """Name the runs with attempts that did not come back."""
        return {path.stem for path in self.folder.glob("[!.]*.json")}

    def _of(self, run_id: str) -> tuple[Attempt, ...]:
        return (read_record(_History, self._file(run_id)) or _History()).attempts

    def _write(self, run_id: str, attempts: tuple[Attempt, ...]) -> None:
        write_record(self._file(run_id), _History(attempts), durable=True)

    def _file(self, run_id: str) -> Path:
        return self.folder / f"{run_id}.json"

    def _snapshot(self, run_id: str) -> int:
        """Tell snapshots apart by when they were written; 0 if there is none."""
        try:
            return (self._snapshots / run_id).stat().st_mtime_ns
        except OSError:
            return 0
