"""The findings of the study: functions that its claims name."""

from __future__ import annotations

from typing import Literal

import numpy as np

from headgate import Result
from headgate.claims import (
    Estimate,
    compute_relative_error,
    estimate_mean,
    find_largest,
    find_least,
    format_values,
)
from headgate.lab import NotRunError, Runs
from headgate_studies.paths import (
    goodput_bps,
    jain,
    largest_queue,
    loss_rate,
    mean_of,
    queue_share,
    utilisation,
)
from headgate_studies.vcp import jobs, measures
from headgate_studies.vcp.measures import (
    HALF_A_LINE,
    SHORT,
    at,
    compared,
    levels,
    mean_completion_s,
    sweep,
    voice_delay_ms,
    voice_loss,
)

#: From here up the slides' statements are held to their words.
FAST_MBPS = 10.0
#: Round trips with more than a packet for each of fifty flows, up to the range of all schemes.
FLOWS_HAVE_PACKETS_MS, LONG_MS = 3.0, 800.0
QUEUE_SWEEPS = ("bandwidth", "delay")


def fall(runs: Runs, *, part: str) -> Estimate:
    """Give TCP's utilisation at the highest level over its best."""
    values = sweep(runs, part, "TCP")
    if part == "bandwidth":
        values |= sweep(runs, "fastest", "TCP")
    return Estimate(
        ours=list(values.values())[-1] / max(values.values()), note=format_values(values)
    )


def least_use(
    runs: Runs, *, part: str, scheme: str, low: float = 0.0, high: float = np.inf
) -> Estimate:
    """Find the least utilisation over the levels of a sweep."""
    return find_least(sweep(runs, part, scheme, least=low, most=high))


def fastest_use(runs: Runs, *, scheme: str) -> Estimate:
    """Measure the utilisation of the fastest line."""
    level = max(levels(runs, "fastest"))
    return estimate_mean([utilisation(run) for run in runs.replicates("fastest", scheme, level)])


def least_use_of_xcp(runs: Runs) -> Estimate:
    """Find XCP's least utilisation over bandwidths, the fastest among them."""
    values = sweep(runs, "bandwidth", "XCP", least=FAST_MBPS)
    return find_least(values | sweep(runs, "fastest", "XCP"))


def most(
    runs: Runs,
    *,
    of: Literal["loss_rate", "queue_share"],
    part: str,
    scheme: str,
    low: float = 0.0,
) -> Estimate:
    """Find the largest of a measure of a scheme over the levels of a sweep."""
    return find_largest(sweep(runs, part, scheme, measures.MEASURES[of], low), 2)


def compare_with_tcp(runs: Runs, *, scheme: str) -> Estimate:
    """Find the least ratio of utilisations."""
    cells = [("bandwidth", x) for x in levels(runs, "bandwidth", 100)]
    cells += [("delay", x) for x in levels(runs, "delay", 80)]
    ratios = {
        f"{part} {x:g}": at(runs, part, scheme, x) / at(runs, part, "TCP", x) for part, x in cells
    }
    return find_least(ratios)


def fall_short_of_xcp(runs: Runs, *, scheme: str) -> Estimate:
    """Find the largest difference of utilisations."""
    cells = [("bandwidth", x) for x in levels(runs, "bandwidth", FAST_MBPS)]
    cells += [("delay", x) for x in levels(runs, "delay", FLOWS_HAVE_PACKETS_MS, LONG_MS)]
    short = {
        f"{part} {x:g}": at(runs, part, "XCP", x) - at(runs, part, scheme, x) for part, x in cells
    }
    return find_largest(short, 2)


def lose_more_than_tcp(runs: Runs, *, scheme: str) -> Estimate:
    """Find the largest difference of loss rates."""
    parts = ("bandwidth", "delay")
    losses = {
        f"{part} {x:g}": at(runs, part, scheme, x, loss_rate) - at(runs, part, "TCP", x, loss_rate)
        for part in parts
        for x in levels(runs, part)
    }
    return find_largest(losses, 2)


def _queues(runs: Runs, scheme: str, part: str, *, crowded: bool) -> dict[str, float]:
    """Return the queue's share of the buffer for windows of at most a packet, or above."""
    chosen = [x for x in levels(runs, part) if (measures.window_packets(part, x) <= 1) == crowded]
    if not chosen:
        has = "at most" if crowded else "more than"
        raise NotRunError(f"{part}: at no level of this scale a flow has {has} a packet")
    return {f"{part} {x:g}": at(runs, part, scheme, x, queue_share) for x in chosen}


def queue(runs: Runs, *, scheme: str) -> Estimate:
    """Find the largest mean queue for windows of more than a packet."""
    slow = {f"bandwidth {x:g}" for x in levels(runs, "bandwidth", most=FAST_MBPS - 1e-9)}
    by_part = (_queues(runs, scheme, part, crowded=False) for part in QUEUE_SWEEPS)
    queues = {name: share for part in by_part for name, share in part.items()}
    return find_largest({name: share for name, share in queues.items() if name not in slow}, 2)


