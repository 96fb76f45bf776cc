"""The answer of the study in plain sentences, each with its numbers."""

from __future__ import annotations

import numpy as np

from headgate.lab import Runs, make_possible
from headgate_studies.paths import loss_rate, utilisation
from headgate_studies.vcp import jobs, measures
from headgate_studies.vcp.applications import (
    HALF_A_LINE,
    SHORT,
    mean_completion_s,
    voice_delay_ms,
    voice_loss,
)
from headgate_studies.vcp.findings import FAST_MBPS, fairness
from headgate_studies.vcp.measures import at, compared, levels, replicates, sweep

BOTH = ("VCP", "VCP released")


def sentences(runs: Runs) -> tuple[str, ...]:
    """Say what VCP does, and where it fails; what this scale did not run is left out."""
    made = (
        _efficient, _rules, _fast, _queue, _fair, _joining, _bits, _short, _voice, _fluid, _beside,
        _wireless,
    )  # fmt: skip
    return make_possible(made, runs)


def _efficient(runs: Runs) -> str:
    told = ", ".join(
        f"{name} {100 * min(sweep(runs, 'bandwidth', name, least=FAST_MBPS).values()):.0f} %"
        for name in compared(runs)
    )
    return f"Least utilisation from {FAST_MBPS:g} Mbit/s up with 50 flows each way: {told}."


def _fast(runs: Runs) -> str:
    level = max(levels(runs, "fastest"))
    told = ", ".join(
        f"{name} {100 * at(runs, 'fastest', name, level):.0f} %"
        for name in runs.setup.settings["at_once"]
    )
    return f"At {level:g} Mbit/s and 80 ms: {told}."


def _queue(runs: Runs) -> str:
    queue = 100 * at(runs, "delay", "VCP", jobs.RTT_S * 1e3, measures.queue_share)
    slow = min(levels(runs, "bandwidth"))
    crowded, lost = (
        100 * at(runs, "bandwidth", "VCP", slow, of) for of in (measures.queue_share, loss_rate)
    )
    return (
        f"VCP's queue takes {queue:.1f} % of the buffer at 150 Mbit/s and 80 ms, and"
        f" {crowded:.0f} % at {slow:g} Mbit/s, where a flow has less than a packet and"
        f" {lost:.2g} % are lost."
    )


def _fair(runs: Runs) -> str:
    told = ", ".join(f"{name} {measures.rtt_exponent(runs, name):.2f}" for name in compared(runs))
    index = fairness(runs, "VCP", "40-330")
    return (
        f"Rate goes with the round trip, from 40 to 330 ms, to the power of: {told}; Jain's index"
        f" of VCP there is {index:.2f}."
    )


def _joining(runs: Runs) -> str:
    told = ", ".join(
        f"{name} {np.mean(measures.fair_after_s(runs['joining', name])):.0f} s"
        for name in compared(runs)
    )
    return f"From a join until rates are fair (Jain's index 0.95), 45 Mbit/s and 40 ms: {told}."


def _bits(runs: Runs) -> str:
    told = ", ".join(
        f"{100 * measures.long_over_cross(runs, name):.0f} % under {name}"
        for name in runs.setup.settings["over_a_chain"]
    )
    return f"A flow over three links gets of what a flow over one of them gets: {told}."


def _short(runs: Runs) -> str:
    rate = max(levels(runs, "short", most=HALF_A_LINE))
    times = {name: mean_completion_s(runs, name, rate, (1, SHORT)) for name in compared(runs)}
    told = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in times.items())
    return (
        f"Files of up to {SHORT} packets, {rate:g} a second beside 50 flows each way, take in the"
        f" mean: {told}."
    )


def _voice(runs: Runs) -> str:
    told = ", ".join(
        f"{name} {at(runs, 'real time', name, 0.0, voice_delay_ms):.1f} ms and"
        f" {100 * at(runs, 'real time', name, 0.0, voice_loss):.2g} % lost"
        for name in compared(runs)
    )
    return f"A voice beside those flows waits on a round trip: {told}."


def _fluid(runs: Runs) -> str:
    swings = ", ".join(
        f"{100 * measures.load_swing(runs['stability', k]):.1f} % with k = {k:g}"
        for k in runs.setup.settings["ks"]
    )
    return (
        "With the exact load every flow comes to rest at its share of the target and 1/(k t_rho)"
        f" packets/s more; the load then moves by {swings}. Fifty flows add 1000 packets/s: on"
        " 150 Mbit/s, more than the 2 % that are kept free, so that a queue stands."
    )


def _beside(runs: Runs) -> str:
    told = {
        name: [measures.share_of_vcp(run) for run in replicates(runs, "beside tcp", name)]
        for name in BOTH
    }
    shares = ", ".join(f"{100 * np.mean(of):.1g} % under {name}" for name, of in told.items())
    return f"Five flows of VCP beside five of TCP at one port get of what is carried: {shares}."


def _wireless(runs: Runs) -> str:
    use = {
        name: np.mean([utilisation(run) for run in replicates(runs, "lossy", name, 1e-3)])
        for name in compared(runs)
    }
    told = ", ".join(f"{name} {100 * share:.0f} %" for name, share in use.items())
    return f"One flow uses of 50 Mbit/s where one packet in a thousand is lost at random: {told}."


def _rules(runs: Runs) -> str:
    paper, released = (
        {x: at(runs, "delay", name, x) for x in levels(runs, "delay", 80, 800)} for name in BOTH
    )
    level = min(paper, key=lambda x: paper[x] - released[x])
    spread = at(runs, "spread", "VCP", level)
    return (
        f"With a round trip of {level:g} ms VCP uses {100 * paper[level]:.0f} % by the paper's"
        f" rules ({100 * spread:.0f} % if round trips are spread by up to a fifth), and"
        f" {100 * released[level]:.0f} % by the released ones."
    )
