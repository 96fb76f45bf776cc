"""The measures of the runs of this study."""

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from headgate import Result
from headgate.lab import NotRunError, Runs, Setup
from headgate_studies.paths import (
    count_delivered,
    course,
    jain,
    largest_queue_share,
    loss_rate,
    mean_of,
    measured_period_s,
    queue_share,
    utilisation,
)
from headgate_studies.vcp import jobs
from headgate_studies.vcp.jobs import PACKET_BITS, bdp

Series = NDArray[np.float64]
Measure = Callable[[Result], float]
#: Rows of 200 ms in a second.
ROWS = 5
#: Rows of 1 s over which the rates of joining flows are averaged.
SMOOTHED = 5
FAIR = 0.95
#: Packets of what is called a short file; files a second that take half of the line.
SHORT, HALF_A_LINE = 100, 300.0


def queue_packets(run: Result) -> float:
    """Mean queue."""
    return float(run.ports["mean_queue_packets"][0])


MEASURES: Mapping[str, Measure] = {
    "utilisation": utilisation,
    "loss_rate": loss_rate,
    "queue_share": queue_share,
    "largest_queue_share": largest_queue_share,
}

#: Part of the study -> the setting that names its levels.
SWEEPS = {
    "bandwidth": "bandwidths_mbps",
    "fastest": "fastest_mbps",
    "delay": "rtts_ms",
    "spread": "rtts_ms",
    "flows": "counts",
    "short": "arrivals",
    "real time": "video",
}


def compared(runs: Runs) -> list[str]:
    """Return the schemes that are compared."""
    return list(runs.setup.settings["compared"])


def levels(runs: Runs, part: str, least: float = 0.0, most: float = np.inf) -> list[float]:
    """Levels of a sweep; raise NotRunError if this scale has none there."""
    found = [x for x in runs.setup.settings[SWEEPS[part]] if least <= x <= most]
    if not found:
        raise NotRunError(f"{part}: no level from {least:g} to {most:g} is part of this scale")
    return found


def at(runs: Runs, part: str, scheme: str, level: float, of: Measure = utilisation) -> float:
    """Mean of a measure over the replicates."""
    return mean_of(of, runs.replicates(part, scheme, level))


def sweep(  # noqa: PLR0913, PLR0917 - what is swept, and how far
    runs: Runs,
    part: str,
    scheme: str,
    of: Measure = utilisation,
    least: float = 0.0,
    most: float = np.inf,
) -> dict[str, float]:
    """Return a measure by level from `least` up."""
    return {f"{x:g}": at(runs, part, scheme, x, of) for x in levels(runs, part, least, most)}


def window_packets(part: str, level: float) -> float:
    """Bandwidth-delay product of one of the fifty flows."""
    if part == "bandwidth":
        return bdp(level, jobs.RTT_S) / jobs.FLOWS
    return bdp(jobs.RATE_MBPS, level / 1e3) / jobs.FLOWS


def utilisation_course(run: Result, rate_mbps: float, rows: int = ROWS) -> tuple[Series, Series]:
    """Return the time and the utilisation of the bottleneck over the last second."""
    t_s, sent_bytes = course(run, "bottleneck", "sent_bytes")
    total = np.concatenate([[0.0], sent_bytes])
    elapsed = np.concatenate([[0.0], t_s])
    back = np.maximum(np.arange(1, len(total)) - rows, 0)
    spans = np.maximum(elapsed[1:] - elapsed[back], 1e-9)
    return t_s, (total[1:] - total[back]) * 8 / (spans * rate_mbps * 1e6)


def has_name(run: Result, begin: str) -> NDArray[np.bool_]:
    """Return which flows' names begin so."""
    return np.array([str(name).startswith(begin) for name in run.flows["traffic"]])


def ends_s(run: Result, traffic: str) -> NDArray[np.float64]:
    """When the flows end whose names begin so."""
    rows = has_name(run, traffic)
    starts = np.asarray(run.flows["start_s"], float)[rows]
    return np.asarray(starts + np.asarray(run.flows["fct_sender_s"], float)[rows])


def back_in_use_s(run: Result, traffic: str, rate_mbps: float, share: float) -> float:
    """Time from the last such flow's end until that share is used, infinite if never."""
    last_s = float(np.max(ends_s(run, traffic)))
    t_s, in_use = utilisation_course(run, rate_mbps)
    later = (t_s >= last_s + 1.0) & (in_use >= share)
    return float(t_s[later][0]) - last_s if later.any() else float("inf")


