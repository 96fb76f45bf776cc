"""The study `nist-duration`: its sentences, tables and picture."""

from functools import partial
from itertools import product

import numpy as np

from headgate import Table, Words
from headgate.figures import Heat, draw_heat
from headgate.lab import Analysis, Listing, Picture, PicturesLater, Runs
from headgate_studies.nist_duration.findings import NAMES, Durations, jobs

__all__ = ["analyse", "jobs", "prepare"]

NEAR = 0.1
LARGEST_CHANGE = np.log(2)


def prepare(runs: Runs) -> Durations:
    """Measure every response of finished runs."""
    return Durations(runs.setup, runs.results)


def analyse(of: Durations) -> Analysis:
    """Compare every response of a short run with the same of the published duration."""
    return Analysis(
        sentences=sentences(of),
        pictures=PicturesLater(partial(pictures, of)),
        tables=tables(of),
        data=(data(of),),
    )


def tables(of: Durations) -> tuple[Listing, ...]:
    """Return one table an experiment: every response of the short run over the whole one's."""
    return tuple(_compare(of, experiment) for experiment in of.experiments)


def _compare(of: Durations, experiment: str) -> Listing:
    rows = [
        (title, *(f"{of.ratio(name, experiment, cca):.2f}" for cca in of.ccas))
        for name, title in NAMES.items()
    ]
    return Listing(
        f"experiment {experiment}",
        "Second period of the short run over that of the published duration.",
        ("response", *of.ccas),
        rows,
    )


def data(of: Durations) -> Table:
    """Return one row an experiment, length and algorithm: every response, mean over seeds."""
    labels = zip(*of.measured, strict=True)
    words = {
        name: Words.of(list(values))
        for name, values in zip(("experiment", "length", "cca"), labels, strict=True)
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
        if all(abs(of.ratio(name, experiment, cca) - 1) <= NEAR for cca in of.ccas)
    ]
    times = of.setup.settings["durations"][experiment]
    return (
        f"Of {experiment} in {times['short']}, {len(kept)} of {len(NAMES)} responses of the second"
        f" period are within {NEAR:.0%} of those in {times['published']} under every algorithm."
    )


def pictures(of: Durations) -> tuple[Picture, ...]:
    """Draw what a short run keeps."""
    columns = list(product(of.experiments, of.ccas))
    ratios = np.array([[of.ratio(name, *column) for column in columns] for name in NAMES])
    panel = Heat(
        "",
        np.log(np.where(ratios > 0, ratios, np.nan)),
        [cca for _, cca in columns],
        -LARGEST_CHANGE,
        LARGEST_CHANGE,
        colours="PuOr",
        scale=100,
        groups={len(of.ccas) * i: name for i, name in enumerate(of.experiments)},
        label="100 x ln(ratio)",
    )
    return (
        Picture(
            "preserved",
            "What a short run keeps",
            "Second period: 100 times the logarithm of a response of the short run over that of the"
            " published duration; 10 is 10 % more, -69 a half. Counts are per source and second."
            " Grey: none in some run.",
            draw_heat(list(NAMES.values()), [panel]),
        ),
    )
