"""The study `tcp-red`: its runs, and what they say."""

from __future__ import annotations

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.tcp_red.simulations import Simulations, jobs

__all__ = ["analyse", "jobs"]


def analyse(runs: Runs) -> Analysis:
    """Turn the run by packets, and the fluid ones made here, into findings and pictures."""
    from headgate.studies.tcp_red.findings import findings
    from headgate.studies.tcp_red.pictures import pictures
    from headgate.studies.tcp_red.sentences import sentences
    from headgate.studies.tcp_red.tables import data, tables

    made = Simulations(runs.setup, runs.results)
    return Analysis(findings(made), sentences(made), pictures(made), tables(made), data(made))
