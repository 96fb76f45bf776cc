"""How far simulated rates are from the published ones."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from headgate import Result
from headgate.claims import Estimate
from headgate.lab import NotRunError, Runs
from headgate_studies.l4s_tests.jobs import NO_FORM
from headgate_studies.l4s_tests.published import Row, checked_rows, read_rows

#: A rate is that of the publication if it is within this share of it.
CLOSE = 0.1
NAMES = ("one", "other")


def rate_mbps(result: Result, name: str) -> float:
    """Return the payload of a flow a second."""
    mine = result.flows["traffic"] == name
    return float(result.flows["goodput_bps"][mine][0]) / 1e6


def mean_rates(runs: Runs, row: Row, form: str, part: str = "") -> tuple[float, float]:
    """Return the rates of both flows, means over replicates."""
    results = runs.replicates(part or row.part, row.row, form if row.has_prague else NO_FORM)
    one, other = (float(np.mean([rate_mbps(r, name) for r in results])) for name in NAMES)
    return one, other


def distance(rates: Iterable[float], row: Row) -> float:
    """Return the larger relative distance of both rates from the published ones."""
    return max(abs(ours / theirs - 1) for ours, theirs in zip(rates, row.mbps, strict=True))


def find_distance(runs: Runs, *, row: str, form: str = NO_FORM) -> Estimate:
    """Return the larger relative distance of the rates of a row from the published ones."""
    published = read_rows()[row]
    rates = mean_rates(runs, published, form)
    note = " and ".join(f"{rate:.3g}" for rate in rates)
    theirs = " and ".join(f"{rate:.3g}" for rate in published.mbps)
    said = f"{note} Mbit/s, published {theirs}"
    return Estimate(ours=distance(rates, published), note=said)


def count_close(runs: Runs, rows: Iterable[Row], form: str, part: str = "") -> tuple[int, int]:
    """Return how many of the rows that this scale contains are close, and how many it contains."""
    close = []
    for row in rows:
        try:
            close.append(distance(mean_rates(runs, row, form, part), row) <= CLOSE)
        except NotRunError:
            continue
    return sum(close), len(close)


def choose(part: str, queue: str = "", *, prague: bool, equal: bool | None = None) -> list[Row]:
    """Return the rows of a part with or without Prague, of a queue and kind of round trips."""
    return [
        row
        for row in checked_rows(part)
        if row.has_prague == prague and queue in ("", row.queue) and equal in (None, row.is_equal)
    ]
