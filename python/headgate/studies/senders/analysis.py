"""The study `senders`: its runs, and what they say."""

from __future__ import annotations

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.senders.jobs import jobs

__all__ = ["analyse", "jobs"]


def analyse(runs: Runs) -> Analysis:
    """Turn the finished runs into findings, sentences and pictures."""
    from headgate.studies.senders.findings import findings
    from headgate.studies.senders.pictures import pictures
    from headgate.studies.senders.sentences import sentences
    from headgate.studies.senders.tables import data, tables

    return Analysis(findings(runs), sentences(runs), pictures(runs), tables(runs), data(runs))
