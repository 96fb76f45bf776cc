"""All claims from stored results: what was found, judged by the claims as they stand now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headgate.errors import HeadgateError
from headgate.experiment.runner import basis_of
from headgate.experiment.scales import scale_name
from headgate.experiment.stored import Basis, Found, StoredResults
from headgate.studies.ask import ask
from headgate.studies.names import names
from headgate.studies.study import load
from headgate.verdicts import Judged, judge

#: Which of several stored scales tells most; shares of the full size stand before all of them.
ORDER = ("quick", "corners", "standard", "full")


@dataclass(frozen=True)
class StoredStudy:
    """A study's claims by its stored findings, and why these are stale, if they are."""

    study: str
    scale: str
    claims: tuple[Judged, ...]
    basis: Basis
    stale: str

    def as_json(self) -> dict[str, object]:
        """Return the object that `--json` prints."""
        return {
            "study": self.study,
            "scale": self.scale,
            "claims": [claim.model_dump(mode="json") for claim in self.claims],
            "stale": self.stale,
            **vars(self.basis),
        }


def read_stored(results: Path, scale: str | None = None) -> list[StoredStudy]:
    """Judge all studies that have stored findings, by the largest scale unless one is given.

    A study that has none at that scale is judged by its largest all the same. Raises HeadgateError
    where there are none.
    """
    found = {name: read for name in names() if (read := _read_study(results, name))}
    if not any(scale in (None, *read) for read in found.values()):
        of = f" at scale {scale}" if scale else ""
        raise HeadgateError(
            f"{results}: holds no stored findings{of}; `headgate reproduce --run` makes them, and"
            f" `headgate study NAME --results {results}` those of one study"
        )
    return [_judge(name, read, scale) for name, read in found.items()]


def _read_study(results: Path, name: str) -> dict[str, Found]:
    """Return what is stored of a study, by scale."""
    return {
        path.name: found
        for path in sorted((results / name).glob("*"))
        if (found := StoredResults(path).read()) is not None
    }


def _rank(scale: str) -> int:
    return ORDER.index(scale) if scale in ORDER else -1


def _judge(study: str, stored: Mapping[str, Found], scale: str | None) -> StoredStudy:
    chosen = scale if scale and scale in stored else max(stored, key=_rank)
    asked, found = ask(study, chosen.replace("-", "/")), stored[chosen]
    claims = tuple(
        judge(claim, found.estimates, scale_name(asked.scale), found.basis.cpu_s)
        for claim in load(study).claims
    )
    return StoredStudy(study, asked.scale, claims, found.basis, found.basis.stale(basis_of(asked)))
