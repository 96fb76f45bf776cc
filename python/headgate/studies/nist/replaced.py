"""The analysis of experiments 1a and 1b, in which all sources have one law."""

from headgate.experiment.designed import Designed
from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.nist.alike import findings
from headgate.studies.nist.responses import responses
from headgate.studies.nist.roles import roles
from headgate.studies.nist.sentences import sentences
from headgate.studies.nist.summary import Experiment


def analyse(runs: Runs) -> Analysis:
    """Turn finished runs into findings and the table that the report analyses."""
    experiment = Experiment(Designed(runs.setup, runs.results), roles(runs.setup.design), responses)
    return Analysis(
        findings(experiment),
        sentences(experiment),
        pictures=(),
        data=(experiment.table,),
        roles=experiment.roles,
    )
