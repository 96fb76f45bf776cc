"""The study `flow-level`: its runs, and what they say."""

from __future__ import annotations

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.flow_level.jobs import jobs

__all__ = ["analyse", "jobs"]


def analyse(runs: Runs) -> Analysis:
    """Turn the runs by packets, and the solutions made here, into findings and pictures."""
    from headgate.studies.flow_level.findings import findings
    from headgate.studies.flow_level.pictures import pictures
    from headgate.studies.flow_level.sentences import sentences
    from headgate.studies.flow_level.solutions import Solutions
    from headgate.studies.flow_level.tables import data, tables

    made = Solutions(runs.setup, runs.results)
    return Analysis(findings(made), sentences(made), pictures(made), tables(made), data(made))
