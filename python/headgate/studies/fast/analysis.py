"""The study `fast`: its runs, and what they say."""

from __future__ import annotations

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.fast.jobs import jobs

__all__ = ["analyse", "jobs"]


def analyse(runs: Runs) -> Analysis:
    """Turn the finished runs into findings, sentences and pictures."""
    from headgate.studies.fast.findings import findings
    from headgate.studies.fast.pictures import pictures
    from headgate.studies.fast.sentences import sentences
    from headgate.studies.fast.tables import data, tables

    return Analysis(findings(runs), sentences(runs), pictures(runs), tables(runs), data(runs))
