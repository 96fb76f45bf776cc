"""The study `fluid-check`: its runs, and what they say."""

from __future__ import annotations

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.fluid_check.jobs import jobs

__all__ = ["analyse", "jobs"]


def analyse(runs: Runs) -> Analysis:
    """Turn the runs by packets, and the fluid ones made here, into findings and pictures."""
    from headgate.studies.fluid_check.compare import Comparison
    from headgate.studies.fluid_check.findings import findings
    from headgate.studies.fluid_check.pictures import pictures
    from headgate.studies.fluid_check.sentences import sentences
    from headgate.studies.fluid_check.tables import data, tables

    made = Comparison.of(runs)
    return Analysis(findings(made), sentences(made), pictures(made), tables(made), data(made))
