"""Stored results of a finished study: the tables that are read of its runs, and the findings.

    RESULTS/NAME/SCALE/PIECE/*.parquet    runs (`headgate.lab.packed`)
    RESULTS/NAME/SCALE/findings.parquet   the number behind each claim, and its basis

Numbers are stored, not verdicts: verdicts follow from the present claims. Findings are stale as
soon as the study would make other runs, or analyse them otherwise. Everything that the report reads
is stored while it is small. Of larger studies, only the data of the claims is stored:
`headgate reproduce` computes every value from it, and a report makes the runs again.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from headgate.base.errors import StoreError
from headgate.base.progress import count_slow_steps
from headgate.base.version import RESULTS, __version__, number_results
from headgate.claims.verdicts import Estimate, Sample
from headgate.data.parquet import read_columns, write_table
from headgate.data.tables import Table, Words
from headgate.engine.api import Result
from headgate.experiment.runs import Key, Runs
from headgate.lab.jobs import Job
from headgate.lab.packed import PackedRuns
from headgate.lab.reads import Reads

FINDINGS = "findings"
#: Its columns of text; the others contain numbers.
TEXTS = ("claim", "unit", "note")
#: The largest size in bytes of the stored data of a report.
REPORT_BYTES = 4_000_000
#: Bytes of tables that are in memory together, and become one piece.
AT_ONCE_BYTES = 400_000_000
#: Key and value in the run.json of a stored run that contains only the data of the claims.
ONLY, CLAIMS = "stored_for", "claims"


@dataclass(frozen=True)
class Basis:
    """The basis of findings: the runs, the analysis, and their cost."""

    runs_hash: str
    code_hash: str
    runs: int
    cpu_s: float
    results: int = RESULTS
    date: str = ""
    version: str = __version__

    def stale(self, now: Basis) -> str:
        """Return why the findings are out of date; "" if they are not."""
        if self.results != now.results:
            return f"results have changed since (their number was {self.results}, is {now.results})"
        if self.runs_hash != now.runs_hash:
            return "its runs are others now"
        return "" if self.code_hash == now.code_hash else "its analysis has changed"


@dataclass(frozen=True)
class StoredFindings:
    """The findings of a study at one scale, by claim, and their basis."""

    estimates: Mapping[str, Estimate]
    basis: Basis


@dataclass(frozen=True)
class StoredResults:
    """The folder of one study and scale."""

    folder: Path

    @cached_property
    def runs(self) -> PackedRuns:
        """The stored runs."""
        return PackedRuns(self.folder)

    def write(self, estimates: Mapping[str, Estimate], basis: Basis) -> None:
        """Write findings in place of the present ones. Raises StoreError.

        The same findings of the same runs keep their date, however often they are analysed, and by
        whichever code.
        """
        rows = _rows_of(estimates)
        stored = self._find_same(rows, basis)
        if stored is not None and replace(stored, date="") == basis:
            return
        date = time.strftime("%Y-%m-%d") if stored is None else stored.date
        columns = {
            name: Words.of(values) if name in TEXTS else np.array(values)
            for name, values in rows.items()
        }
        table = Table(FINDINGS, columns).labelled(vars(basis) | {"date": date})
        write_table(self.folder / f"{FINDINGS}.parquet", table)

    def _find_same(self, rows: Mapping[str, Sequence[Any]], basis: Basis) -> Basis | None:
        """Return the basis of the present findings if they are the same, of the same runs."""
        try:
            stored = self.read()
        except StoreError:  # a damaged file is replaced
            return None
        if stored is None or _runs_of(stored.basis) != _runs_of(basis):
            return None
        same = json.dumps(_rows_of(stored.estimates)) == json.dumps(rows)  # NaN equals NaN
        return stored.basis if same else None

    def read(self) -> StoredFindings | None:
        """Read the findings; None if there are none. Raises StoreError."""
        path = self.folder / f"{FINDINGS}.parquet"
        if not path.is_file():
            return None
        columns = read_columns(path)
        try:
            rows: dict[str, list[Any]] = {
                name: (column.texts() if isinstance(column, Words) else column).tolist()
                for name, column in columns.items()
            }
            rows.setdefault("decided", [1] * len(rows["claim"]))  # files of earlier versions
            basis = Basis(**{name: rows[name][0] for name in Basis.__dataclass_fields__})
            return StoredFindings(dict(_estimates(rows)), basis)
        except (KeyError, IndexError) as error:
            raise StoreError(f"{path}: contains no findings ({error} is missing)") from None


def _runs_of(basis: Basis) -> tuple[str, int, int]:
    return basis.runs_hash, basis.runs, basis.results


def _rows_of(estimates: Mapping[str, Estimate]) -> dict[str, list[Any]]:
    found = estimates.values()
    ends = [one.ci or (math.nan, math.nan) for one in found]
    return {
        "claim": list(estimates),
        "ours": [float(one.ours) for one in found],
        "low": [float(low) for low, _ in ends],
        "high": [float(high) for _, high in ends],
        "count": [one.sample.count if one.sample else 0 for one in found],
        "unit": [one.sample.unit if one.sample else "" for one in found],
        "note": [one.note for one in found],
        "decided": [int(one.decided) for one in found],
    }


def _estimates(rows: Mapping[str, Sequence[Any]]) -> Iterable[tuple[str, Estimate]]:
    names = ("claim", "ours", "low", "high", "count", "unit", "note", "decided")
    for claim, ours, low, high, count, unit, note, decided in zip(
        *(rows[name] for name in names), strict=True
    ):
        ci = None if math.isnan(low) else (low, high)
        sample = Sample(count=count, unit=unit) if count else None
        yield claim, Estimate(ours=ours, ci=ci, sample=sample, note=note, decided=bool(decided))


def hash_runs(jobs: Iterable[Job]) -> str:
    """Return a hash that changes when a study makes other runs; no network is laid out.

    Keys with their defaults are excluded, so that a new key changes no hash. A default that changes
    results changes `RESULTS` or `RESULTS_OF`.
    """
    scenarios = (
        job.scenario.model_dump_json(exclude={"title"}, exclude_defaults=True) for job in jobs
    )
    return _hash(sorted(text + _number_parts(text) for text in scenarios))


def _number_parts(text: str) -> str:
    """Return the numbers of the results of single parts; `RESULTS` itself is stored beside."""
    _, *of_parts = number_results(text.lower())
    return json.dumps(of_parts) if of_parts else ""


def hash_code(paths: Iterable[Path], questions: Iterable[str]) -> str:
    """Return a hash that changes with any of these files, or with the questions of claims."""
    return _hash(
        [*(path.read_text(encoding="utf-8") for path in sorted(paths)), *filter(None, questions)]
    )


def _hash(texts: Iterable[str]) -> str:
    total = hashlib.sha256()
    for text in texts:
        total.update(hashlib.sha256(text.encode()).digest())
    return total.hexdigest()[:16]


@dataclass(frozen=True)
class ReadRuns:
    """The runs of a study, with a record of the data that is read of them."""

    runs: Runs
    identities: Mapping[Key, str]
    reads: Reads = field(default_factory=Reads)

    @property
    def watched(self) -> Runs:
        """The same runs; they record the data that is read of them."""
        results = self.runs.results.items()
        watched = {key: self.reads.watch(self.identities[key], one) for key, one in results}
        return replace(self.runs, results=watched)

    @property
    def count(self) -> int:
        """The number of runs; two conditions may be the same run."""
        return len({self.identities[key] for key in self.runs.results})

    def trim(self) -> Iterator[tuple[str, Result]]:
        """Yield each run with only the data that was read of it."""
        results = {self.identities[key]: one for key, one in self.runs.results.items()}
        return ((run, self.reads.trim(run, one)) for run, one in results.items())


def store_runs(
    packed: PackedRuns, read: ReadRuns, find: Callable[[Runs], Mapping[str, Estimate]]
) -> None:
    """Store the data that an analysis read of its runs; if it is too large, that of `find`."""
    if _are_stored(packed, read):
        return
    count = read.count
    with count_slow_steps("storing", count, "runs") as step:
        if packed.replace(_split(read.trim(), step), REPORT_BYTES):
            return
    of_claims = ReadRuns(read.runs, read.identities)
    find(of_claims.watched)
    marked = (
        (run, Result(one.tables, {**one.meta, ONLY: CLAIMS})) for run, one in of_claims.trim()
    )
    with count_slow_steps("storing the data of the claims", count, "runs") as step:
        packed.replace(_split(marked, step))


def _are_stored(packed: PackedRuns, read: ReadRuns) -> bool:
    return len(packed) == read.count and all(
        _is_stored(packed, run, one) for run, one in read.trim()
    )


def serves_reports(result: Result) -> bool:
    """Return whether a stored run contains more than the data of the claims."""
    return result.meta.get(ONLY) != CLAIMS


def _is_stored(packed: PackedRuns, run: str, trimmed: Result) -> bool:
    """Return whether a run is stored with exactly these tables and columns."""
    stored = packed.read(run)
    return stored is not None and _columns(stored) == _columns(trimmed)


def _columns(result: Result) -> dict[str, tuple[str, ...]]:
    return {name: result.tables[name].columns for name in result.tables}


def _split(
    results: Iterable[tuple[str, Result]], step: Callable[[], None]
) -> Iterator[dict[str, Result]]:
    """Split runs into parts of at most `AT_ONCE_BYTES`, or of one run; call `step` after each run.

    Only the runs of one part are in memory.
    """
    part: dict[str, Result] = {}
    total = 0
    for run, result in results:
        size = sum(table.nbytes for table in result.tables.values())
        if part and total + size > AT_ONCE_BYTES:
            yield part
            part, total = {}, 0
        part[run] = result
        total += size
        step()
    if part:
        yield part
