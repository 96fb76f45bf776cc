"""Conformance suites of installed packages: what `headgate conform` asks of them, and their report.

A package registers a suite by an entry point of the group `headgate.suites` whose value is a
function from a `SuiteRequest` to a `SuiteReport`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from headgate.base.errors import HeadgateError, MissingLibraryError
from headgate.base.optional import advise

GROUP = "headgate.suites"


@dataclass(frozen=True)
class SuiteRequest:
    """The algorithms that a suite examines, and how."""

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
    found = sorted(entry_points(group=GROUP, name=name))
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
