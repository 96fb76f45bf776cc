"""All claims from stored results: what was found, judged by the claims as they stand now."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from headgate.base.errors import HeadgateError, NotStoredError
from headgate.claims.verdicts import Estimate, JudgedClaim, judge
from headgate.experiment.runner import StudyRun, basis_of, read_finished
from headgate.experiment.scales import scale_name
from headgate.experiment.stored import Basis, Found, StoredResults
from headgate.experiment.study.ask import ask
from headgate.experiment.study.names import names
from headgate.experiment.study.study import load

#: Which of several stored scales tells most; shares of the full size stand before all of them.
ORDER = ("quick", "corners", "standard", "full")
#: Values that differ by less, relative to their size, are equal: sums in another order.
EQUAL = 1e-9


@dataclass(frozen=True)
class StoredStudy:
    """A study's claims by what is stored of it."""

    study: str
    scale: str
    claims: tuple[JudgedClaim, ...]
    basis: Basis
    stale: str
    """Why the study would make other runs today, or form other values of them."""
    computed: bool = False
    """Whether the values were computed from the stored runs, and not read as they were found."""
    moved: tuple[str, ...] = ()
    """The claims whose computed value is not the stored one."""
    lacking: str = "its runs are not stored"
    """Why the values were not computed."""

    def describe_values(self) -> str:
        """Say where the values come from, and which are not those that were stored."""
        if not self.computed:
            return f"values as they were found, as {self.lacking}"
        known = [claim for claim in self.claims if claim.ours is not None]
        other = f"; not as stored: {', '.join(self.moved)}" if self.moved else ""
        return f"{len(known)} values computed from its stored runs{other}"

    def as_json(self) -> dict[str, object]:
        """Return the object that `--json` prints."""
        return {
            "study": self.study,
            "scale": self.scale,
            "claims": [claim.model_dump(mode="json") for claim in self.claims],
            "stale": self.stale,
            "computed": self.computed,
            "moved": self.moved,
            **vars(self.basis),
        }


def read_stored(results: Path, scale: str | None = None) -> list[StoredStudy]:
    """Judge all studies by their stored findings, of the largest scale unless one is given.

    A study that has none at that scale is judged by its largest all the same. Raises HeadgateError
    where there are none.
    """
    return [_judge(asked, found.basis, found.estimates) for asked, found in _chosen(results, scale)]


def compute_stored(
    results: Path, scale: str | None = None, update: bool = False
) -> Iterator[StoredStudy]:
    """Compute every value from the stored runs of each study, one study after the other.

    Findings of which no runs are stored, or too little of them, stand as they were found. With
    `update` the findings are written in place of those stored. Raises HeadgateError where there are
    none.
    """
    for asked, found in _chosen(results, scale):
        runs = read_finished(asked)
        if runs is None:
            yield _judge(asked, found.basis, found.estimates)
            continue
        try:
            values = load(asked.study.name).find(runs)
        except NotStoredError as lacking:
            as_found = _judge(asked, found.basis, found.estimates)
            yield replace(as_found, lacking=f"a claim asks more than is stored ({lacking})")
            continue
        now = basis_of(asked, found.basis.cpu_s)
        basis = replace(now, results=found.basis.results, runs_hash=found.basis.runs_hash)
        if update and asked.stored is not None:
            asked.stored.write(values, basis)
        judged = _judge(asked, replace(basis, date=found.basis.date), values)
        yield replace(judged, computed=True, moved=tuple(_moved(found.estimates, values)))


def _moved(before: Mapping[str, Estimate], now: Mapping[str, Estimate]) -> Iterator[str]:
    """Give the claims whose value or interval is not the stored one."""
    for claim, found in now.items():
        stored = before.get(claim)
        if stored is None or not all(map(_equal, _numbers(stored), _numbers(found))):
            yield claim


def _numbers(found: Estimate) -> tuple[float, ...]:
    return (found.ours, *found.interval)


def _equal(one: float, other: float) -> bool:
    both_missing = math.isnan(one) and math.isnan(other)
    return both_missing or one == other or math.isclose(one, other, rel_tol=EQUAL, abs_tol=EQUAL)


def _chosen(results: Path, scale: str | None) -> list[tuple[StudyRun, Found]]:
    """Return each study that has findings at the scale that is told of, and these."""
    found = {name: read for name in names() if (read := _read_study(results, name))}
    if not any(scale in (None, *read) for read in found.values()):
        of = f" at scale {scale}" if scale else ""
        raise HeadgateError(
            f"{results}: holds no stored findings{of}; `headgate reproduce --run` makes them, and"
            f" `headgate study NAME --results {results}` those of one study"
        )
    scales = {name: scale if scale in read else max(read, key=rank) for name, read in found.items()}
    return [
        (ask(name, one.replace("-", "/"), results=results), found[name][one])
        for name, one in scales.items()
        if one
    ]


def _read_study(results: Path, name: str) -> dict[str, Found]:
    """Return what is stored of a study, by scale."""
    return {
        path.name: found
        for path in sorted((results / name).glob("*"))
        if (found := StoredResults(path).read()) is not None
    }


def rank(scale: str) -> int:
    """Return the place of a scale among all: a larger one says more."""
    return ORDER.index(scale) if scale in ORDER else -1


def _judge(asked: StudyRun, basis: Basis, estimates: Mapping[str, Estimate]) -> StoredStudy:
    claims = tuple(
        judge(claim, estimates, scale_name(asked.scale), basis.cpu_s)
        for claim in load(asked.study.name).claims
    )
    stale = basis.stale(basis_of(asked))
    return StoredStudy(asked.study.name, asked.scale, claims, basis, stale)
