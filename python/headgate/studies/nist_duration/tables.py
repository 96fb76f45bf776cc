"""The tables of the report, and the data behind it."""

from __future__ import annotations

import numpy as np

from headgate.data.tables import Table, Words
from headgate.experiment.runnable import Listing
from headgate.studies.nist_duration.durations import NAMES, Durations


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
