"""The study `fct`: its runs, what is kept of them, and what they say."""

from __future__ import annotations

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.fct.jobs import jobs
from headgate.studies.fct.keep import keep

__all__ = ["analyse", "jobs", "keep"]


def analyse(runs: Runs) -> Analysis:
    """Turn the finished runs into sentences, pictures and tables."""
    from headgate.studies.fct.pictures import pictures
    from headgate.studies.fct.sentences import sentences
    from headgate.studies.fct.tables import data, tables

    return Analysis(
        sentences=sentences(runs), pictures=pictures(runs), tables=tables(runs), data=data(runs)
    )
