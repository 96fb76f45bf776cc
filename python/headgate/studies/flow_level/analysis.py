"""The study `flow-level`: what its runs and solutions say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs

if TYPE_CHECKING:
    from headgate.studies.flow_level.solutions import Solutions


def prepare(runs: Runs) -> Solutions:
    """Put the solutions beside the runs by packets; they are made here."""
    from headgate.studies.flow_level.solutions import Solutions

    return Solutions(runs.setup, runs.results)


def analyse(made: Solutions) -> Analysis:
    """Turn runs and solutions into sentences and pictures."""
    from headgate.studies.flow_level.pictures import pictures
    from headgate.studies.flow_level.sentences import sentences
    from headgate.studies.flow_level.tables import data, tables

    return Analysis(
        sentences=sentences(made), pictures=pictures(made), tables=tables(made), data=data(made)
    )