def growth(run: Result) -> float:
    """Factor in a period by which a lone window grows from 10 packets to half the path."""
    t_s, window = course(run, "first", "cwnd_packets")
    half = bdp(jobs.SLOW_MBPS, jobs.RTT_S) / 2
    rows = (window >= 10) & (window <= half) & (t_s < jobs.JOIN_S)
    per_s = np.polyfit(t_s[rows], np.log(window[rows]), 1)[0]
    return float(np.exp(0.2 * per_s))


def join_fairness(run: Result) -> float:
    """Jain's index of all ten flows over the 15 s before the first of the nine ends."""
    first_s = float(np.min(ends_s(run, "joiner")))
    names = ["first", *(f"joiner {i}" for i in range(jobs.JOINERS))]
    return jain(np.array([count_delivered(run, name, first_s - 15.0, first_s) for name in names]))


def joined_rates(run: Result) -> tuple[Series, Series]:
    """Return the time and the rates of the flows that join, a row each, over five seconds."""
    rows = []
    for i in range(jobs.JOINED):
        t_s, so_far = course(run, f"flow {i + 1}", "delivered_packets")
        grid = np.arange(1.0, jobs.JOINED * jobs.APART_S + jobs.APART_S + 0.5)
        total = np.interp(grid, t_s, so_far, left=0.0)
        before = np.concatenate([np.zeros(SMOOTHED), total[:-SMOOTHED]])
        rows.append((total - before) / SMOOTHED)
    return grid, np.array(rows)


def fair_after_s(run: Result) -> list[float]:
    """Seconds from each join until the flows that are there share fairly.

    A join that is never followed by it counts with the time to the next.
    """
    t_s, rates = joined_rates(run)
    joins = [i * jobs.APART_S for i in range(1, jobs.JOINED)] + [float(t_s[-1])]
    times = []
    for i, (join, following) in enumerate(pairwise(joins)):
        rows = (t_s > join) & (t_s <= following)
        fair = np.array([jain(rates[: i + 2, row]) >= FAIR for row in np.flatnonzero(rows)])
        times.append(float(t_s[rows][fair][0]) - join if fair.any() else following - join)
    return times


def end_fairness(run: Result) -> float:
    """Jain's index over the last minute."""
    _, rates = joined_rates(run)
    return jain(rates[:, -60:].mean(axis=1))


def spike_loss(run: Result) -> float:
    """Loss rate over the 10 s from the join of the crowd."""
    t_s, drops = course(run, "bottleneck", "drops")
    _, sent = course(run, "bottleneck", "sent_bytes")
    between = (jobs.CROWD_S, jobs.CROWD_S + 10.0)
    dropped, packets = (
        float(np.diff(np.interp(between, t_s, values))[0])
        for values in (drops, sent * 8 / PACKET_BITS)
    )
    return dropped / (dropped + packets)


def long_over_cross(runs: Runs, scheme: str) -> float:
    """Rate of a flow over all links over the mean of those over one."""
    found = []
    for run in runs.replicates("shares", scheme):
        rates = np.asarray(run.flows["delivered_packets"], float)
        found.append(rates[has_name(run, "long")].mean() / rates[has_name(run, "cross")].mean())
    return float(np.mean(found))


def delivered_by_rtt(runs: Runs, scheme: str, spread: str) -> Series:
    """Mean packets of each flow, the shortest round trip first."""
    done = runs.replicates("round trips", scheme, spread)
    packets = [np.asarray(run.flows["delivered_packets"], float) for run in done]
    return np.asarray(np.mean(packets, axis=0), float)


def spread_rtts_s(setup: Setup, spread: str) -> Series:
    """Round trips of the thirty flows."""
    apart_ms = setup.settings["spreads_ms"][spread]
    return np.asarray(0.04 + np.arange(jobs.FAIR_FLOWS) * apart_ms / 1e3)


def rtt_exponent(runs: Runs, scheme: str) -> float:
    """Exponent of rate against round trip, 40 to 330 ms."""
    rates = delivered_by_rtt(runs, scheme, "40-330")
    return float(np.polyfit(np.log(spread_rtts_s(runs.setup, "40-330")), np.log(rates), 1)[0])


def rtt_exponent_with_queue(runs: Runs, scheme: str) -> float:
    """Exponent of rate against each flow's mean round trip, paths of 40 to 330 ms."""
    done = runs.replicates("round trips", scheme, "40-330")
    rtts_s = np.mean([np.asarray(run.flows["mean_rtt_s"], float) for run in done], axis=0)
    rates = delivered_by_rtt(runs, scheme, "40-330")
    return float(np.polyfit(np.log(rtts_s), np.log(rates), 1)[0])


