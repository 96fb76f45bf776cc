"""What the study found, claim by claim."""

from __future__ import annotations

from functools import partial

import numpy as np

from headgate.claims import Estimate
from headgate.experiment.estimates import (
    Makers,
    apart,
    format_values,
    largest,
    least,
    make_estimates,
    mean_of,
)
from headgate.experiment.runs import Runs
from headgate.studies.paths import goodput_bps, jain, loss_rate, utilisation
from headgate.studies.vcp import jobs, measures
from headgate.studies.vcp.applications import APPLICATIONS
from headgate.studies.vcp.measures import at, levels, sweep

#: From here up the slides' statements are held to their words.
FAST_MBPS, LONG_MS = 10.0, 800.0


def findings(runs: Runs) -> dict[str, Estimate]:
    """Return the finding of every claim that this scale can judge."""
    return make_estimates(SWEEPS | APPLICATIONS | TIME | FAIRNESS | DESIGN | THEORY, runs)


# Sweeps ------------------------------------------------------------------------------------------


def _falls(part: str, runs: Runs) -> Estimate:
    values = sweep(runs, part, "TCP")
    return Estimate(
        ours=list(values.values())[-1] / max(values.values()), note=format_values(values)
    )


def _least(scheme: str, part: str, low: float, runs: Runs) -> Estimate:
    return least(sweep(runs, part, scheme, least=low))


def _efficient_delay(runs: Runs) -> Estimate:
    return least({f"{x:g}": at(runs, "delay", "VCP", x) for x in levels(runs, "delay", 0, LONG_MS)})


def _above_tcp(runs: Runs) -> Estimate:
    cells = [("bandwidth", x) for x in levels(runs, "bandwidth", 100)]
    cells += [("delay", x) for x in levels(runs, "delay", 80)]
    ratios = {
        f"{part} {x:g}": at(runs, part, "VCP", x) / at(runs, part, "TCP", x) for part, x in cells
    }
    return least(ratios)


def _approximates_xcp(runs: Runs) -> Estimate:
    xcp, vcp = (sweep(runs, "bandwidth", name, least=FAST_MBPS) for name in ("XCP", "VCP"))
    return largest({level: xcp[level] - vcp[level] for level in xcp}, 2)


def _low_loss(part: str, low: float, runs: Runs) -> Estimate:
    return largest(sweep(runs, part, "VCP", loss_rate, low), 2)


def _less_loss(runs: Runs) -> Estimate:
    parts = ("bandwidth", "delay")
    losses = {
        f"{part} {x:g}": at(runs, part, "VCP", x, loss_rate) - at(runs, part, "TCP", x, loss_rate)
        for part in parts
        for x in levels(runs, part)
    }
    return largest(losses, 2)


def _queues(runs: Runs, *, crowded: bool) -> dict[str, float]:
    """Return the queue's share of the buffer where a flow has a packet at most, or more."""
    return {
        f"{part} {x:g}": at(runs, part, "VCP", x, measures.queue_share)
        for part in ("bandwidth", "delay")
        for x in levels(runs, part)
        if (measures.window_packets(part, x) <= 1) == crowded
    }


def _small_queue(runs: Runs) -> Estimate:
    slow = {f"bandwidth {x:g}" for x in levels(runs, "bandwidth", most=FAST_MBPS - 1e-9)}
    queues = _queues(runs, crowded=False)
    return largest({name: share for name, share in queues.items() if name not in slow}, 2)


def _queue_below_a_packet(runs: Runs) -> Estimate:
    few, many = (_queues(runs, crowded=crowded) for crowded in (True, False))
    ratio = float(np.mean(list(few.values())) / np.mean(list(many.values())))
    return Estimate(
        ours=ratio,
        note=f"at most a packet: {format_values(few, 2)}; more: {format_values(many, 2)}",
    )


def _small_queue_flows(runs: Runs) -> Estimate:
    return largest(sweep(runs, "flows", "VCP", measures.queue_share), 2)


