"""Options of a run that change no result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headgate.engine.run.trace import Trace
from headgate.scenario.group import Arrays

Threads = int | Callable[[], int]
"""Threads of a run, or a function that returns how many it may have now."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a run is executed. Its result does not depend on these options."""

    threads: Threads = 1
    """The most threads that the run may use."""
    snapshot: Path | None = None
    """The file from which a stopped run is resumed; by default one in the folder of the run."""
    trace: Trace | None = None
    """The flows and ports whose every event is written into the folder of the run."""
    planned: tuple[dict[str, Any], Arrays] | None = None
    """The plan of the scenario, if it is known already."""
    resolved: dict[str, Any] | None = None
    """The scenario with every default filled in, if it is known already."""
    command: str = ""
    """The command line, which is recorded in run.json."""


DEFAULT = RunOptions()
