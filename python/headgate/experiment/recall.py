"""The answer of a finished campaign, which is kept beside its report.

If neither the inputs nor the program, the stored runs, nor the files of the report have changed
since, the same command prints this answer at once: it reads no run, and analyses and draws nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from headgate.base.files import list_states
from headgate.base.optional import find_missing
from headgate.base.strict import Strict
from headgate.claims.verdicts import JudgedClaim
from headgate.experiment.report_key import FIGURES, PAGE, hash_program
from headgate.experiment.runner import StudyOutcome, StudyRun, choose_folder
from headgate.experiment.tables import rows_of
from headgate.figures.report.about import CLAIMS, TABLES
from headgate.lab.records import read_record, write_record

FILE = ".answer.json"
#: The tables of an experiment that a command prints.
PRINTED = ("means", "effects")
Cell = str | int | float | None
#: Size and time of files, by path.
States = dict[str, tuple[int, int]]


class Answer(Strict):
    """The printed part of a campaign: findings, claims, cost, and the tables of an experiment."""

    study: str
    sentences: tuple[str, ...]
    claims: tuple[JudgedClaim, ...]
    cpu_s: float
    packet_hops: int
    tables: Mapping[str, list[dict[str, Cell]]]
    folder: str
    report: str | None
    """The page; None if libraries for it are missing."""
    is_known: bool = False
    """Whether nothing has changed since the answer was found."""

    @classmethod
    def of(cls, outcome: StudyOutcome) -> Answer:
        """Return the answer of a campaign."""
        tables = {table.name: table for table in outcome.analysis.data}
        return cls(
            study=outcome.study,
            sentences=outcome.sentences,
            claims=outcome.claims,
            cpu_s=outcome.cpu_s,
            packet_hops=outcome.packet_hops,
            tables={name: list(rows_of(tables[name])) for name in PRINTED if name in tables},
            folder=str(outcome.folder),
            report=None if outcome.report is None else str(outcome.report),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        return {
            "study": self.study,
            "claims": [claim.model_dump(mode="json") for claim in self.claims],
            "cpu_s": self.cpu_s,
            "packet_hops": self.packet_hops,
            **self.tables,
            "findings": list(self.sentences),
            "report": self.report,
        }


class KeptAnswer(Strict):
    """An answer, a hash of everything that it follows from, and the state of the report's files."""

    made_of: str
    files: States
    answer: Answer


def recall(asked: StudyRun) -> Answer | None:
    """Return the answer of these runs if nothing has changed since it was found."""
    folder = choose_folder(asked)
    kept = read_record(KeptAnswer, folder / FILE)
    if kept is None or kept.answer.report is None:
        return None
    now = _find_states(folder)
    if any(now.get(name) != state for name, state in kept.files.items()):
        return None
    if kept.made_of != _hash_inputs(asked):
        return None
    here = {"folder": str(folder), "report": str(folder / PAGE), "is_known": True}
    return kept.answer.model_copy(update=here)


def remember(asked: StudyRun, answer: Answer) -> None:
    """Keep an answer whose report is written. Raises StoreError."""
    if answer.report is not None:
        folder = Path(answer.folder)
        kept = KeptAnswer(made_of=_hash_inputs(asked), files=_find_states(folder), answer=answer)
        write_record(folder / FILE, kept)


def _find_states(folder: Path) -> States:
    """Return the states of the page, of the tables and the pictures, and of what is beside them."""
    top = {
        path.name: path.stat()
        for path in sorted(folder.glob("[!.]*"))
        if path.name in (PAGE, CLAIMS) or path.suffix in (".parquet", ".toml")
    }
    states = {name: (status.st_size, status.st_mtime_ns) for name, status in top.items()}
    for below in (FIGURES, TABLES):
        of = list_states(folder / below).items()
        states |= {f"{below}/{name}": state for name, state in of}
    return states


def _hash_inputs(asked: StudyRun) -> str:
    total = hashlib.sha256(hash_program())
    for text in _list_inputs(asked):
        total.update(hashlib.sha256(text.encode()).digest())
    return total.hexdigest()


def _list_inputs(asked: StudyRun) -> Iterator[str]:
    yield repr((asked.study.name, asked.scale, asked.settings, find_missing("report")))
    yield from asked.study.inputs(asked.setup, _plan(asked))
    yield repr(list_states(asked.folder / "runs"))
    if asked.stored is not None:
        yield repr(list_states(asked.stored.folder))


def _plan(asked: StudyRun) -> Iterator[str]:
    """Yield the identities of all runs; nothing is planned before the first is asked for."""
    for job in asked.jobs.values():
        yield job.identity
