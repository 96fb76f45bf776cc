"""The analysis of experiments 1a and 1b, in which all sources have one law."""

from headgate.lab import Analysis, Runs
from headgate_studies.designed import Designed
from headgate_studies.nist.answer_safe import compare_safety, say_safety
from headgate_studies.nist.responses import responses
from headgate_studies.nist.roles import roles
from headgate_studies.nist.sentences import sentences
from headgate_studies.nist.summary import Experiment


def prepare(runs: Runs) -> Experiment:
    """Measure the responses of finished runs."""
    return Experiment(Designed(runs.setup, runs.results), roles(runs.setup.design), responses)


def analyse(experiment: Experiment) -> Analysis:
    """Give the table that the report analyses, and what is said of it."""
    return Analysis(
        sentences=(say_safety(experiment), *sentences(experiment)),
        tables=(compare_safety(experiment),),
        data=(experiment.table,),
        roles=experiment.roles,
    )
