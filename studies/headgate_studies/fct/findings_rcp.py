"""Findings about RCP by itself: beside processor sharing, beside its fluid model, its gap."""

from __future__ import annotations

import numpy as np

from headgate.claims import (
    Estimate,
    compute_relative_error,
    find_largest,
    find_least,
    format_values,
)
from headgate.lab import Runs
from headgate_studies.fct import findings_theory
from headgate_studies.fct.jobs import BASE, levels, name_case
from headgate_studies.fct.measures import (
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


def short_receiver(runs: Runs) -> Estimate:
    """Compare short flows at the receiver with processor sharing."""
    wait = mean_port(runs, BASE, RCP_PROTOCOL, "mean_wait_s")
    ours = rcp(runs).over_sharing("receiver_s", 1, SHORT)
    return Estimate(ours=ours, note=f"mean wait {1e3 * wait:.3g} ms")


def short_sender(runs: Runs) -> Estimate:
    """Compare short flows at the sender with two round trips."""
    times = rcp(runs)
    return Estimate(ours=times.mean("sender_s", 1, SHORT) - 2 * times.rtt_s)


def over_sharing(runs: Runs) -> Estimate:
    """Find the ratio to processor sharing that is farthest from 1.25."""
    times = rcp(runs)
    ratios = {of_bin(*b): times.over_sharing("receiver_s", *b) for b in bins(SHORT, SHOWN)}
    worst = max(ratios.values(), key=lambda ratio: abs(ratio - 1.25))
    return Estimate(ours=worst, note=format_values(ratios))


def least_over_formula(runs: Runs) -> Estimate:
    """Find the least ratio to processor sharing at other round trips than the base's."""
    ratios = {
        f"{rtt}, {of_bin(*b)}": rcp(runs, case).over_sharing("sender_s", *b)
        for rtt, case in levels(runs.setup, "rtt").items()
        if case != BASE
        for b in bins(1, SHOWN)
    }
    return find_least(ratios)


def share_below(runs: Runs) -> Estimate:
    """Measure the share of the sizes below processor sharing at 200 ms."""
    times = rcp(runs, name_case("rtt", "200 ms"))
    rows = times.between(1, SHOWN + 1) & (times.counts["finished"] > 0)
    below = times.by_size("sender_s")[rows] < times.formula_s[rows]
    receiver = times.by_size("receiver_s")[rows] < times.formula_s[rows]
    return Estimate(
        ours=float(below.mean()),
        note=f"with the receiver's last packet {receiver.mean():.3g} of the sizes are below",
    )


def fluid_distance(runs: Runs, *, case: str) -> Estimate:
    """Find the largest distance of a case from the fluid model."""
    times = rcp(runs, case)
    ours = {
        (left, right): times.mean("sender_s", left, right)
        for left, right in bins(100, SHOWN)
        if left in findings_theory.FLUID[case]
    }
    distances = {
        of_bin(*b): compute_relative_error(value, findings_theory.FLUID[case][b[0]])
        for b, value in ours.items()
    }
    found = find_largest(distances)
    said = ", ".join(
        f"{of_bin(*b)}: {value:.3f} for {findings_theory.FLUID[case][b[0]]}"
        for b, value in ours.items()
    )
    return found.model_copy(update={"note": said})


def shape_distance(runs: Runs) -> Estimate:
    """Find the largest distance of a shape from the fluid model."""
    ours = {
        shape: rcp(runs, name_case("shape", shape)).mean("sender_s", 1_000, SHOWN)
        for shape in findings_theory.FLUID_SHAPES
    }
    distances = {
        f"{s}": compute_relative_error(value, findings_theory.FLUID_SHAPES[s])
        for s, value in ours.items()
    }
    said = ", ".join(f"{s}: {v:.3f} for {findings_theory.FLUID_SHAPES[s]}" for s, v in ours.items())
    return find_largest(distances).model_copy(update={"note": said})


def long_factor(runs: Runs) -> Estimate:
    """Find the largest factor between long flows and the fluid model."""
    times = rcp(runs)
    factors = {}
    for left, right in bins(5_000, 20_000):
        ratio = times.mean("sender_s", left, right) / findings_theory.FLUID[BASE][left]
        factors[of_bin(left, right)] = max(ratio, 1 / ratio)
    return find_largest(factors)


def port_mean(runs: Runs, *, column: str, protocol: str = RCP_PROTOCOL) -> Estimate:
    """Measure a mean at the bottleneck."""
    return Estimate(ours=mean_port(runs, BASE, protocol, column))


def _queue_s(runs: Runs, protocol: str) -> float:
    """Return the mean queue over time, as the time that the link takes for it.

    A packet waits longer in the mean, by the link's utilisation (Little): packets come in bursts.
    """
    packets = mean_port(runs, BASE, protocol, "mean_queue_packets")
    return packets / Times.of(runs, BASE, protocol).packets_per_s


def mean_queue(runs: Runs, *, protocol: str = RCP_PROTOCOL) -> Estimate:
    """Measure the mean queue in seconds."""
    wait_s = mean_port(runs, BASE, protocol, "mean_wait_s")
    note = f"a packet waits {1e3 * wait_s:.3g} ms in the mean"
    return Estimate(ours=_queue_s(runs, protocol), note=note)


def queue_of_bdp(runs: Runs) -> Estimate:
    """Measure the mean queue of RCP in bandwidth-delay products."""
    queue_s = _queue_s(runs, RCP_PROTOCOL)
    return Estimate(ours=queue_s / rcp(runs).rtt_s, note=f"mean queue {1e3 * queue_s:.3g} ms")


def small_flows(runs: Runs, *, protocol: str) -> Estimate:
    """Measure the time of small flows."""
    return Estimate(ours=Times.of(runs, BASE, protocol).mean("sender_s", 1, 20))


def gap(runs: Runs) -> Estimate:
    """Measure the gap to processor sharing, and its parts."""
    times = rcp(runs)
    parts = [parts_s(times, *b) for b in bins(SHORT, SHOWN)]
    said = ", ".join(
        f"{name} {1e3 * min(p[name] for p in parts):.3g} to {1e3 * max(p[name] for p in parts):.3g}"
        for name in PARTS
    )
    return Estimate(ours=gap_s(times), note=f"in ms, over bins of 200 to 2,000 packets: {said}")


def last_ack(runs: Runs) -> Estimate:
    """Measure the way of the last ACK."""
    times = rcp(runs)
    return Estimate(ours=times.mean("sender_s", 1, SHOWN) - times.mean("receiver_s", 1, SHOWN))


def gap_ratio(runs: Runs) -> Estimate:
    """Compare the receiver's gap with a mean of 30 packets with the base's.

    The sender's gap contains the delay of the last ACK, which does not depend on the sizes.
    """
    cases = (name_case("mean", 30), BASE)
    other, own = (gap_s(rcp(runs, case), "receiver_s") for case in cases)
    return Estimate(ours=other / own, note=f"{1e3 * other:.3g} and {1e3 * own:.3g} ms")


def shape_spread(runs: Runs, *, low: int, high: int, shapes: list[float]) -> Estimate:
    """Compare the longest times of a range of sizes with the shortest over shapes."""
    ours = {
        f"{shape}": rcp(runs, case).mean("sender_s", low, high)
        for shape, case in levels(runs.setup, "shape").items()
        if shape in shapes
    }
    return Estimate(ours=max(ours.values()) / min(ours.values()), note=f"s: {format_values(ours)}")


def rtt_spread(runs: Runs) -> Estimate:
    """Find the largest ratio over round trips of times over processor sharing."""
    times = [rcp(runs, case) for case in levels(runs.setup, "rtt").values()]
    spreads = {}
    for each in bins(1, SHOWN):
        ratios = [one.over_sharing("receiver_s", *each) for one in times]
        spreads[of_bin(*each)] = max(ratios) / min(ratios)
    return find_largest(spreads)


def far_beside_steep(runs: Runs) -> Estimate:
    """Compare times at 200 ms with those at a shape of 2.2, each over its processor sharing."""
    far, even = rcp(runs, name_case("rtt", "200 ms")), rcp(runs, name_case("shape", 2.2))
    ratios = {}
    for each in bins(20, SHOWN):
        ratio = far.over_sharing("sender_s", *each) / even.over_sharing("sender_s", *each)
        ratios[of_bin(*each)] = max(ratio, 1 / ratio)
    return find_largest(ratios)


def noise_ratio(runs: Runs) -> Estimate:
    """Compare how the points of RCP scatter over the sizes at a shape of 2.2 and in the base."""
    noise = {case: _scatter(rcp(runs, case)) for case in (name_case("shape", 2.2), BASE)}
    steep, own = noise.values()
    return Estimate(ours=steep / own, note=format_values(noise))


def _scatter(times: Times) -> float:
    rows = times.between(SHORT, SHOWN + 1) & (times.counts["finished"] > 0)
    ratios = (times.by_size("sender_s") / times.formula_s)[rows]
    return float(ratios.std() / ratios.mean())


def size_count(runs: Runs) -> Estimate:
    """Compare how many sizes occur at a shape of 2.2 with the base's."""
    counts = {
        case: float(np.mean([_sizes_met(runs.only(seed), case) for seed in runs.setup.seeds]))
        for case in (name_case("shape", 2.2), BASE)
    }
    steep, own = counts.values()
    return Estimate(ours=steep / own, note=format_values(counts))


def _sizes_met(runs: Runs, case: str) -> int:
    return int(rcp(runs, case).between(SHORT, SHOWN + 1).sum())
