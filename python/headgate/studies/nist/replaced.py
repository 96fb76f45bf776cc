"""The analysis of experiments 1a and 1b, in which all sources have one law."""

from headgate.experiment.designed import Designed
from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.nist.answer_safe import compare_safety, say_safety
from headgate.studies.nist.responses import responses
from headgate.studies.nist.roles import roles
from headgate.studies.nist.sentences import sentences
from headgate.studies.nist.summary import Experiment


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
