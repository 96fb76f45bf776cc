"""Findings about RCP by itself: beside processor sharing, beside its fluid model, its gap."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from headgate.claims import Estimate
from headgate.experiment.estimates import Makers, apart, format_values, largest, least
from headgate.experiment.estimates import makers_by_claim as by_name
from headgate.experiment.runs import Runs
from headgate.studies.fct import theory
from headgate.studies.fct.jobs import BASE, PAPER_GAINS, levels, name_case
from headgate.studies.fct.measures import (
    PARTS,
    SHORT,
    SHOWN,
    Times,
    bins,
    gap_s,
    mean_port,
    of_bin,
    parts_s,
)

RCP_PROTOCOL = "rcp"


def rcp(runs: Runs, case: str = BASE) -> Times:
    """Return the completion times of RCP."""
    return Times.of(runs, case, RCP_PROTOCOL)


# Beside processor sharing ------------------------------------------------------------------------


def _rcp_short_receiver(runs: Runs) -> Estimate:
    times = rcp(runs)
    wait = mean_port(runs, BASE, RCP_PROTOCOL, "mean_wait_s")
    formula = times.expect(times.formula_s, "receiver_s", 1, SHORT)
    ours = times.mean("receiver_s", 1, SHORT) / (formula + 2 * wait)
    return Estimate(ours=ours, note=f"mean wait {1e3 * wait:.3g} ms")


def _rcp_short_sender(runs: Runs) -> Estimate:
    times = rcp(runs)
    return Estimate(ours=times.mean("sender_s", 1, SHORT) - 2 * times.rtt_s)


def _rcp_slightly_above(runs: Runs) -> Estimate:
    times = rcp(runs)
    ratios = {of_bin(*b): times.over_sharing("receiver_s", *b) for b in bins(SHORT, SHOWN)}
    worst = max(ratios.values(), key=lambda ratio: abs(ratio - 1.25))
    return Estimate(ours=worst, note=format_values(ratios))


def _above_ps_both_rtts(runs: Runs) -> Estimate:
    ratios = {
        f"{rtt}, {of_bin(*b)}": rcp(runs, case).over_sharing("sender_s", *b)
        for rtt, case in levels(runs.setup, "rtt").items()
        if case != BASE
        for b in bins(1, SHOWN)
    }
    return least(ratios)


def _below_ps_at_200(runs: Runs) -> Estimate:
    times = rcp(runs, name_case("rtt", "200 ms"))
    rows = times.between(1, SHOWN + 1) & (times.counts["finished"] > 0)
    below = times.by_size("sender_s")[rows] < times.formula_s[rows]
    receiver = times.by_size("receiver_s")[rows] < times.formula_s[rows]
    return Estimate(
        ours=float(below.mean()),
        note=f"with the receiver's last packet {receiver.mean():.3g} of the sizes are below",
    )


# Beside the fluid model --------------------------------------------------------------------------


def _table(case: str, runs: Runs) -> Estimate:
    times = rcp(runs, case)
    ours = {
        (left, right): times.mean("sender_s", left, right)
        for left, right in bins(100, SHOWN)
        if left in theory.FLUID[case]
    }
    distances = {of_bin(*b): apart(value, theory.FLUID[case][b[0]]) for b, value in ours.items()}
    found = largest(distances)
    said = ", ".join(
        f"{of_bin(*b)}: {value:.3f} for {theory.FLUID[case][b[0]]}" for b, value in ours.items()
    )
    return found.model_copy(update={"note": said})


def _rcp_table_shapes(runs: Runs) -> Estimate:
    ours = {
        shape: rcp(runs, name_case("shape", shape)).mean("sender_s", 1_000, SHOWN)
        for shape in theory.FLUID_SHAPES
    }
    distances = {f"{s}": apart(value, theory.FLUID_SHAPES[s]) for s, value in ours.items()}
    said = ", ".join(f"{s}: {v:.3f} for {theory.FLUID_SHAPES[s]}" for s, v in ours.items())
    return largest(distances).model_copy(update={"note": said})


def _rcp_long(runs: Runs) -> Estimate:
    times = rcp(runs)
    factors = {}
    for left, right in bins(5_000, 20_000):
        ratio = times.mean("sender_s", left, right) / theory.FLUID[BASE][left]
        factors[of_bin(left, right)] = max(ratio, 1 / ratio)
    return largest(factors)


def _rcp_mean_queue(runs: Runs) -> Estimate:
    return Estimate(ours=mean_port(runs, BASE, RCP_PROTOCOL, "mean_wait_s"))


def _rcp_largest_queue(runs: Runs) -> Estimate:
    return Estimate(ours=mean_port(runs, BASE, RCP_PROTOCOL, "max_queue_packets"))


def _rcp_paper_gains_short(runs: Runs) -> Estimate:
    return Estimate(ours=Times.of(runs, BASE, PAPER_GAINS).mean("sender_s", 1, 20))


def _rcp_paper_gains_queue(runs: Runs) -> Estimate:
    return Estimate(ours=mean_port(runs, BASE, PAPER_GAINS, "mean_wait_s"))


# The gap -----------------------------------------------------------------------------------------


def _gap(runs: Runs) -> Estimate:
    times = rcp(runs)
    parts = [parts_s(times, *b) for b in bins(SHORT, SHOWN)]
    said = ", ".join(
        f"{name} {1e3 * min(p[name] for p in parts):.3g} to {1e3 * max(p[name] for p in parts):.3g}"
        for name in PARTS
    )
    return Estimate(ours=gap_s(times), note=f"in ms, over bins of 200 to 2,000 packets: {said}")


def _gap_half_round_trip(runs: Runs) -> Estimate:
    times = rcp(runs)
    return Estimate(ours=times.mean("sender_s", 1, SHOWN) - times.mean("receiver_s", 1, SHOWN))


def _gap_mean_30(runs: Runs) -> Estimate:
    other, own = gap_s(rcp(runs, name_case("mean", 30))), gap_s(rcp(runs))
    return Estimate(ours=other / own, note=f"{other:.3f} s and {own:.3f} s")


# Insensitivity -----------------------------------------------------------------------------------


def _insensitive_to_shape(runs: Runs) -> Estimate:
    return _spread(runs, 1_000, SHOWN)


def _insensitive_to_shape_short(runs: Runs) -> Estimate:
    return _spread(runs, 1, SHORT)


def _spread(runs: Runs, low: int, high: int) -> Estimate:
    ours = {
        f"{shape}": rcp(runs, case).mean("sender_s", low, high)
        for shape, case in levels(runs.setup, "shape").items()
    }
    return Estimate(ours=max(ours.values()) / min(ours.values()), note=f"s: {format_values(ours)}")


def _insensitive_to_rtt(runs: Runs) -> Estimate:
    times = [rcp(runs, case) for case in levels(runs.setup, "rtt").values()]
    spreads = {}
    for each in bins(1, SHOWN):
        ratios = [one.over_sharing("receiver_s", *each) for one in times]
        spreads[of_bin(*each)] = max(ratios) / min(ratios)
    return largest(spreads)


def _rtt_200_like_shape_22(runs: Runs) -> Estimate:
    far, even = rcp(runs, name_case("rtt", "200 ms")), rcp(runs, name_case("shape", 2.2))
    ratios, relative = {}, []
    for each in bins(20, SHOWN):
        ratios[of_bin(*each)] = far.mean("sender_s", *each) / even.mean("sender_s", *each)
        relative.append(far.over_sharing("sender_s", *each) / even.over_sharing("sender_s", *each))
    found = largest(ratios)
    said = f"{found.note}; each over its own PS line {min(relative):.3g} to {max(relative):.3g}"
    return found.model_copy(update={"note": said})


def _fewer_sizes_at_22(runs: Runs) -> Estimate:
    counts = {
        case: float(np.mean([_sizes_met(runs.only(seed), case) for seed in runs.setup.seeds]))
        for case in (name_case("shape", 2.2), BASE)
    }
    steep, own = counts.values()
    return Estimate(ours=steep / own, note=format_values(counts))


def _sizes_met(runs: Runs, case: str) -> int:
    return int(rcp(runs, case).between(SHORT, SHOWN + 1).sum())


_TABLES: dict[str, Callable[[Runs], Estimate]] = {
    "rcp-table": partial(_table, BASE),
    "rcp-table-rtt-50": partial(_table, "rtt 50 ms"),
    "rcp-table-rtt-200": partial(_table, "rtt 200 ms"),
    "rcp-table-shape-22": partial(_table, "shape 2.2"),
}

RCP: Makers = _TABLES | by_name(
    _rcp_short_receiver,
    _rcp_short_sender,
    _rcp_slightly_above,
    _above_ps_both_rtts,
    _below_ps_at_200,
    _rcp_table_shapes,
    _rcp_long,
    _rcp_mean_queue,
    _rcp_largest_queue,
    _rcp_paper_gains_short,
    _rcp_paper_gains_queue,
    _gap,
    _gap_half_round_trip,
    _gap_mean_30,
    _insensitive_to_shape,
    _insensitive_to_shape_short,
    _insensitive_to_rtt,
    _rtt_200_like_shape_22,
    _fewer_sizes_at_22,
)
