"""Runs of a study, made in this process: what it makes of them is tested, and no store."""

from collections.abc import Mapping

from headgate import Result
from headgate.campaign.jobs import Job
from headgate.experiment.runs import Key


def results_of(jobs: Mapping[Key, Job]) -> dict[Key, Result]:
    """Make every run, one after the other."""
    return {key: job.scenario.run() for key, job in jobs.items()}
