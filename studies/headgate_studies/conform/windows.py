"""RFC 5681: slow start, the threshold after a loss, the window after a time-out."""

from __future__ import annotations

import numpy as np

from headgate_studies.conform.case import Case, Observation, equal
from headgate_studies.conform.trial import RTT_S, SYN, Subject

RATE_BASED = "follows a model of the path instead (draft-ietf-ccwg-bbr)"
BBR = {"bbr": RATE_BASED, "bbr3": RATE_BASED}


def _slow_start(law: Subject) -> Observation:
    run = law.run_flow(0.9, rate="10 Gbit/s", interval_s=RTT_S / 10)
    step = 10  # samples in a round trip
    ratio = run.cwnd[2 * step :] / run.cwnd[step:-step]
    fastest = float(np.max(ratio))
    # ACKs of two neighbouring round trips may fall between samples: one sample's worth
    return Observation(fastest <= 2.0 + 1e-9, "at most 2 in a round trip", f"{fastest:.3f}")


def _fast_retransmit(law: Subject) -> Observation:
    run = law.run_flow(lose=[SYN + 200])
    counts = run.count("retransmissions", "recoveries", "timeouts")
    return equal(counts, {"retransmissions": 1, "recoveries": 1, "timeouts": 0})


def _threshold(law: Subject) -> Observation:
    run = law.run_flow(3, lose=[SYN + 200], interval_s=0.001)
    top, left = run.in_flight_at_loss(), run.first_threshold()
    return Observation(2 <= left < top, f"at least 2, less than {top:.1f}", f"{left:.1f} segments")


def _loss_window(law: Subject) -> Observation:
    # Everything from segment 150 to 900 is lost: no duplicate ACK tells of it.
    run = law.run_flow(6, lose=list(range(SYN + 150, SYN + 900)), interval_s=0.002)
    least = float(np.min(run.cwnd))
    timed_out = run.count("timeouts")["timeouts"] > 0
    return Observation(timed_out and least <= 1.0, "1 segment after a time-out", f"{least:.2f}")


def _small_threshold(law: Subject) -> Observation:
    run = law.run_flow(6, lose=[SYN + 3, SYN + 4], transport={"initial_window": "3 packets"})
    left = run.first_threshold()
    return Observation(left >= 2.0, "at least 2 segments", f"{left:.2f}")


CASES = (
    Case(
        "slow-start-doubles",
        "RFC 5681 §3.1, equation (2)",
        "Slow start adds at most one segment for each that is acknowledged",
        _slow_start,
        exempt=BBR,
    ),
    Case(
        "fast-retransmit",
        "RFC 5681 §3.2",
        "A single loss is repaired by fast retransmit, without a time-out",
        _fast_retransmit,
    ),
    Case(
        "threshold-after-loss",
        "RFC 5681 §3.1, §3.2 step 2",
        "On a loss the threshold falls below what was in flight, but not below two segments",
        _threshold,
        exempt=BBR,
    ),
    Case(
        "threshold-floor",
        "RFC 5681 §3.1, equation (4)",
        "However small the window, the threshold is at least two segments",
        _small_threshold,
        exempt=BBR,
    ),
    Case(
        "loss-window",
        "RFC 5681 §3.1",
        "After a time-out the window is one segment",
        _loss_window,
        exempt=BBR
        | {
            "fast": "two segments (ns-2 FAST agent)",
            "fast-at": "two segments (ns-2 FAST agent)",
        },
    ),
)
