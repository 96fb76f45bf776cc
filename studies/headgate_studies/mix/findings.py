"""The share of flows at which switching stops: the findings that SQL cannot express."""

from __future__ import annotations

import numpy as np

from headgate import Result
from headgate.claims import Estimate, estimate_mean
from headgate.lab import NotRunError, Runs
from headgate_studies.mix.jobs import STAYED
from headgate_studies.mix.theory import find_stop
from headgate_studies.paths import PACKET_BITS


def rate_of(result: Result, *, switched: bool) -> float:
    """Return the rate of the flows that switched, or of the others, as a share of the link."""
    rows = result.tables["classes"]
    mine = (rows["file"] == "long-lived") & ((rows["cca"] != STAYED) == switched)
    time_s = float(rows["end_s"][0] - rows["start_s"][0])
    link_bps = float(result.ports["rate_bps"][0])
    return float(rows["delivered_packets"][mine].sum()) * PACKET_BITS / time_s / link_bps


def stops(runs: Runs, place: str, cca: str, buffer: float, rtts: str = "equal") -> list[float]:
    """Return the share of flows at which switching stops, in each replicate."""
    mixes: dict[int, dict[int, Result]] = {}
    for (_, at, name, count, _, room, delays, seed), result in runs.results.items():
        if (at, room, delays) == (place, buffer, rtts) and name in {cca, STAYED}:
            mixes.setdefault(int(count), {})[int(seed)] = result
    if len(mixes) < 2:
        raise NotRunError(f"no flow switches to {cca} at {place} with {buffer:g} BDP, {rtts} RTTs")
    counts = sorted(mixes)
    seeds = [seed for seed in runs.setup.seeds if all(seed in of for of in mixes.values())]
    both = [
        [[rate_of(mixes[n][s], switched=b) for n in counts] for b in (True, False)] for s in seeds
    ]
    return [find_stop(counts, *np.array(rates)) for rates in both]


def distance_from_ends(
    runs: Runs, *, cca: str, places: list[str], buffers: list[float]
) -> Estimate:
    """Return the least distance of the stop from no flow and from all flows, over mixes."""
    found = {f"{p}, {b:g} BDP": stops(runs, p, cca, b) for p in places for b in buffers}
    note = "; ".join(f"{name}: {np.mean(of):.2f}" for name, of in found.items())
    values = np.array([*found.values()])
    return estimate_mean(np.minimum(values, 1 - values).min(axis=0).tolist(), note)


def fall_of_stop(runs: Runs, *, place: str, cca: str, shallow: float, deep: float) -> Estimate:
    """Return how much earlier switching stops with the deeper buffer."""
    fall = np.subtract(stops(runs, place, cca, shallow), stops(runs, place, cca, deep))
    return estimate_mean(fall.tolist())


def change_over_round_trips(runs: Runs, *, place: str, cca: str, buffers: list[float]) -> Estimate:
    """Return the change of the stop by spread round trips, less half of that over buffers."""
    equal, spread = (
        np.array([stops(runs, place, cca, buffer, rtts) for buffer in buffers])
        for rtts in ("equal", "spread")
    )
    over_rtts, over_buffers = np.abs(spread - equal).mean(axis=0), np.ptp(equal, axis=0)
    note = f"{over_rtts.mean():.2f} over round trips, {over_buffers.mean():.2f} over buffers"
    return estimate_mean((over_rtts - over_buffers / 2).tolist(), note)
