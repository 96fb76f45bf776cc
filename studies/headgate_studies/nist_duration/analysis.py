"""The study `nist-duration`: its runs, and what they say."""

from __future__ import annotations

import numpy as np

from headgate import Table, Words
from headgate.lab import Analysis, Listing, Runs
from headgate_studies.nist_duration.durations import NAMES, Durations
from headgate_studies.nist_duration.jobs import jobs
from headgate_studies.nist_duration.pictures import pictures

__all__ = ["analyse", "jobs", "prepare"]

NEAR = 0.1


def prepare(runs: Runs) -> Durations:
    """Measure every response of finished runs."""
    return Durations(runs.setup, runs.results)


def analyse(of: Durations) -> Analysis:
    """Compare every response of a short run with the same of the published duration."""
    return Analysis(
        sentences=sentences(of),
        pictures=pictures(of),
        tables=tables(of),
        data=(data(of),),
    )


def tables(of: Durations) -> tuple[Listing, ...]:
    """Return one table an experiment: every response of the short run over the whole one's."""
    return tuple(_compare(of, experiment) for experiment in of.experiments)


def _compare(of: Durations, experiment: str) -> Listing:
    rows = [
        (title, *(f"{of.ratio(name, experiment, law):.2f}" for law in of.laws))
        for name, title in NAMES.items()
    ]
    return Listing(
        f"experiment {experiment}",
        "Second period of the short run over that of the published duration.",
        ("response", *of.laws),
        rows,
    )


def data(of: Durations) -> Table:
    """Return one row an experiment, length and law: every response, mean over seeds."""
    labels = zip(*of.measured, strict=True)
    words = {
        name: Words.of(list(values))
        for name, values in zip(("experiment", "length", "law"), labels, strict=True)
    }
    found = {name: np.array([one[name] for one in of.measured.values()]) for name in NAMES}
    return Table("responses", {**words, **found})


def sentences(of: Durations) -> tuple[str, ...]:
    """Say of each experiment how much of it a short run keeps."""
    return tuple(_count_kept(of, experiment) for experiment in of.experiments)


def _count_kept(of: Durations, experiment: str) -> str:
    kept = [
        name
        for name in NAMES
        if all(abs(of.ratio(name, experiment, law) - 1) <= NEAR for law in of.laws)
    ]
    times = of.setup.settings["durations"][experiment]
    return (
        f"Of {experiment} in {times['short']}, {len(kept)} of {len(NAMES)} responses of the second"
        f" period are within {NEAR:.0%} of those in {times['published']} under every law."
    )
