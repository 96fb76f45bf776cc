"""Which parts of the runs of a finished study are stored for others: those that are read.

All that the report reads is stored while it is small. Of larger studies only what the claims read
is stored: `headgate reproduce` computes every value from it, and a report makes the runs again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from headgate.claims.verdicts import Estimate
from headgate.engine.api import Result
from headgate.experiment.runs import Key, Runs
from headgate.lab.packed import PackedRuns
from headgate.lab.reads import Reads

#: Bytes of files that all which the report of a study reads may take.
REPORT_BYTES = 4_000_000
#: Tables that are in memory together, and become one piece.
AT_ONCE_BYTES = 400_000_000
#: What run.json of a stored run says in `ONLY` if it has no more than the claims read.
ONLY, CLAIMS = "stored_for", "claims"

Find = Callable[[Runs], Mapping[str, Estimate]]


@dataclass(frozen=True)
class ReadRuns:
    """The runs of a study, and what is read of them."""

    runs: Runs
    identities: Mapping[Key, str]
    reads: Reads = field(default_factory=Reads)

    @property
    def watched(self) -> Runs:
        """The same runs, which note what is read of them."""
        results = self.runs.results.items()
        watched = {key: self.reads.watch(self.identities[key], one) for key, one in results}
        return replace(self.runs, results=watched)

    def trim(self) -> Iterator[tuple[str, Result]]:
        """Give each run with nothing but what was read of it."""
        results = {self.identities[key]: one for key, one in self.runs.results.items()}
        return ((run, self.reads.trim(run, one)) for run, one in results.items())


def store_runs(packed: PackedRuns, read: ReadRuns, find: Find) -> None:
    """Store what an analysis has read of its runs, or what `find` reads if that is too much."""
    trimmed = dict(read.trim())
    known = len(packed) == len(trimmed)
    if known and all(_is_stored(packed, run, one) for run, one in trimmed.items()):
        return
    if packed.replace(_split(trimmed)) <= REPORT_BYTES:
        return
    of_claims = ReadRuns(read.runs, read.identities)
    find(of_claims.watched)
    marked = {run: _mark(one) for run, one in of_claims.trim()}
    packed.replace(_split(marked))


def serves_reports(result: Result) -> bool:
    """Say whether a stored run has more than what the claims read."""
    return result.meta.get(ONLY) != CLAIMS


def _mark(result: Result) -> Result:
    return Result(result.tables, {**result.meta, ONLY: CLAIMS})


def _is_stored(packed: PackedRuns, run: str, trimmed: Result) -> bool:
    """Say whether a run is stored with these very tables and columns."""
    stored = packed.read(run)
    return stored is not None and _columns(stored) == _columns(trimmed)


def _columns(result: Result) -> dict[str, tuple[str, ...]]:
    return {name: result.tables[name].columns for name in result.tables}


def _split(results: Mapping[str, Result]) -> Iterator[dict[str, Result]]:
    """Split runs into parts of at most so many bytes, or of one run."""
    part: dict[str, Result] = {}
    total = 0
    for run, result in results.items():
        size = sum(table.nbytes for table in result.tables.values())
        if part and total + size > AT_ONCE_BYTES:
            yield part
            part, total = {}, 0
        part[run] = result
        total += size
    if part:
        yield part
