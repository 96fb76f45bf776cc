"""The study `nist-scale`: its runs, and what they say."""

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.nist_scale.jobs import jobs
from headgate.studies.nist_scale.pictures import pictures
from headgate.studies.nist_scale.preserved import FILE, as_toml
from headgate.studies.nist_scale.sentences import sentences
from headgate.studies.nist_scale.sizes import Sizes
from headgate.studies.nist_scale.tables import data, tables

__all__ = ["analyse", "jobs", "prepare"]


def prepare(runs: Runs) -> Sizes:
    """Measure every response of finished runs."""
    return Sizes(runs.setup, runs.results)


def analyse(of: Sizes) -> Analysis:
    """Compare every response at every size with the largest."""
    return Analysis(
        sentences=sentences(of),
        pictures=pictures(of),
        tables=tables(of),
        data=(data(of),),
        files={FILE: as_toml(of)},
    )