SWEEPS: Makers = {
    "tcp-falls-with-bandwidth": partial(_falls, "bandwidth"),
    "tcp-falls-with-delay": partial(_falls, "delay"),
    "xcp-scales": partial(_least, "XCP", "bandwidth", FAST_MBPS),
    "efficient-bandwidth": partial(_least, "VCP", "bandwidth", FAST_MBPS),
    "efficient-delay": _efficient_delay,
    "efficient-flows": partial(_least, "VCP", "flows", 0.0),
    "above-tcp": _above_tcp,
    "approximates-xcp": _approximates_xcp,
    "low-loss-bandwidth": partial(_low_loss, "bandwidth", FAST_MBPS),
    "low-loss-delay": partial(_low_loss, "delay", 0.0),
    "less-loss-than-tcp": _less_loss,
    "small-queue": _small_queue,
    "queue-below-a-packet": _queue_below_a_packet,
    "small-queue-flows": _small_queue_flows,
    "short-flows": partial(_least, "VCP", "short", 0.0),
}


# Over time ---------------------------------------------------------------------------------------


def _mi_exponential(runs: Runs) -> Estimate:
    return Estimate(ours=measures.growth(runs["illustration", "VCP"]))


def _mi_back_soon(runs: Runs) -> Estimate:
    run = runs["illustration", "VCP"]
    return Estimate(ours=measures.back_in_use_s(run, "joiner", jobs.SLOW_MBPS, 0.78))


def _aimd_fair(runs: Runs) -> Estimate:
    return Estimate(ours=measures.join_fairness(runs["illustration", "VCP"]))


def _vcp_over_tcp(runs: Runs) -> Estimate:
    vcp, tcp = (utilisation(runs["illustration", name]) for name in ("VCP", "TCP"))
    return Estimate(ours=vcp / tcp, note=f"{vcp:.3f} against {tcp:.3f}")


def _join_times(runs: Runs, scheme: str) -> float:
    return float(np.mean(measures.fair_after_s(runs["joining", scheme])))


def _join_ratio(slow: str, fast: str, runs: Runs) -> Estimate:
    times = {name: _join_times(runs, name) for name in (slow, fast)}
    return Estimate(ours=times[slow] / times[fast], note=f"seconds: {format_values(times)}")


def _converges(runs: Runs) -> Estimate:
    return Estimate(ours=measures.end_fairness(runs["joining", "VCP"]))


def _responsive_up(runs: Runs) -> Estimate:
    return mean_of([measures.spike_loss(run) for run in runs.replicates("crowd", "VCP")])


def _responsive_down(runs: Runs) -> Estimate:
    done = runs.replicates("crowd", "VCP")
    return mean_of([measures.back_in_use_s(run, "crowd", jobs.RATE_MBPS, 0.9) for run in done])


TIME: Makers = {
    "mi-exponential": _mi_exponential,
    "mi-back-soon": _mi_back_soon,
    "aimd-fair": _aimd_fair,
    "vcp-over-tcp-in-time": _vcp_over_tcp,
    "slower-than-xcp": partial(_join_ratio, "VCP", "XCP"),
    "faster-with-8-bits": partial(_join_ratio, "VCP", "VCP 8-bit"),
    "converges": _converges,
    "responsive-up": _responsive_up,
    "responsive-down": _responsive_down,
}


# Fairness ----------------------------------------------------------------------------------------


def fairness(runs: Runs, scheme: str, spread: str) -> float:
    """Jain's index of thirty flows."""
    return jain(measures.delivered_by_rtt(runs, scheme, spread))


def _fair(spread: str, runs: Runs) -> Estimate:
    return Estimate(ours=fairness(runs, "VCP", spread))


def _less_fair(runs: Runs) -> Estimate:
    index = {spread: fairness(runs, "VCP", spread) for spread in jobs.SPREADS_MS}
    return Estimate(ours=index["equal"] - index["40-330"], note=format_values(index))


