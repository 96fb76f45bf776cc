"""What a finished study leaves for others: the kept tables of its runs, and what was found.

    RESULTS/NAME/SCALE/PIECE/*.parquet    runs (`headgate.lab.packed`)
    RESULTS/NAME/SCALE/findings.parquet   the number behind each claim, and what it rests on

Numbers are kept, not verdicts: these follow from the claims as they stand now. What was found is
stale once the study would make other runs, or read them otherwise.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from headgate.base.errors import StoreError
from headgate.base.version import RESULTS, __version__
from headgate.claims.verdicts import Estimate, Sample
from headgate.data.parquet import read_columns, write_table
from headgate.data.tables import Table, Words
from headgate.lab.jobs import Job
from headgate.lab.packed import PackedRuns

FINDINGS = "findings"


@dataclass(frozen=True)
class Basis:
    """What findings rest on: which runs, what reads them, and what they cost."""

    runs_hash: str
    code_hash: str
    runs: int
    cpu_s: float
    results: int = RESULTS
    date: str = ""
    version: str = __version__

    def stale(self, now: Basis) -> str:
        """Say why the findings are not those of today; nothing if they are."""
        if self.results != now.results:
            return f"results have changed since (their number was {self.results}, is {now.results})"
        if self.runs_hash != now.runs_hash:
            return "its runs are others now"
        return "" if self.code_hash == now.code_hash else "its analysis has changed"


@dataclass(frozen=True)
class Found:
    """The findings of a study at one scale, by claim, and their basis."""

    estimates: Mapping[str, Estimate]
    basis: Basis


@dataclass(frozen=True)
class StoredResults:
    """The folder of one study and scale."""

    folder: Path

    @cached_property
    def runs(self) -> PackedRuns:
        """Its runs."""
        return PackedRuns(self.folder)

    def write(self, estimates: Mapping[str, Estimate], basis: Basis) -> None:
        """Write what was found, in place of what stands there. Raises StoreError."""
        rows = list(estimates.items())
        ends = [one.ci or (math.nan, math.nan) for _, one in rows]
        columns: dict[str, Any] = {
            "claim": Words.of([name for name, _ in rows]),
            "ours": np.array([one.ours for _, one in rows], dtype=float),
            "low": np.array([low for low, _ in ends], dtype=float),
            "high": np.array([high for _, high in ends], dtype=float),
            "count": np.array(
                [one.sample.count if one.sample else 0 for _, one in rows], dtype=int
            ),
            "unit": Words.of([one.sample.unit if one.sample else "" for _, one in rows]),
            "note": Words.of([one.note for _, one in rows]),
            "decided": np.array([one.decided for _, one in rows], dtype=int),
        }
        table = Table(FINDINGS, columns).labelled(vars(basis) | {"date": time.strftime("%Y-%m-%d")})
        write_table(self.folder / f"{FINDINGS}.parquet", table)

    def read(self) -> Found | None:
        """Read what was found, or None where nothing stands. Raises StoreError."""
        path = self.folder / f"{FINDINGS}.parquet"
        if not path.is_file():
            return None
        columns = read_columns(path)
        try:
            rows = {name: _plain(column) for name, column in columns.items()}
            rows.setdefault("decided", [1] * len(rows["claim"]))  # files of before
            basis = Basis(**{name: rows[name][0] for name in Basis.__dataclass_fields__})
            return Found(dict(_estimates(rows)), basis)
        except (KeyError, IndexError) as error:
            raise StoreError(f"{path}: holds no findings ({error} is missing)") from None


def _plain(column: Any) -> list[Any]:
    values = column.texts() if isinstance(column, Words) else column
    plain: list[Any] = values.tolist()
    return plain


def _estimates(rows: Mapping[str, Sequence[Any]]) -> Iterable[tuple[str, Estimate]]:
    names = ("claim", "ours", "low", "high", "count", "unit", "note", "decided")
    for claim, ours, low, high, count, unit, note, decided in zip(
        *(rows[name] for name in names), strict=True
    ):
        ci = None if math.isnan(low) else (low, high)
        sample = Sample(count=count, unit=unit) if count else None
        yield claim, Estimate(ours=ours, ci=ci, sample=sample, note=note, decided=bool(decided))


def hash_runs(jobs: Iterable[Job]) -> str:
    """Return what changes when a study makes other runs: cheap, as no network is laid out.

    Keys that have their defaults are left out, so that a new key makes no other runs; a default
    that changes results changes `RESULTS`.
    """
    told = sorted(
        job.scenario.model_dump_json(exclude={"title"}, exclude_defaults=True) for job in jobs
    )
    return _hash(told)


def hash_code(paths: Iterable[Path], asked: Iterable[str]) -> str:
    """Return what changes with any of these files, or with what claims ask."""
    return _hash(
        [*(path.read_text(encoding="utf-8") for path in sorted(paths)), *filter(None, asked)]
    )


def _hash(texts: Iterable[str]) -> str:
    total = hashlib.sha256()
    for text in texts:
        total.update(hashlib.sha256(text.encode()).digest())
    return total.hexdigest()[:16]
