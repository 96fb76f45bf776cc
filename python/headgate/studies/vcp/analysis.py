"""The study `vcp`: its runs, and what they say."""

from __future__ import annotations

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.vcp.jobs import jobs

__all__ = ["analyse", "jobs"]


def analyse(runs: Runs) -> Analysis:
    """Turn the finished runs into findings, sentences and pictures."""
    from headgate.studies.vcp.findings import findings
    from headgate.studies.vcp.pictures import pictures
    from headgate.studies.vcp.sentences import sentences
    from headgate.studies.vcp.tables import data, tables

    return Analysis(findings(runs), sentences(runs), pictures(runs), tables(runs), data(runs))
