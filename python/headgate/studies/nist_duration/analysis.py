"""The study `nist-duration`: its runs, and what they say."""

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.nist_duration.durations import Durations
from headgate.studies.nist_duration.jobs import jobs
from headgate.studies.nist_duration.pictures import pictures
from headgate.studies.nist_duration.sentences import sentences
from headgate.studies.nist_duration.tables import data, tables

__all__ = ["analyse", "jobs", "prepare"]


def prepare(runs: Runs) -> Durations:
    """Measure every response of finished runs."""
    return Durations(runs.setup, runs.results)


def analyse(of: Durations) -> Analysis:
    """Compare every response of a short run with the same of the published duration."""
    return Analysis(
        sentences=sentences(of),
        pictures=pictures(of),
        tables=tables(of),
        data=(data(of),),
    )
