"""The studies of installed packages, found without importing any of them.

A package registers itself by an entry point of the group `headgate.studies` whose value is the name
of the package. Each of its folders with a `study.toml` is a study.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from headgate.base.errors import HeadgateError

GROUP = "headgate.studies"
SPEC = "study.toml"


@dataclass(frozen=True)
class StudyPlace:
    """The folder of a study, and the package that contains it."""

    package: str
    folder: Path


@cache
def packages() -> dict[str, Path]:
    """Return the folder of every package that registers studies. Raises HeadgateError."""
    registered = sorted({entry.value for entry in entry_points(group=GROUP)})
    return {package: _folder_of(package) for package in registered}


def _folder_of(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise HeadgateError(f"{package!r} registers studies, but there is no package of this name")
    return Path(spec.submodule_search_locations[0])


def find_files(pattern: str) -> Iterator[tuple[str, Path]]:
    """Yield each registered package with each of its files that match."""
    for package, folder in packages().items():
        yield from ((package, path) for path in sorted(folder.glob(pattern)))


def places() -> dict[str, StudyPlace]:
    """Return the place of every study by its name.

    Raises HeadgateError if two packages contain a study of the same name.
    """
    found: dict[str, StudyPlace] = {}
    for package, path in find_files(f"*/{SPEC}"):
        name = path.parent.name.replace("_", "-")
        if name in found:
            raise HeadgateError(
                f"two packages contain a study {name!r}: {found[name].package} and {package};"
                " uninstall one of them"
            )
        found[name] = StudyPlace(package, path.parent)
    return dict(sorted(found.items()))


def names() -> list[str]:
    """Return the names of the studies of all installed packages."""
    return list(places())
