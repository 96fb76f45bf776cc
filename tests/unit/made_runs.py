"""Runs of a study, made in this process: these test the analysis and need no store."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from headgate import Result
from headgate.experiment.runs import Key, Runs
from headgate.experiment.stored import ReadRuns
from headgate.experiment.study.study import Study
from headgate.lab.jobs import Job
from headgate.lab.packed import PackedRuns


def results_of(jobs: Mapping[Key, Job]) -> dict[Key, Result]:
    """Make every run, one after the other."""
    return {key: _finished(job) for key, job in jobs.items()}


def _finished(job: Job) -> Result:
    """Return a run with its labels, as a store does."""
    result = job.scenario.run()
    return Result(result.tables, {**result.meta, "labels": dict(job.labels)})


def assert_stored_suffices(study: Study, runs: Runs, folder: Path) -> None:
    """Hold every finding to the same finding by the tables and columns that claims read alone."""
    read = ReadRuns(runs, {key: f"run {number}" for number, key in enumerate(runs.results)})
    found = study.find(read.watched)
    packed = PackedRuns(folder)
    packed.replace([dict(read.trim())])
    stored = {key: packed.read(run) for key, run in read.identities.items()}
    again = study.find(replace(runs, results={k: one for k, one in stored.items() if one}))
    assert len(stored) == len(runs.results)
    assert again.keys() == found.keys()
    for claim, one in found.items():
        numbers = [(f.ours, *f.interval) for f in (one, again[claim])]
        assert np.array_equal(*numbers, equal_nan=True), claim
        assert again[claim].note == one.note
