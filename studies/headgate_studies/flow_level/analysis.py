"""The study `flow-level`: what its runs and solutions say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headgate.lab import Runs

if TYPE_CHECKING:
    from headgate_studies.flow_level.solutions import Solutions


def prepare(runs: Runs) -> Solutions:
    """Put the solutions beside the runs by packets; they are made here."""
    from headgate_studies.flow_level.solutions import Solutions

    return Solutions(runs.setup, runs.results)
