"""Paths in the clone, for the tests of its architecture."""

import os
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "headgate"
STUDIES = ROOT / "studies" / "headgate_studies"


def tracked_files() -> list[Path]:
    """Every file under version control that still exists.

    Without git, or if git does not trust the clone's owner: every file that none of the lines of
    .gitignore names.
    """
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    except (FileNotFoundError, subprocess.CalledProcessError):
        return list(files_not_ignored())
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def files_not_ignored() -> Iterator[Path]:
    """Walk the clone as .gitignore, which lists only names, `*` and folders, lets git see it."""
    lines = (ROOT / ".gitignore").read_text().splitlines()
    patterns = [".git", *(line.rstrip("/") for line in lines if line and not line.startswith("#"))]
    for folder, folders, names in os.walk(ROOT):
        inside = Path(folder).relative_to(ROOT)
        folders[:] = [name for name in folders if not ignored(inside / name, patterns)]
        yield from (Path(folder, name) for name in names if not ignored(inside / name, patterns))


def ignored(path: Path, patterns: list[str]) -> bool:
    """Whether a pattern names the path: whole if it begins with `/`, else by its last part."""
    return any(
        fnmatch(f"/{path}", pattern) if pattern.startswith("/") else fnmatch(path.name, pattern)
        for pattern in patterns
    )
