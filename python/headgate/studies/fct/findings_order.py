"""Findings about TCP, XCP and RCP beside one another."""

from __future__ import annotations

import math

import numpy as np

from headgate.claims import Estimate
from headgate.experiment.estimates import (
    Makers,
    Values,
    format_values,
    largest,
    least,
    makers_by_claim,
)
from headgate.experiment.runs import Runs
from headgate.studies.fct.jobs import BASE, DATA_CENTRE, levels, magnitude
from headgate.studies.fct.measures import (
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


def _ratios(pair: list[Times], low: int, high: int) -> Values:
    """Return the ratio of two AFCT at the sender, for every bin that both have."""
    above, below = pair
    ratios = {
        of_bin(*each): above.mean("sender_s", *each) / below.mean("sender_s", *each)
        for each in bins(low, high)
    }
    return {name: ratio for name, ratio in ratios.items() if math.isfinite(ratio)}


# Who is nearer to processor sharing --------------------------------------------------------------


def _closer(runs: Runs, other: str, case: str = BASE) -> Estimate:
    rcp, another = _of(runs, "rcp", other, case=case)
    ratios = {}
    for each in bins(50, SHOWN):
        distances = [abs(math.log(t.over_sharing("receiver_s", *each))) for t in (rcp, another)]
        ratios[of_bin(*each)] = distances[0] / distances[1]
    return largest(ratios)


def _rcp_closer_than_tcp(runs: Runs) -> Estimate:
    return _closer(runs, "tcp")


def _rcp_closer_than_xcp(runs: Runs) -> Estimate:
    return _closer(runs, "xcp")


def _data_centre_ps(runs: Runs) -> Estimate:
    return _closer(runs, "tcp", DATA_CENTRE)


# TCP ---------------------------------------------------------------------------------------------


def _tcp_slow_start(runs: Runs) -> Estimate:
    (tcp,) = _of(runs, "tcp")
    distances = {}
    for each in bins(1, 500):
        expected = tcp.expect(tcp.slow_start_s, "clean_sender_s", *each)
        distances[of_bin(*each)] = abs(tcp.mean("clean_sender_s", *each) / expected - 1)
    distances = {name: value for name, value in distances.items() if math.isfinite(value)}
    retransmitted = mean_total(runs, BASE, "tcp", "retransmissions")
    found = largest(distances)
    wait = 1e3 * mean_port(runs, BASE, "tcp", "mean_wait_s")
    said = f"{found.note}; mean wait {wait:.3g} ms, {retransmitted:,.0f} retransmissions a run"
    return found.model_copy(update={"note": said})


def _tcp_above_slow_start(runs: Runs) -> Estimate:
    (tcp,) = _of(runs, "tcp")
    rows = tcp.between(500, SHOWN + 1)
    ratios = (tcp.by_size("sender_s") / tcp.slow_start_s)[rows]
    low, high = np.nanquantile(ratios, (0.1, 0.9))
    return Estimate(ours=float(np.nanmedian(ratios)), note=f"a tenth is {low:.3g}, {high:.3g}")


def _tcp_ten_times_rcp(runs: Runs) -> Estimate:
    tcp, rcp = (times.mean("sender_s", 500, SHOWN) for times in _of(runs, "tcp", "rcp"))
    return Estimate(ours=tcp / rcp, note=f"{tcp:.3g} s and {rcp:.3g} s")


def _tcp_short_run(runs: Runs) -> Estimate:
    (tcp,) = _of(runs, "tcp")
    early, whole = (tcp.mean(name, 5_000, 20_000) for name in ("early_sender_s", "sender_s"))
    ends = mean_total(runs, BASE, "tcp", "early_end_s")
    return Estimate(
        ours=early / whole, note=f"{early:.3g} s up to {ends:.3g} s, {whole:.3g} s whole"
    )


def _bandwidth_does_not_help(runs: Runs) -> Estimate:
    rates = levels(runs.setup, "rate")
    high = max(rates, key=magnitude)
    quarter = min(rates, key=lambda rate: abs(magnitude(rate) - magnitude(high) / 4))
    ratios = {}
    for protocol in ("tcp", "rcp"):
        fast, slow = (
            Times.of(runs, rates[rate], protocol).mean("sender_s", 50, 500)
            for rate in (high, quarter)
        )
        ratios[protocol] = fast / slow
    return Estimate(ours=ratios["tcp"], note=f"{quarter} to {high}: {format_values(ratios)}")


# Order -------------------------------------------------------------------------------------------


def _rcp_below_tcp(runs: Runs) -> Estimate:
    return largest(_ratios(_of(runs, "rcp", "tcp"), 50, SHOWN))


def _rcp_below_tcp_shapes(runs: Runs) -> Estimate:
    return _below(runs, "shape")


def _rcp_below_tcp_rtts(runs: Runs) -> Estimate:
    return _below(runs, "rtt")


def _below(runs: Runs, factor: str) -> Estimate:
    worst = {
        f"{factor} {level}": max(_ratios(_of(runs, "rcp", "tcp", case=case), 50, SHOWN).values())
        for level, case in levels(runs.setup, factor).items()
    }
    return largest(worst)


def _average(runs: Runs, other: str, case: str = BASE) -> Estimate:
    rcp, another = (times.mean("sender_s") for times in _of(runs, "rcp", other, case=case))
    return Estimate(ours=rcp / another, note=f"{rcp:.4g} s and {another:.4g} s")


def _average_tcp(runs: Runs) -> Estimate:
    return _average(runs, "tcp")


def _average_xcp(runs: Runs) -> Estimate:
    return _average(runs, "xcp")


def _data_centre_tcp(runs: Runs) -> Estimate:
    return _average(runs, "tcp", DATA_CENTRE)


def _xcp_slower_than_tcp(runs: Runs) -> Estimate:
    return least(_ratios(_of(runs, "xcp", "tcp"), 10, 500))


# Loads, sizes, ideals ----------------------------------------------------------------------------


def _load_is_09(runs: Runs) -> Estimate:
    loads = {
        f"shape {shape}": mean_total(runs, case, "rcp", "offered_load")
        for shape, case in levels(runs.setup, "shape").items()
    }
    return Estimate(ours=mean_total(runs, BASE, "rcp", "offered_load"), note=format_values(loads))


def _ps_line_is_ps(runs: Runs) -> Estimate:
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


def _ps_nearly_minimises(runs: Runs) -> Estimate:
    sharing, shortest = _ideal_means_s(runs)
    floor = 1.5 * Times.of(runs, BASE, "rcp").rtt_s
    return Estimate(ours=(floor + sharing) / (floor + shortest))


def _ps_not_outperformed(runs: Runs) -> Estimate:
    sharing, shortest = _ideal_means_s(runs)
    return Estimate(
        ours=shortest / sharing, note=f"{1e3 * shortest:.3g} and {1e3 * sharing:.3g} ms"
    )


def _heavier_near_2(runs: Runs) -> Estimate:
    shares = {f"shape {s}": _heaviest_share(runs, f"shape {s}") for s in (1.1, 1.8)}
    light, heavy = shares.values()
    return Estimate(ours=heavy / light, note=format_values(shares))


def _heaviest_share(runs: Runs, case: str) -> float:
    """Share of the packets in the largest hundredth of the flows."""
    times = Times.of(runs, case, "rcp")
    flows = times.counts["flows"][::-1]
    taken = np.minimum(flows, np.maximum(0.0, flows.sum() / 100 - (np.cumsum(flows) - flows)))
    return float((taken * times.sizes[::-1]).sum() / times.count_packets())


def _shorter_near_2(runs: Runs) -> Estimate:
    shares = {}
    for shape in (1.1, 1.8):
        times = Times.of(runs, f"shape {shape}", "rcp")
        shares[f"shape {shape}"] = times.count_flows(1, 10) / times.count_flows()
    light, heavy = shares.values()
    return Estimate(ours=heavy / light, note=format_values(shares))


def _short_flows_at_22(runs: Runs) -> Estimate:
    times = Times.of(runs, "shape 2.2", "rcp")
    return Estimate(ours=times.count_packets(1, 100) / times.count_packets())


ORDER: Makers = makers_by_claim(
    _rcp_closer_than_tcp,
    _rcp_closer_than_xcp,
    _data_centre_ps,
    _tcp_slow_start,
    _tcp_above_slow_start,
    _tcp_ten_times_rcp,
    _tcp_short_run,
    _bandwidth_does_not_help,
    _rcp_below_tcp,
    _rcp_below_tcp_shapes,
    _rcp_below_tcp_rtts,
    _average_tcp,
    _average_xcp,
    _data_centre_tcp,
    _xcp_slower_than_tcp,
    _ps_line_is_ps,
    _ps_nearly_minimises,
    _ps_not_outperformed,
    _heavier_near_2,
    _shorter_near_2,
    _short_flows_at_22,
) | {"load-is-0.9": _load_is_09}
