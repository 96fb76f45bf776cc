"""Findings about TCP, XCP and RCP beside one another."""

from __future__ import annotations

import math

import numpy as np

from headgate.claims import Estimate, find_largest, find_least, format_values
from headgate.lab import Runs
from headgate_studies.fct import findings_theory
from headgate_studies.fct.jobs import BASE, base, levels, magnitude
from headgate_studies.fct.measures import (
    SHORT,
    SHOWN,
    Times,
    bins,
    by_bin,
    mean_port,
    mean_total,
    of_bin,
)


def _of(runs: Runs, *protocols: str, case: str = BASE) -> list[Times]:
    return [Times.of(runs, case, protocol) for protocol in protocols]


def _ratios(pair: list[Times], low: int, high: int) -> dict[str, float]:
    """Return the ratio of two AFCT at the sender, for every bin that both have."""
    above, below = pair
    ratios = {
        of_bin(*each): above.mean("sender_s", *each) / below.mean("sender_s", *each)
        for each in bins(low, high)
    }
    return {name: ratio for name, ratio in ratios.items() if math.isfinite(ratio)}


def sharing_distance(runs: Runs, *, other: str, case: str = BASE) -> Estimate:
    """Find the largest ratio of RCP's distance from processor sharing to another's."""
    rcp, another = _of(runs, "rcp", other, case=case)
    ratios = {}
    for each in bins(1, SHOWN):
        distances = [abs(math.log(t.over_sharing("receiver_s", *each))) for t in (rcp, another)]
        ratios[of_bin(*each)] = distances[0] / distances[1]
    return find_largest({name: ratio for name, ratio in ratios.items() if math.isfinite(ratio)})


def slow_start_distance(runs: Runs) -> Estimate:
    """Find TCP's largest distance from slow start while nothing is lost."""
    (tcp,) = _of(runs, "tcp")
    distances = {}
    for each in bins(1, 500):
        expected = tcp.expect(tcp.slow_start_own_s, "clean_sender_s", *each)
        distances[of_bin(*each)] = abs(tcp.mean("clean_sender_s", *each) / expected - 1)
    distances = {name: value for name, value in distances.items() if math.isfinite(value)}
    retransmitted = mean_total(runs, BASE, "tcp", "retransmissions")
    found = find_largest(distances)
    wait = 1e3 * mean_port(runs, BASE, "tcp", "mean_wait_s")
    said = f"{found.note}; mean wait {wait:.3g} ms, {retransmitted:,.0f} retransmissions a run"
    return found.model_copy(update={"note": said})


def slow_start_line_distance(runs: Runs) -> Estimate:
    """Find TCP's largest distance from the line of slow start."""
    (tcp,) = _of(runs, "tcp")
    distances = {
        of_bin(*each): tcp.mean("sender_s", *each)
        / tcp.expect(tcp.slow_start_line_s, "sender_s", *each)
        - 1
        for each in bins(5, 500)
    }
    known = {name: value for name, value in distances.items() if math.isfinite(value)}
    return Estimate(ours=max(map(abs, known.values())), note=format_values(known))


def over_slow_start(runs: Runs) -> Estimate:
    """Find the median over sizes of TCP's times over the line of slow start."""
    low, median, high = _over_slow_start(runs)
    return Estimate(ours=median, note=f"first and ninth tenth {low:.3g} and {high:.3g}")


def scatter_over_slow_start(runs: Runs) -> Estimate:
    """Compare the ninth tenth of these ratios with the first."""
    low, _, high = _over_slow_start(runs)
    return Estimate(ours=high / low, note=f"{low:.3g} and {high:.3g}")


def _over_slow_start(runs: Runs) -> tuple[float, float, float]:
    """Return first tenth, median and ninth tenth over sizes of TCP's times over the line."""
    (tcp,) = _of(runs, "tcp")
    ratios = (tcp.by_size("sender_s") / tcp.slow_start_line_s)[tcp.between(500, SHOWN + 1)]
    low, median, high = np.nanquantile(ratios, (0.1, 0.5, 0.9))
    return float(low), float(median), float(high)


