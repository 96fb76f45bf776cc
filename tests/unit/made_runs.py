"""Runs of a study, made in this process: what it makes of them is tested, and no store."""

from collections.abc import Mapping

from headgate import Result
from headgate.campaign.jobs import Job
from headgate.experiment.runs import Key


def results_of(jobs: Mapping[Key, Job]) -> dict[Key, Result]:
    """Make every run, one after the other."""
    return {key: _finished(job) for key, job in jobs.items()}


def _finished(job: Job) -> Result:
    """Return a run with its labels, as a store does."""
    result = job.scenario.run()
    return Result(result.tables, {**result.meta, "labels": dict(job.labels)})
