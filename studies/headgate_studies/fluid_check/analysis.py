"""The study `fluid-check`: its runs, and what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headgate.lab import Runs

if TYPE_CHECKING:
    from headgate_studies.fluid_check.compare import Comparison


def prepare(runs: Runs) -> Comparison:
    """Make the fluid runs beside those by packets."""
    from headgate_studies.fluid_check.compare import Comparison

    return Comparison.of(runs)
