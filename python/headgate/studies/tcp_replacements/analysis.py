"""The analysis of the first study: effects, condition-response summaries, maps, claims."""

from headgate.experiment.designed import Designed, jobs_of
from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Key, Runs, Setup
from headgate.lab.jobs import Job
from headgate.studies.tcp_replacements.network import scenario
from headgate.studies.tcp_replacements.summary import Summary


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run: each law under each condition, with each seed."""
    return jobs_of(setup, scenario)


def prepare(runs: Runs) -> Summary:
    """Sum the runs up."""
    return Summary(Designed(runs.setup, runs.results))


def analyse(summary: Summary) -> Analysis:
    """Turn the summary into sentences, pictures and tables."""
    from headgate.studies.tcp_replacements.pictures import pictures
    from headgate.studies.tcp_replacements.roles import roles
    from headgate.studies.tcp_replacements.sentences import sentences
    from headgate.studies.tcp_replacements.tables import tables

    return Analysis(
        sentences=sentences(summary),
        pictures=pictures(summary),
        tables=tables(summary),
        data=(summary.runs.tidy(),),
        roles=roles(summary),
    )
