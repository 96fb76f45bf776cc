"""The tables of the report, and the data behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from headgate import Result, Table
from headgate.lab import Listing, NotRunError, Runs
from headgate_studies.fast.measures import oc192_utilisation
from headgate_studies.paths import goodput_bps, loss_rate, mean_queue, utilisation
from headgate_studies.tidy_table import tidy

PUBLISHED_LONG_FAT = {"reno": (0.19, 0.27)}
PUBLISHED_OC192 = {"reno": (0.30,), "westwood": (0.40,), "bic": (0.50,), "fast": (0.79,)}

MEASURES: Mapping[str, Callable[[Result], float]] = {
    "utilisation": utilisation,
    "goodput_bps": goodput_bps,
    "mean_queue_packets": mean_queue,
    "loss_rate": loss_rate,
}


def tables(runs: Runs) -> tuple[Listing, ...]:
    """Return every table of the report."""
    return (_explaining_losses(runs),)


def data(runs: Runs) -> tuple[Table, ...]:
    """Return the measures of every run, one table a part."""
    return tidy(runs, MEASURES)


def _explaining_losses(runs: Runs) -> Listing:
    """Say which residual loss gives a law its published figure."""
    rows = [
        (path, law, published, _loss_for(runs, part, law, published))
        for path, part, all_published in (
            ("1 Gbit/s, 180 ms", "long fat", PUBLISHED_LONG_FAT),
            ("9.5 Gbit/s, 264 ms", "oc192", PUBLISHED_OC192),
        )
        for law, values in all_published.items()
        for published in values
    ]
    return Listing(
        "The loss that would explain it",
        "Residual loss at which a law has the published utilisation, interpolated between the"
        " losses that were run: an assumption that fits, not a claim. Where none fits,"
        " duration, hosts or buffers must have set the figure.",
        ("path", "law", "published", "residual loss"),
        rows,
    )


def _loss_for(runs: Runs, part: str, law: str, published: float) -> str:
    losses = [p for p in runs.setup.settings[part.replace(" ", "_")]["losses"] if p > 0]
    try:
        used = [_utilisation(runs, part, law, loss) for loss in losses]
    except NotRunError as reason:
        return str(reason)
    if not min(used) <= published <= max(used):
        return f"none from {losses[0]:g} to {losses[-1]:g} ({max(used):.2f} to {min(used):.2f})"
    log = np.interp(-published, -np.maximum.accumulate(used[::-1])[::-1], np.log10(losses))
    return f"{10**log:.2g}"


def _utilisation(runs: Runs, part: str, law: str, loss: float) -> float:
    if part == "oc192":
        return oc192_utilisation(runs, law, loss, 1.0)
    return float(np.mean([utilisation(run) for run in runs.replicates(part, law, loss)]))