def _exponent(scheme: str, runs: Runs) -> Estimate:
    return Estimate(ours=measures.rtt_exponent(runs, scheme))


def _long_share(less: str, more: str, runs: Runs) -> Estimate:
    shares = {name: measures.long_over_cross(runs, name) for name in (less, more)}
    return Estimate(ours=shares[less] / shares[more], note=format_values(shares))


def _parking_lot(runs: Runs) -> Estimate:
    return mean_of([measures.least_hop(run) for run in runs.replicates("parking lot", "VCP")])


FAIRNESS: Makers = {
    "fair-equal-rtt": partial(_fair, "equal"),
    "fair-156": partial(_fair, "40-156"),
    "fair-330": _less_fair,
    "same-rate-whatever-rtt": partial(_exponent, "VCP"),
    "tcp-rtt-bias": partial(_exponent, "TCP"),
    "long-flows-get-less": partial(_long_share, "VCP roomy", "XCP"),
    "codes-cost-fairness": partial(_long_share, "VCP roomy", "VCP exact"),
    "parking-lot": _parking_lot,
}


# Parameters --------------------------------------------------------------------------------------


def _xi(_: Runs) -> Estimate:
    return Estimate(ours=0.25 * (1 - 0.8) / 0.8)


def _xi_compared(runs: Runs) -> Estimate:
    times = {f"xi {xi:g}": measures.rise_s(runs["xi", xi]) for xi in jobs.XIS}
    ratio = measures.rise_s(runs["xi", 0.01]) / measures.rise_s(runs["xi", 0.0625])
    return Estimate(ours=ratio, note=f"seconds: {format_values(times)}")


def _overshoot(runs: Runs) -> Estimate:
    peaks = {kind: measures.peak_load(runs["scaling", kind]) for kind in ("none", "rtt")}
    return Estimate(ours=peaks["none"] / peaks["rtt"], note=f"largest load: {format_values(peaks)}")


def _root_of_loss(runs: Runs) -> Estimate:
    losses = [p for p in runs.setup.settings["lossy"]["losses"] if p >= 1e-4]
    rates = {
        f"p = {p:g}": float(np.mean([goodput_bps(r) for r in runs.replicates("lossy", "TCP", p)]))
        for p in losses
    }
    slope = float(np.polyfit(np.log(losses), np.log(list(rates.values())), 1)[0])
    return Estimate(ours=slope, note=f"bit/s: {format_values(rates)}")


DESIGN: Makers = {
    "xi": _xi,
    "xi-compared": _xi_compared,
    "overshoot": _overshoot,
    "tcp-root-of-loss": _root_of_loss,
}


# Theory ------------------------------------------------------------------------------------------


def _fluid_equilibrium(runs: Runs) -> Estimate:
    run = runs["fluid",]
    rates = np.asarray(run.flows["delivered_packets"], float) / float(run.ports["elapsed_s"][0])
    rest = jobs.fluid_rate(jobs.KS[0])
    named = zip(jobs.FLUID_RTTS_S, rates, strict=True)
    found_ = largest({f"{1e3 * rtt:g} ms": apart(float(x), rest) for rtt, x in named}, 2)
    return found_.model_copy(update={"note": f"{rest:.0f} packets/s expected; {found_.note}"})


def _fluid_stable(runs: Runs) -> Estimate:
    swings = {f"k = {k:g}": measures.load_swing(runs["stability", k]) for k in jobs.KS}
    judged = max(swing for k, swing in zip(jobs.KS, swings.values(), strict=True) if k <= 0.5)
    return Estimate(ours=judged, note=format_values(swings, 2))


def _fluid_max_min(runs: Runs) -> Estimate:
    return Estimate(ours=measures.long_over_cross(runs, "VCP exact"))


THEORY: Makers = {
    "fluid-equilibrium": _fluid_equilibrium,
    "fluid-stable": _fluid_stable,
    "fluid-max-min": _fluid_max_min,
}