def tcp_over_rcp(runs: Runs) -> Estimate:
    """Compare TCP's times with RCP's for a typical flow."""
    tcp, rcp = (times.mean("sender_s", 500, SHOWN) for times in _of(runs, "tcp", "rcp"))
    return Estimate(ours=tcp / rcp, note=f"{tcp:.3g} s and {rcp:.3g} s")


def early_over_whole(runs: Runs) -> Estimate:
    """Compare the long flows of a run of TCP that stops early with those of the whole."""
    (tcp,) = _of(runs, "tcp")
    early, whole = (tcp.mean(name, 5_000, 20_000) for name in ("early_sender_s", "sender_s"))
    ends = mean_total(runs, BASE, "tcp", "early_end_s")
    return Estimate(
        ours=early / whole, note=f"{early:.3g} s up to {ends:.3g} s, {whole:.3g} s whole"
    )


def fast_over_quarter(runs: Runs) -> Estimate:
    """Compare TCP's times at the highest rate with those at a quarter of it."""
    rates = levels(runs.setup, "rate")
    high = max(rates, key=magnitude)
    quarter = min(rates, key=lambda rate: abs(magnitude(rate) - magnitude(high) / 4))
    ratios = {}
    for protocol in ("tcp", "rcp"):
        fast, slow = (
            Times.of(runs, rates[rate], protocol).mean("sender_s") for rate in (high, quarter)
        )
        ratios[protocol] = fast / slow
    return Estimate(ours=ratios["tcp"], note=f"{quarter} to {high}: {format_values(ratios)}")


def largest_ratio(runs: Runs, *, of: str, to: str, low: int, high: int) -> Estimate:
    """Find the largest ratio of the times of two protocols."""
    return find_largest(_ratios(_of(runs, of, to), low, high))


def least_ratio(runs: Runs, *, of: str, to: str, low: int, high: int) -> Estimate:
    """Find the least ratio of the times of two protocols."""
    return find_least(_ratios(_of(runs, of, to), low, high))


def worst_ratio(runs: Runs, *, factor: str, of: list[float] | list[str]) -> Estimate:
    """Find the largest ratio of RCP's times to TCP's over levels of a factor."""
    worst = {
        f"{factor} {level}": max(_ratios(_of(runs, "rcp", "tcp", case=case), 1, SHOWN).values())
        for level, case in levels(runs.setup, factor).items()
        if level in of
    }
    return find_largest(worst)


def mean_ratio(runs: Runs, *, other: str, case: str = BASE) -> Estimate:
    """Compare the mean over all flows of RCP with another's."""
    rcp, another = (times.mean("sender_s") for times in _of(runs, "rcp", other, case=case))
    return Estimate(ours=rcp / another, note=f"{rcp:.4g} s and {another:.4g} s")


def offered_load(runs: Runs) -> Estimate:
    """Infer the load of the base from its short flows, which do not scatter much."""
    realised = {
        f"shape {shape}": mean_total(runs, case, "rcp", "offered_load")
        for shape, case in levels(runs.setup, "shape").items()
    }
    (times,) = _of(runs, "rcp")
    about = base(runs.setup)
    part = findings_theory.packets_of_sizes_up_to(SHORT - 0.5, about["mean"], about["shape"])
    short = times.count_packets(0, SHORT) / times.count_packets()
    load = mean_total(runs, BASE, "rcp", "offered_load") * short / part
    return Estimate(ours=load, note=f"realised with all sizes: {format_values(realised)}")


def excess_ratio(runs: Runs, *, low: float, high: float) -> Estimate:
    """Compare the mean excess of the sizes over two thresholds at a shape of 2.2."""
    times = Times.of(runs, "shape 2.2", "rcp")
    excess = [
        times.count_packets(above) / times.count_flows(above) - above for above in (low, high)
    ]
    return Estimate(ours=excess[1] / excess[0], note=f"{excess[0]:.3g} and {excess[1]:.3g} packets")


