"""What others see beside long flows: short files the time they take, a voice its delay and loss."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from headgate import Result
from headgate.lab import Runs
from headgate_studies.paths import course, measured_period_s
from headgate_studies.vcp import jobs
from headgate_studies.vcp.measures import Measure, Series, has_name, replicates

#: Packets of what is called a short file; files a second that take half of the line.
SHORT, HALF_A_LINE = 100, 300.0


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
    done = replicates(runs, "short", scheme, rate)
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
