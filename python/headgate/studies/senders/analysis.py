"""The study `senders`: what its runs say."""

from __future__ import annotations

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs


def analyse(runs: Runs) -> Analysis:
    """Turn the finished runs into sentences, pictures and tables."""
    from headgate.studies.senders.pictures import pictures
    from headgate.studies.senders.sentences import sentences
    from headgate.studies.senders.tables import data, tables

    return Analysis(
        sentences=sentences(runs), pictures=pictures(runs), tables=tables(runs), data=data(runs)
    )
