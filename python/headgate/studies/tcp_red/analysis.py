"""The study `tcp-red`: what its run by packets and the fluid ones say."""

from __future__ import annotations

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.tcp_red.simulations import Simulations, jobs

__all__ = ["analyse", "jobs", "prepare"]


def prepare(runs: Runs) -> Simulations:
    """Put the fluid runs beside those by packets; they are made here."""
    return Simulations(runs.setup, runs.results)


def analyse(made: Simulations) -> Analysis:
    """Turn the simulations into sentences and pictures."""
    from headgate.studies.tcp_red.pictures import pictures
    from headgate.studies.tcp_red.sentences import sentences
    from headgate.studies.tcp_red.tables import data, tables

    return Analysis(
        sentences=sentences(made), pictures=pictures(made), tables=tables(made), data=data(made)
    )
