"""Says whether a report is up to date: then the same runs need no pictures and no page again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from headgate.campaign.records import read_record, write_record
from headgate.experiment.runnable import Analysis, Runnable
from headgate.experiment.runs import Runs
from headgate.strict import Strict

FILE = ".report.json"
PAGE, FIGURES = "report.html", "figures"


class ReportKey(Strict):
    """What a report was made of, and the page as it was then."""

    made_of: str
    bytes: int
    modified_ns: int


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
    for table in analysis.data:
        yield repr([(name, list(table[name])) for name in table.columns]).encode()


def is_current(folder: Path, made_of: str) -> bool:
    """Say whether the page in a folder was made of this, and nobody has changed it since."""
    known = read_record(ReportKey, folder / FILE)
    return (
        known is not None
        and known.made_of == made_of
        and (folder / FIGURES).is_dir()
        and known == _key(folder, made_of)
    )


def note(folder: Path, made_of: str) -> None:
    """Write down what the page in a folder was made of. Raises StoreError."""
    key = _key(folder, made_of)
    if key is not None:
        write_record(folder / FILE, key)


def _key(folder: Path, made_of: str) -> ReportKey | None:
    try:
        status = (folder / PAGE).stat()
    except OSError:
        return None
    return ReportKey(made_of=made_of, bytes=status.st_size, modified_ns=status.st_mtime_ns)


@cache
def _package() -> bytes:
    """Return what changes with the program: another version may draw another page."""
    root = Path(__file__).parents[1]
    files = sorted(path for path in root.rglob("*") if path.suffix in (".py", ".so", ".js", ".css"))
    status = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return json.dumps(status).encode()