def crowded_queue(runs: Runs, *, scheme: str) -> Estimate:
    """Compare the mean queue for windows of at most a packet with that for larger windows.

    Each sweep by itself; the lesser ratio counts.
    """
    ratios, said = {}, []
    for part in QUEUE_SWEEPS:
        few, many = (_queues(runs, scheme, part, crowded=crowded) for crowded in (True, False))
        ratios[part] = float(np.mean(list(few.values())) / np.mean(list(many.values())))
        said.append(f"at most a packet: {format_values(few, 2)}; more: {format_values(many, 2)}")
    found = find_least(ratios)
    return found.model_copy(update={"note": "; ".join([found.note, *said])})


def growth(runs: Runs) -> Estimate:
    """Fit the factor by which a lone window grows in a period."""
    return Estimate(ours=measures.growth(runs["illustration", "VCP"]))


def recovery(runs: Runs, *, scheme: str) -> Estimate:
    """Time how long the line stays unused after nine flows have left."""
    run = runs["illustration", scheme]
    return Estimate(ours=measures.back_in_use_s(run, "joiner", jobs.SLOW_MBPS, 0.78))


def join_fairness(runs: Runs, *, scheme: str) -> Estimate:
    """Jain's index of one flow and the nine that join it."""
    return Estimate(ours=measures.join_fairness(runs["illustration", scheme]))


def compare_recoveries(runs: Runs, *, scheme: str) -> Estimate:
    """Compare the time for which the line stays unused after nine flows have left with TCP's."""
    times = {
        name: measures.back_in_use_s(runs["illustration", name], "joiner", jobs.SLOW_MBPS, 0.78)
        for name in (scheme, "TCP")
    }
    return Estimate(ours=times[scheme] / times["TCP"], note=f"seconds: {format_values(times)}")


def _join_times(runs: Runs, scheme: str) -> float:
    return float(np.mean(measures.fair_after_s(runs["joining", scheme])))


def join_ratio(runs: Runs, *, slow: str, fast: str) -> Estimate:
    """Compare the times from a join until rates are fair."""
    times = {name: _join_times(runs, name) for name in (slow, fast)}
    return Estimate(ours=times[slow] / times[fast], note=f"seconds: {format_values(times)}")


def end_fairness(runs: Runs, *, scheme: str) -> Estimate:
    """Jain's index of the five flows at the end."""
    return Estimate(ours=measures.end_fairness(runs["joining", scheme]))


def join_loss(runs: Runs, *, scheme: str) -> Estimate:
    """Loss rate when the crowd joins."""
    return estimate_mean([measures.spike_loss(run) for run in runs.replicates("crowd", scheme)])


def leave_recovery(runs: Runs, *, scheme: str) -> Estimate:
    """Time how long the line stays unused after the crowd has left."""
    done = runs.replicates("crowd", scheme)
    return estimate_mean(
        [measures.back_in_use_s(run, "crowd", jobs.RATE_MBPS, 0.9) for run in done]
    )


def fairness(runs: Runs, scheme: str, spread: str) -> float:
    """Jain's index of thirty flows."""
    return jain(measures.delivered_by_rtt(runs, scheme, spread))


def fair(runs: Runs, *, spread: str, scheme: str) -> Estimate:
    """Jain's index of thirty flows."""
    return Estimate(ours=fairness(runs, scheme, spread))


def fairness_lost(runs: Runs, *, scheme: str) -> Estimate:
    """Compare Jain's index of equal round trips with that of long ones."""
    index = {spread: fairness(runs, scheme, spread) for spread in runs.setup.settings["spreads_ms"]}
    return Estimate(ours=index["equal"] - index["40-330"], note=format_values(index))


def rtt_exponent(runs: Runs, *, scheme: str) -> Estimate:
    """Fit the exponent of rate against round trip."""
    return Estimate(ours=measures.rtt_exponent(runs, scheme))


def rtt_exponent_with_queue(runs: Runs, *, scheme: str) -> Estimate:
    """Fit the exponent of rate against the round trip that flows have, queue and all."""
    return Estimate(ours=measures.rtt_exponent_with_queue(runs, scheme))


def long_share(runs: Runs, *, less: str, more: str) -> Estimate:
    """Compare what a flow over three links gets under two schemes."""
    shares = {name: measures.long_over_cross(runs, name) for name in (less, more)}
    return Estimate(ours=shares[less] / shares[more], note=format_values(shares))


def parking_lot(runs: Runs, *, scheme: str) -> Estimate:
    """Take the least utilisation of seven links."""
    return estimate_mean(
        [measures.least_hop(run) for run in runs.replicates("parking lot", scheme)]
    )


def share_beside_tcp(runs: Runs, *, scheme: str) -> Estimate:
    """Give what five flows of VCP get of what they and five of TCP carry."""
    return estimate_mean(
        [measures.share_of_vcp(run) for run in runs.replicates("beside tcp", scheme)]
    )