def least_hop(run: Result) -> float:
    """Least utilisation of the links of the chain, forward."""
    rows = [hop_row(run, hop) for hop in range(1, jobs.HOPS + 1)]
    return float(np.min(np.asarray(run.ports["utilisation"], float)[rows]))


def hop_row(run: Result, hop: int) -> int:
    """Row of a link of the chain."""
    return [str(name) for name in run.ports["link"]].index(f"hop{hop}")


def peak_load(run: Result) -> float:
    """Greatest load that the router saw."""
    return float(np.nanmax(course(run, "bottleneck", "gauge")[1]))


def share_of_vcp(run: Result) -> float:
    """Share of all packets delivered that flows of VCP got."""
    packets = np.asarray(run.flows["delivered_packets"], float)
    return float(packets[has_name(run, "vcp")].sum() / packets.sum())


def load_swing(run: Result) -> float:
    """Deviation of the load from its mean, relative, once the run has settled."""
    t_s, load = course(run, "bottleneck", "gauge")
    settled = load[t_s > t_s[-1] / 2]
    return float(np.std(settled) / np.mean(settled))


def rise_s(run: Result) -> float:
    """Time in which a lone flow takes 75 % of the rate, over a second."""
    t_s, in_use = utilisation_course(run, jobs.LONE_MBPS)
    taken = in_use >= 0.75
    return float(t_s[taken][0]) if taken.any() else float("inf")


def completions_s(run: Result, low: float, high: float) -> Series:
    """Completion times at the receiver of short files of such sizes that began well before the end.

    The last sixth of the run is theirs to finish in; one that does not is left out.
    """
    warmup_s, end_s = measured_period_s(run)
    size, start_s = (np.asarray(run.flows[name], float) for name in ("size_packets", "start_s"))
    rows = has_name(run, "short") & (size >= low) & (size <= high)
    rows &= (start_s >= warmup_s) & (start_s <= end_s - end_s / 6)
    taken = np.asarray(run.flows["fct_receiver_s"], float)[rows]
    return np.asarray(taken[np.isfinite(taken)])


def mean_completion_s(runs: Runs, scheme: str, rate: float, sizes: tuple[float, float]) -> float:
    """Mean completion time over all replicates; NaN if no file of such a size finished."""
    done = runs.replicates("short", scheme, rate)
    taken = np.concatenate([completions_s(run, *sizes) for run in done])
    return float(taken.mean()) if len(taken) else float("nan")


def ai_completion_s(packets: float) -> float:
    """Completion time, at the receiver, of a VCP file that hears of a high load all the time.

    Its window grows from two packets on by alpha (rtt/t)^2 a round trip; the handshake takes one.
    """
    growth, sent, rounds = (jobs.RTT_S / 0.2) ** 2, 0.0, 0
    while sent < packets:
        sent += 2 + growth * rounds
        rounds += 1
    return (rounds + 0.5) * jobs.RTT_S


def voice_waits_s(run: Result) -> Series:
    """Round trips of the voice's packets above that of the path, in the order of the packets."""
    rtts = np.asarray(course(run, "voice", "gauge")[1], float)
    return np.asarray(rtts[np.isfinite(rtts)] - jobs.RTT_S)


def voice_delay_ms(run: Result) -> float:
    """Mean wait on a round trip."""
    return 1e3 * float(np.mean(voice_waits_s(run)))


def voice_late_ms(run: Result) -> float:
    """Return the wait that one packet in a hundred exceeds."""
    return 1e3 * float(np.quantile(voice_waits_s(run), 0.99))


def voice_jitter_ms(run: Result) -> float:
    """Mean change of the round trip from a packet to the next, 20 ms later."""
    return 1e3 * float(np.mean(np.abs(np.diff(voice_waits_s(run)))))


def voice_loss(run: Result) -> float:
    """Share of the voice's packets that were lost: those that had to be repeated."""
    [row] = np.flatnonzero(has_name(run, "voice"))
    lost, got = (
        float(run.flows[name][row]) for name in ("retransmissions_total", "delivered_total_packets")
    )
    return lost / (lost + got)


VOICE: Mapping[str, Measure] = {
    "delay (ms)": voice_delay_ms,
    "99th per cent (ms)": voice_late_ms,
    "jitter (ms)": voice_jitter_ms,
    "loss": voice_loss,
}
