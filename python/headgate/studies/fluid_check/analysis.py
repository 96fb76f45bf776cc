"""The study `fluid-check`: its runs, and what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.fluid_check.jobs import jobs

if TYPE_CHECKING:
    from headgate.studies.fluid_check.compare import Comparison

__all__ = ["analyse", "jobs", "prepare"]


def prepare(runs: Runs) -> Comparison:
    """Make the fluid runs beside those by packets."""
    from headgate.studies.fluid_check.compare import Comparison

    return Comparison.of(runs)


def analyse(made: Comparison) -> Analysis:
    """Turn both into sentences, pictures and tables."""
    from headgate.studies.fluid_check.pictures import pictures
    from headgate.studies.fluid_check.sentences import sentences
    from headgate.studies.fluid_check.tables import data, tables

    return Analysis(
        sentences=sentences(made), pictures=pictures(made), tables=tables(made), data=data(made)
    )
