"""Test cases of CUBIC: RFC 9438."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate_studies.conform.case import (
    RTT_S,
    SYN,
    Cases,
    FlowRun,
    Observation,
    Subject,
    near,
    together,
    within,
)

#: The test cases of this module.
CASES = Cases()

#: CUBIC's constants (RFC 9438 §4.1, §4.6), and the most growth of a round trip (§4.2).
C, BETA, MOST_GROWTH = 0.4, 0.7, 1.5
#: Growth of W_est per round trip until it reaches cwnd_prior, segments (§4.3).
ALPHA = 3 * (1 - BETA) / (1 + BETA)
#: A path on which Reno grows faster than the cubic curve: the curve takes seconds.
SHORT_RTT_S = 0.01
SHORT: dict[str, Any] = {"rtt": f"{SHORT_RTT_S * 1e3:g} ms", "rate": "1 Gbit/s"}


@CASES.add("cubic-beta", "RFC 9438 §4.6", only=("cubic",))
def _cubic_beta(cca: Subject) -> Observation:
    """On a loss the threshold is 0.7 of what was in flight."""
    run = cca.run_flow(3, lose=[SYN + 200], interval_s=0.001)
    return near(
        run.first_threshold() / run.in_flight_at_loss(), BETA, 0.02, "of the data in flight"
    )


@CASES.add("cubic-timeout", "RFC 9438 §4.8", only=("cubic",))
def _cubic_timeout(cca: Subject) -> Observation:
    # All segments from 150 to 900 are lost, so no duplicate ACK reports the loss.
    """After a time-out the threshold is 0.7 of what was in flight."""
    run = cca.run_flow(6, lose=list(range(SYN + 150, SYN + 900)), interval_s=0.002)
    return near(
        run.first_threshold() / run.in_flight_at_loss(), BETA, 0.03, "of the data in flight"
    )


@CASES.add("cubic-curve", "RFC 9438 §4.2", only=("cubic",))
def _cubic_curve(cca: Subject) -> Observation:
    """After a reduction the window follows C (t - K)^3 + W_max."""
    # Linux moves by whole segments and rounds the threshold down, so this tests the RFC's own form.
    run = cca.following("rfc").run_flow(12, lose=[SYN + 600])
    left = run.first_threshold()
    return _compare_curve(run, run.loss_at(), left / BETA)


@CASES.add("cubic-fast-convergence", "RFC 9438 §4.7", only=("cubic",))
def _cubic_fast_convergence(cca: Subject) -> Observation:
    """If a loss comes below W_max, the new W_max is (1 + 0.7) / 2 of the window."""
    # the second loss comes about two seconds after the first, long before K
    run = cca.following("rfc").run_flow(12, lose=[SYN + 600, SYN + 6000])
    second = run.list_thresholds(2)[1]
    at_loss = float(run.ssthresh[second]) / BETA
    below = within(at_loss * BETA / run.first_threshold(), 0.8, 0.99, "of W_max at the second loss")
    return together(below, _compare_curve(run, second, at_loss * (1 + BETA) / 2))


def _compare_curve(run: FlowRun, reduced: int, top: float) -> Observation:
    """Compare the window after a reduction with the curve whose plateau is `top` segments.

    The comparison starts one second after the reduction.
    """
    left = float(run.ssthresh[reduced])
    settled = np.flatnonzero((run.ssthresh == left) & (run.cwnd <= left + 1))
    since = run.t_s - run.t_s[settled[-1]]
    period = float(np.cbrt((top - left) / C))
    chosen = (since > 1.0) & (since < 1.5 * period)
    since, window = since[chosen], run.cwnd[chosen]

    def curve(ahead_s: float) -> NDArray[np.float64]:
        return np.asarray(C * (since + ahead_s - period) ** 3 + top)

    # The epoch begins within a round trip of the reduction, the target is a round trip ahead.
    low, high = curve(-RTT_S) - 1, curve(2 * RTT_S) + 1
    gap = np.maximum(low - window, window - high)
    worst = int(np.argmax(gap))
    return Observation(
        bool(gap[worst] <= 0),
        f"{low[worst]:.1f} to {high[worst]:.1f} segments {since[worst]:.1f} s after the reduction",
        f"{window[worst]:.1f}",
    )


@CASES.add("cubic-target-limit", "RFC 9438 §4.2", only=("cubic",))
def _cubic_target_limit(cca: Subject) -> Observation:
    # At 2 s the curve more than doubles in a round trip soon after K = 3 s.
    """However steep the curve, the window grows by at most half in a round trip."""
    rtt_s = 2.0
    run = cca.following("rfc").run_flow(
        30, rtt=f"{rtt_s:g} s", lose=[SYN + 30], interval_s=rtt_s / 20
    )
    after = run.cwnd[run.loss_at() + 40 :]
    fastest = float(np.max(after[20:] / after[:-20]))
    return within(fastest, 1.3, MOST_GROWTH * 1.02, "times the window of a round trip before")


@CASES.add("cubic-reno-friendly", "RFC 9438 §4.3", only=("cubic",))
def _cubic_reno_friendly(cca: Subject) -> Observation:
    # At 10 ms the cubic curve takes seconds and Reno's line only a fraction of a second.
    """If Reno would grow faster, the window follows Reno's estimate."""
    run = cca.run_flow(6, **SHORT, lose=[SYN + 40])
    left, start = run.first_threshold(), run.loss_at()
    elapsed = run.t_s[start:] - run.t_s[start]
    rounds = elapsed / SHORT_RTT_S
    slow = left + ALPHA * rounds
    # alpha becomes 1 at cwnd_prior; in Linux it never does
    fast = np.maximum(slow, left / BETA + rounds - (left / BETA - left) / ALPHA)
    early = (elapsed > 0.1) & (elapsed < 0.4)
    window = run.cwnd[start:][early]
    least, most = float(np.min(window / slow[early])), float(np.max(window / fast[early]))
    return together(
        within(least, 0.9, np.inf, "of W_est"), within(most, 0, 1.1, "of it with alpha = 1 later")
    )


@CASES.add("cubic-reno-alpha", "RFC 9438 §4.3", only=("cubic",))
def _cubic_reno_alpha(cca: Subject) -> Observation:
    """Once W_est reaches the window before the loss, it grows by one segment per round trip."""
    run = cca.following("rfc").run_flow(6, **SHORT, lose=[SYN + 40])
    # 0.6 s after the loss W_est is above that window, and far above the cubic curve
    at = [int(np.searchsorted(run.t_s, run.t_s[run.loss_at()] + after_s)) for after_s in (0.6, 1.2)]
    grown, rounds = run.cwnd[at[1]] - run.cwnd[at[0]], 0.6 / SHORT_RTT_S
    return near(float(grown / rounds), 1.0, 0.05, "segments per round trip")
