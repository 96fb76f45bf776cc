"""The study `nist-scale`: its runs, and what they say."""

from __future__ import annotations

from headgate.lab import Analysis, Runs
from headgate_studies.nist_scale.jobs import jobs
from headgate_studies.nist_scale.pictures import pictures
from headgate_studies.nist_scale.preserved import FILE, NEAR, as_toml, sort_responses
from headgate_studies.nist_scale.sizes import NAMES, Sizes
from headgate_studies.nist_scale.tables import data, tables

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


def sentences(of: Sizes) -> tuple[str, ...]:
    """Say of each size how much of the largest it keeps."""
    return tuple(_size(of, size) for size in of.sizes[:-1])


def _size(of: Sizes, size: str) -> str:
    found = sort_responses(of, size)
    return (
        f"At {size} of the published size, {len(found.kept)} of {len(NAMES)} responses are within"
        f" {NEAR:.0%} of those at {of.sizes[-1]} under every condition, {len(found.moved)} are not"
        f" under some, and for {len(found.untold)} the replicates cannot tell."
    )
