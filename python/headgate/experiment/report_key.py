"""Says whether a report is up to date: then the same runs need no pictures, tables or page again.

What writes tables takes 50 MB of memory, and what draws takes seconds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from headgate.base.strict import Strict
from headgate.experiment.runnable import Analysis, Runnable
from headgate.experiment.runs import Runs
from headgate.lab.records import read_record, write_record

FILE = ".report.json"
PAGE, FIGURES = "report.html", "figures"


class ReportKey(Strict):
    """What a report was made of, and its page and tables as they were then: bytes and time."""

    made_of: str
    files: dict[str, tuple[int, int]]


def hash_basis(study: Runnable, runs: Runs, analysis: Analysis, scale: str, pages: bytes) -> str:
    """Return what changes with anything that the report shows."""
    total = hashlib.sha256()
    for part in _parts(study, runs, analysis):
        total.update(hashlib.sha256(part).digest())
    for part in (_package(), scale.encode(), pages):
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
    """Say whether page and tables in a folder were made of this, and nobody has changed them."""
    known = read_record(ReportKey, folder / FILE)
    return (
        known is not None
        and known.made_of == made_of
        and (folder / FIGURES).is_dir()
        and known == _key(folder, made_of, tables)
    )


def note(folder: Path, made_of: str, tables: Iterable[str]) -> None:
    """Write down what page and tables in a folder were made of. Raises StoreError."""
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
def _package() -> bytes:
    """Return what changes with the program: another version may draw another page."""
    root = Path(__file__).parents[1]
    files = sorted(path for path in root.rglob("*") if path.suffix in (".py", ".so", ".js", ".css"))
    status = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return json.dumps(status).encode()
