"""Studies and conformance suites of installed packages, found without importing any package.

An entry point of the group `headgate.studies` names a package: each of its folders with a
`study.toml` is a study. An entry point of the group `headgate.suites` is a function from a
`SuiteRequest` to a `SuiteReport`, which `headgate conform` calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from headgate.base.errors import HeadgateError, MissingLibraryError
from headgate.base.optional import advise

STUDIES, SUITES = "headgate.studies", "headgate.suites"
SPEC = "study.toml"


@dataclass(frozen=True)
class StudyPlace:
    """The folder of a study, and the package that contains it."""

    package: str
    folder: Path


@cache
def list_packages() -> dict[str, Path]:
    """Return the folder of every package that registers studies. Raises HeadgateError."""
    found = {}
    for package in sorted({entry.value for entry in entry_points(group=STUDIES)}):
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise HeadgateError(
                f"{package!r} registers studies, but there is no package of this name"
            )
        found[package] = Path(spec.submodule_search_locations[0])
    return found


def find_files(pattern: str) -> Iterator[tuple[str, Path]]:
    """Yield each registered package with each of its files that match."""
    for package, folder in list_packages().items():
        yield from ((package, path) for path in sorted(folder.glob(pattern)))


def find_studies() -> dict[str, StudyPlace]:
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


@dataclass(frozen=True)
class SuiteRequest:
    """The algorithms that a suite examines, and its options."""

    names: Sequence[str] | None
    """Names of algorithms, or places of user-defined ones; None means all that are built in."""
    workers: int
    report_progress: Callable[[str], None]
    kernel: str = ""
    """The kernel that is compared, for a suite of kernels."""
    cases: Sequence[str] = ()
    """Names of cases, or patterns of names; none means all."""
    repeats: int = 1
    out: Path | None = None
    """The folder for figures and pictures, for a suite that writes them."""
    role: str = ""
    """The algorithm of the catalogue as which the named ones are examined; empty means none."""


@dataclass(frozen=True)
class SuiteReport:
    """The results of a suite."""

    record: Any
    """Plain data, for JSON."""
    parts: Sequence[object]
    """Sentences and Rich tables, in the order in which they are printed."""
    failed: bool = False


Suite = Callable[[SuiteRequest], SuiteReport]


def load_suite(name: str) -> Suite:
    """Return the suite of that name. Raises HeadgateError unless one package registers it."""
    found = sorted(entry_points(group=SUITES, name=name))
    if not found:
        raise MissingLibraryError(
            "`headgate conform` needs headgate-studies, which is not installed;"
            f" {advise('studies')}"
        )
    if len(found) > 1:
        packages = " and ".join(entry.value.partition(".")[0] for entry in found)
        raise HeadgateError(f"two packages register a suite {name!r}: {packages}; uninstall one")
    suite: Suite = found[0].load()
    return suite
