"""Determines whether a report is current: then the same runs need no new pictures or page.

Writing the tables takes 50 MB of memory, and drawing takes seconds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from headgate.base.files import list_states
from headgate.base.strict import Strict
from headgate.experiment.runs import Analysis, Runnable, Runs
from headgate.lab.records import read_record, write_record

FILE = ".report.json"
PAGE, FIGURES = "report.html", "figures"


class ReportKey(Strict):
    """The hash of a report's inputs, and the size and time of its page and tables."""

    made_of: str
    files: dict[str, tuple[int, int]]


def hash_basis(study: Runnable, runs: Runs, analysis: Analysis, scale: str, pages: bytes) -> str:
    """Return a hash that changes with everything that the report shows."""
    total = hashlib.sha256()
    for part in (*_parts(study, runs, analysis), hash_program(), scale.encode(), pages):
        total.update(hashlib.sha256(part).digest())
    return total.hexdigest()


def _parts(study: Runnable, runs: Runs, analysis: Analysis) -> Iterator[bytes]:
    yield json.dumps([study.title, study.question, analysis.sentences]).encode()
    for name, text in sorted(study.files.items()):
        yield name.encode() + text
    for path in sorted(study.code):
        yield path.read_bytes()
    yield json.dumps([[*key, run.digest] for key, run in runs.results.items()]).encode()
    for listing in analysis.tables:
        yield repr((listing.title, listing.caption, listing.columns, listing.rows)).encode()
    for name, page in sorted(analysis.files.items()):
        yield f"{name}{page}".encode()
    for table in analysis.data:
        yield repr([(name, list(table[name])) for name in table.columns]).encode()


def is_current(folder: Path, made_of: str, tables: Iterable[str]) -> bool:
    """Return whether the page and tables in a folder are unchanged, and made from these inputs."""
    known = read_record(ReportKey, folder / FILE)
    there = known is not None and (folder / FIGURES).is_dir()
    return there and known == _key(folder, made_of, tables)


def write_key(folder: Path, made_of: str, tables: Iterable[str]) -> None:
    """Record the inputs of the page and tables in a folder. Raises StoreError."""
    key = _key(folder, made_of, tables)
    if key is not None:
        write_record(folder / FILE, key)


def _key(folder: Path, made_of: str, tables: Iterable[str]) -> ReportKey | None:
    try:
        status = {name: (folder / name).stat() for name in (PAGE, *tables)}
    except OSError:
        return None
    files = {name: (one.st_size, one.st_mtime_ns) for name, one in status.items()}
    return ReportKey(made_of=made_of, files=files)


@cache
def hash_program() -> bytes:
    """Return a hash of the state of the program's files: another version may answer otherwise."""
    states = list_states(Path(__file__).parents[1])
    return hashlib.sha256(json.dumps(states).encode()).digest()