def sharing_equation(runs: Runs, *, case: str) -> Estimate:
    """Find the ratio of exact processor sharing in the link to L/(C (1 - load)) farthest from 1."""
    (times,) = _of(runs, "rcp", case=case)
    floor_s = 1.5 * times.rtt_s
    ratios = {
        of_bin(*each): (times.mean("sharing_s", *each) - floor_s)
        / (times.expect(times.formula_s, "sharing_s", *each) - floor_s)
        for each in bins(1, SHOWN)
    }
    known = {name: ratio for name, ratio in ratios.items() if math.isfinite(ratio)}
    worst = max(known.values(), key=lambda ratio: abs(ratio - 1))
    load = mean_total(runs, case, "rcp", "offered_load")
    return Estimate(ours=worst, note=f"load realised {load:.3f}; {format_values(known)}")


def exact_sharing(runs: Runs) -> Estimate:
    """Compare processor sharing of the very flows with its formula."""
    (times,) = _of(runs, "rcp")
    said = ", ".join(
        f"{x:,.0f} packets {y:.3g} s"
        for x, y in zip(*by_bin(times, "sharing_s", 500, 20_000), strict=True)
    )
    return Estimate(ours=times.over_sharing("sharing_s", 5_000, 10_000), note=f"exact: {said}")


def _ideal_means_s(runs: Runs) -> tuple[float, float]:
    sharing, shortest = (
        mean_total(runs, BASE, "rcp", name) for name in ("sharing_s", "shortest_first_s")
    )
    return sharing, shortest


def completion_over_least(runs: Runs) -> Estimate:
    """Compare the completion time under processor sharing with the least one."""
    sharing, shortest = _ideal_means_s(runs)
    floor = 1.5 * Times.of(runs, BASE, "rcp").rtt_s
    return Estimate(ours=(floor + sharing) / (floor + shortest))


def sharing_over_least(runs: Runs) -> Estimate:
    """Compare the time in the link under processor sharing with the least one."""
    sharing, shortest = _ideal_means_s(runs)
    return Estimate(
        ours=sharing / shortest, note=f"{1e3 * sharing:.3g} and {1e3 * shortest:.3g} ms"
    )


def over_least(runs: Runs, *, protocol: str) -> Estimate:
    """Compare a protocol's completion time, all flows, with the least one."""
    (times,) = _of(runs, protocol)
    least_s = 1.5 * times.rtt_s + mean_total(runs, BASE, protocol, "shortest_first_s")
    ours = times.mean("receiver_s")
    return Estimate(ours=ours / least_s, note=f"{ours:.3g} s and {least_s:.3g} s")


def least_over_sharing(runs: Runs) -> Estimate:
    """Compare the least time in the link with that under processor sharing."""
    sharing, shortest = _ideal_means_s(runs)
    return Estimate(
        ours=shortest / sharing, note=f"{1e3 * shortest:.3g} and {1e3 * sharing:.3g} ms"
    )


def tail_weight(runs: Runs) -> Estimate:
    """Compare the packets in the largest flows of two shapes."""
    shares = {f"shape {s}": _heaviest_share(runs, f"shape {s}") for s in (1.1, 1.8)}
    light, heavy = shares.values()
    return Estimate(ours=heavy / light, note=format_values(shares))


def _heaviest_share(runs: Runs, case: str) -> float:
    """Share of the packets in the largest hundredth of the flows."""
    times = Times.of(runs, case, "rcp")
    flows = times.counts["flows"][::-1]
    taken = np.minimum(flows, np.maximum(0.0, flows.sum() / 100 - (np.cumsum(flows) - flows)))
    return float((taken * times.sizes[::-1]).sum() / times.count_packets())


def short_share(runs: Runs, *, below: int) -> Estimate:
    """Compare the share of short flows of two shapes."""
    shares = {}
    for shape in (1.1, 1.8):
        times = Times.of(runs, f"shape {shape}", "rcp")
        shares[f"shape {shape}"] = times.count_flows(1, below) / times.count_flows()
    light, heavy = shares.values()
    return Estimate(ours=heavy / light, note=format_values(shares))


def packets_of_short(runs: Runs) -> Estimate:
    """Measure the share of the packets in short flows at a shape of 2.2."""
    times = Times.of(runs, "shape 2.2", "rcp")
    return Estimate(ours=times.count_packets(1, 100) / times.count_packets())
