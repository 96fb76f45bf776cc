"""The study `fast`: what its runs say."""

from __future__ import annotations

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs


def analyse(runs: Runs) -> Analysis:
    """Turn the finished runs into findings, sentences and pictures."""
    from headgate.studies.fast.pictures import pictures
    from headgate.studies.fast.sentences import sentences
    from headgate.studies.fast.tables import data, tables

    return Analysis(
        sentences=sentences(runs), pictures=pictures(runs), tables=tables(runs), data=data(runs)
    )
