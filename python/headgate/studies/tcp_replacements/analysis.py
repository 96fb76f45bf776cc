"""The analysis of the first study: effects, condition-response summaries, maps, claims."""

from headgate.campaign.jobs import Job
from headgate.experiment.designed import Designed, jobs_of
from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Key, Runs, Setup
from headgate.studies.tcp_replacements.network import scenario
from headgate.studies.tcp_replacements.summary import Summary


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run: each law under each condition, with each seed."""
    return jobs_of(setup, scenario)


def analyse(runs: Runs) -> Analysis:
    """Turn the finished runs into findings, sentences and pictures."""
    from headgate.studies.tcp_replacements.findings import findings
    from headgate.studies.tcp_replacements.pictures import pictures
    from headgate.studies.tcp_replacements.roles import roles
    from headgate.studies.tcp_replacements.sentences import sentences
    from headgate.studies.tcp_replacements.tables import tables

    summary = Summary(Designed(runs.setup, runs.results))
    return Analysis(
        findings(summary),
        sentences(summary),
        pictures(summary),
        tables(summary),
        (summary.runs.tidy(),),
        roles(summary),
    )