def rise_times(runs: Runs) -> Estimate:
    """Compare the times in which a lone flow takes the line, Scalable TCP's over VCP's."""
    times = {f"xi {xi:g}": measures.rise_s(runs["xi", xi]) for xi in runs.setup.settings["xis"]}
    ratio = measures.rise_s(runs["xi", 0.01]) / measures.rise_s(runs["xi", 0.0625])
    return Estimate(ours=ratio, note=f"seconds: {format_values(times)}")


def overshoot(runs: Runs) -> Estimate:
    """Compare the largest queue without scaling with that with it."""
    peaks = {kind: largest_queue(runs["scaling", kind]) for kind in ("none", "rtt")}
    return Estimate(ours=peaks["none"] / peaks["rtt"], note=f"packets: {format_values(peaks)}")


def loss_exponent(runs: Runs) -> Estimate:
    """Fit the exponent of TCP's rate against random loss."""
    losses = [p for p in runs.setup.settings["lossy"]["losses"] if p >= 1e-4]
    rates = {f"p = {p:g}": mean_of(goodput_bps, runs.replicates("lossy", "TCP", p)) for p in losses}
    slope = float(np.polyfit(np.log(losses), np.log(list(rates.values())), 1)[0])
    return Estimate(ours=slope, note=f"bit/s: {format_values(rates)}")


def lossy_share(runs: Runs, *, scheme: str, loss: float) -> Estimate:
    """Give what one flow uses of a line that loses that share of packets at random."""
    done = runs.replicates("lossy", scheme, loss)
    return estimate_mean([utilisation(run) for run in done])


def losses_outrun(runs: Runs, *, scheme: str, low: float, high: float) -> Estimate:
    """Compare rate times loss with what MI makes up for when each loss halves, over losses."""
    losses = [p for p in runs.setup.settings["lossy"]["losses"] if low <= p <= high]
    due = np.log1p(0.0625) / (0.2 * np.log(2))
    rates = {
        f"p = {p:g}": float(
            np.mean([p * _packets_per_s(r) for r in runs.replicates("lossy", scheme, p)])
        )
        for p in losses
    }
    ratio = float(np.mean(list(rates.values()))) / due
    return Estimate(ours=ratio, note=f"packets/s x p: {format_values(rates)}; {due:.3f} expected")


def _packets_per_s(run: Result) -> float:
    return float(run.flows["delivered_packets"][0]) / float(run.ports["elapsed_s"][0])


def equilibrium(runs: Runs) -> Estimate:
    """Find the largest distance of a flow's rate from that of the fluid model at rest."""
    run = runs["fluid",]
    rates = np.asarray(run.flows["delivered_packets"], float) / float(run.ports["elapsed_s"][0])
    rest = jobs.fluid_rate(jobs.K)
    named = zip(jobs.FLUID_RTTS_S, rates, strict=True)
    found_ = find_largest(
        {f"{1e3 * rtt:g} ms": compute_relative_error(float(x), rest) for rtt, x in named}, 2
    )
    return found_.model_copy(update={"note": f"{rest:.0f} packets/s expected; {found_.note}"})


def load_swing(runs: Runs) -> Estimate:
    """Find the largest swing of the load with a gain that is proved stable."""
    swings = {k: measures.load_swing(runs["stability", k]) for k in runs.setup.settings["ks"]}
    judged = max(swing for k, swing in swings.items() if k <= 0.5)
    said = {f"k = {k:g}": swing for k, swing in swings.items()}
    return Estimate(ours=judged, note=format_values(said, 2))


def chain_fairness(runs: Runs) -> Estimate:
    """Compare a flow over three links with those over one, with exact feedback."""
    return Estimate(ours=measures.long_over_cross(runs, "VCP exact"))


def completion_ratio(runs: Runs, *, scheme: str) -> Estimate:
    """Find the largest ratio of VCP's completion times of short files to XCP's."""
    ratios = {}
    for rate in levels(runs, "short", most=HALF_A_LINE):
        vcp, xcp = (mean_completion_s(runs, name, rate, (1, SHORT)) for name in (scheme, "XCP"))
        ratios[f"{rate:g}/s"] = vcp / xcp
    return find_largest(ratios)


def voice_delay(runs: Runs, *, scheme: str) -> Estimate:
    """Compare what a voice waits beside VCP and beside TCP."""
    waits = {name: at(runs, "real time", name, 0.0, voice_delay_ms) for name in compared(runs)}
    return Estimate(ours=waits[scheme] / waits["TCP"], note=f"ms: {format_values(waits)}")


def voice_losses(runs: Runs, *, scheme: str) -> Estimate:
    """Give the loss rate of a voice beside VCP."""
    lost = {name: at(runs, "real time", name, 0.0, voice_loss) for name in compared(runs)}
    return Estimate(ours=lost[scheme], note=format_values(lost, 2))
