"""The claims of all studies, judged by stored results and by the present claims."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from headgate.base.errors import HeadgateError, NotStoredError
from headgate.claims.verdicts import Estimate, JudgedClaim, judge
from headgate.experiment.packages import find_studies
from headgate.experiment.runner import StudyRun, basis_of, read_finished
from headgate.experiment.runs import scale_name
from headgate.experiment.stored import Basis, StoredFindings, StoredResults
from headgate.experiment.study.study import load, plan_study

#: The scales by size. Shares of the full size are smaller than all of them.
ORDER = ("quick", "corners", "standard", "full")
#: The relative difference up to which values are equal: sums may be in another order.
EQUAL = 1e-9


@dataclass(frozen=True)
class StoredStudy:
    """A study's claims, judged by its stored results."""

    study: str
    scale: str
    claims: tuple[JudgedClaim, ...]
    basis: Basis
    stale: str
    """Why the stored results are out of date, or ""."""
    computed: bool = False
    """Whether the values were computed from the stored runs, or read from the findings."""
    moved: tuple[str, ...] = ()
    """The claims whose computed value differs from the stored one."""
    lacking: str = "its runs are not stored"
    """Why the values were not computed."""

    def describe_values(self) -> str:
        """Name the source of the values, and the claims whose values moved."""
        if not self.computed:
            return f"values from the stored findings, because {self.lacking}"
        known = [claim for claim in self.claims if claim.ours is not None]
        other = f"; different from the findings: {', '.join(self.moved)}" if self.moved else ""
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
    """Judge all studies by their stored findings of one scale, or of the largest scale.

    A study without findings at that scale is judged by its largest one. Raises HeadgateError if
    there are no findings.
    """
    return [_judge(asked, found.basis, found.estimates) for asked, found in _chosen(results, scale)]


def compute_stored(
    results: Path, scale: str | None = None, update: bool = False
) -> Iterator[StoredStudy]:
    """Compute every value from the stored runs of each study, one study after the other.

    The stored findings are used for studies whose runs are missing or incomplete. With `update`,
    the computed values replace the stored findings. Raises HeadgateError if there are no findings.
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
            yield replace(as_found, lacking=f"a claim reads data that is not stored ({lacking})")
            continue
        now = basis_of(asked, found.basis.cpu_s)
        basis = replace(now, results=found.basis.results, runs_hash=found.basis.runs_hash)
        if update and asked.stored is not None:
            asked.stored.write(values, basis)
        judged = _judge(asked, replace(basis, date=found.basis.date), values)
        yield replace(judged, computed=True, moved=tuple(_moved(found.estimates, values)))


def _moved(before: Mapping[str, Estimate], now: Mapping[str, Estimate]) -> Iterator[str]:
    """Yield the claims whose value or interval differs from the stored one."""
    for claim, found in now.items():
        stored = before.get(claim)
        if stored is None or not all(
            map(_are_equal, (stored.ours, *stored.interval), (found.ours, *found.interval))
        ):
            yield claim


def _are_equal(one: float, other: float) -> bool:
    both_missing = math.isnan(one) and math.isnan(other)
    return both_missing or one == other or math.isclose(one, other, rel_tol=EQUAL, abs_tol=EQUAL)


def _chosen(results: Path, scale: str | None) -> list[tuple[StudyRun, StoredFindings]]:
    """Return each study with its findings at this scale, or at the largest one."""
    found = {name: read for name in find_studies() if (read := _read_study(results, name))}
    if not any(scale in (None, *read) for read in found.values()):
        of = f" at scale {scale}" if scale else ""
        raise HeadgateError(
            f"{results}: contains no stored findings{of}; `headgate reproduce --run` makes them,"
            f" and `headgate study NAME --results {results}` those of one study"
        )
    scales = {name: scale if scale in read else max(read, key=rank) for name, read in found.items()}
    return [
        (plan_study(name, one.replace("-", "/"), results=results), found[name][one])
        for name, one in scales.items()
        if one
    ]


def _read_study(results: Path, name: str) -> dict[str, StoredFindings]:
    """Return the stored findings of a study, by scale."""
    return {
        path.name: found
        for path in sorted((results / name).glob("*"))
        if (found := StoredResults(path).read()) is not None
    }


def rank(scale: str) -> int:
    """Return the rank of a scale by its size."""
    return ORDER.index(scale) if scale in ORDER else -1


def _judge(asked: StudyRun, basis: Basis, estimates: Mapping[str, Estimate]) -> StoredStudy:
    claims = tuple(
        judge(claim, estimates, scale_name(asked.scale), basis.cpu_s)
        for claim in load(asked.study.name).claims
    )
    stale = basis.stale(basis_of(asked, runs=basis.runs))
    return StoredStudy(asked.study.name, asked.scale, claims, basis, stale)
