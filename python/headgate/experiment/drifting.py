"""Conditions whose means still drift when the run ends: too short to judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from headgate.base.units import PS_PER_S, parse_time_ps, readable
from headgate.engine.api import Result
from headgate.stats.drift import Drift, compute_batch_means, find_drift

#: Where a run's `run.json` has the batches of its measured time.
KEY = "batches"
#: What is looked at of the busiest link: its column, its unit, what it is called, and a difference
#: that is too small to matter.
LOOKED_AT = {
    "queue_packets": ("packets", "queue", 0.5),
    "throughput_bps": ("bit/s", "throughput", 0.0),
}
Batches = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Drifting:
    """What drifts of the busiest link under a condition."""

    column: str
    drift: Drift

    def __str__(self) -> str:
        unit, name, _ = LOOKED_AT[self.column]
        factor, unit = readable(unit, max(abs(self.drift.first), abs(self.drift.second)))
        ends = f"{self.drift.first * factor:.3g} to {self.drift.second * factor:.3g}"
        return f"{name} {ends} {unit}"


def read_batches(result: Result) -> Batches:
    """Return the batches of a run: as they were noted, or of its series if it has one."""
    if KEY in result.meta:
        noted: Batches = result.meta[KEY]
        return noted
    if "series" not in tuple(result.tables):
        return {}
    series = result.tables["series"]
    names = series["name"]
    of_ports = series["of"] == "port"
    if not of_ports.any():
        return {}
    busy = {str(n): np.nanmean(series["throughput_bps"][(names == n) & of_ports])
            for n in np.unique(names[of_ports])}  # fmt: skip
    rows = (names == max(busy, key=lambda name: np.nan_to_num(busy[name]))) & of_ports
    measure = result.meta.get("scenario", {}).get("measure", {})
    from_s = parse_time_ps(measure.get("warmup", "0 s")) / PS_PER_S
    t_s = series["t_s"][rows]
    return {
        column: compute_batch_means(t_s, series[column][rows], from_s, float(t_s.max()))
        for column in LOOKED_AT
    }


def find_drifting(replicates: Sequence[Batches]) -> Iterator[Drifting]:
    """Yield what drifts, of the replicates of one condition."""
    for column, (_, _, least) in LOOKED_AT.items():
        known = [of[column] for of in replicates if of.get(column)]
        found = find_drift(known, least) if known else None
        if found is not None:
            yield Drifting(column, found)
