"""Test cases of single algorithms: RFC 9438, RFC 9406, RFC 8257."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate_studies.conform.case import RTT_S, SYN, Cases, Observation, Subject, near

#: The test cases of this module.
CASES = Cases()

#: CUBIC's constants (RFC 9438 §4.1, §4.6).
C, BETA = 0.4, 0.7
MARKING: dict[str, Any] = {"queue": {"name": "threshold", "mark": "100 packets"}}


@CASES.add("cubic-beta", "RFC 9438 §4.6", only=("cubic",))
def _cubic_beta(cca: Subject) -> Observation:
    """On a loss the threshold is 0.7 of what was in flight."""
    run = cca.run_flow(3, lose=[SYN + 200], interval_s=0.001)
    return near(
        run.first_threshold() / run.in_flight_at_loss(), BETA, 0.02, "of the data in flight"
    )


@CASES.add("cubic-curve", "RFC 9438 §4.2", only=("cubic",))
def _cubic_curve(cca: Subject) -> Observation:
    """After a reduction the window follows C (t - K)^3 + W_max."""
    # Linux moves by whole segments and rounds the threshold down, so this tests the RFC's own form.
    # The comparison starts one second after the reduction.
    run = cca.having(variant="rfc").run_flow(12, lose=[SYN + 600])
    left = run.first_threshold()
    top = left / BETA
    settled = np.flatnonzero((run.ssthresh == left) & (run.cwnd <= left + 1))
    since = run.t_s - run.t_s[settled[-1]]
    period = float(np.cbrt((top - left) / C))
    chosen = (since > 1.0) & (since < 1.5 * period)
    since, window = since[chosen], run.cwnd[chosen]

    def curve(ahead_s: float) -> NDArray[np.float64]:
        return np.asarray(C * (since + ahead_s - period) ** 3 + top)

    # The epoch begins within a round trip of the reduction, the target is a round trip ahead.
    gap = np.maximum(curve(-RTT_S) - 1 - window, window - curve(2 * RTT_S) - 1)
    worst = float(np.max(gap, initial=-np.inf))
    return Observation(worst <= 0, "within two round trips of the curve", f"{worst:+.1f} segments")


@CASES.add("cubic-reno-friendly", "RFC 9438 §4.3", only=("cubic",))
def _cubic_reno_friendly(cca: Subject) -> Observation:
    # At 10 ms the cubic curve takes seconds and Reno's line only a fraction of a second.
    """Where Reno would be faster the window keeps to its estimate."""
    run = cca.run_flow(6, rtt="10 ms", rate="1 Gbit/s", lose=[SYN + 40])
    left = run.first_threshold()
    start = int(np.flatnonzero(np.isfinite(run.ssthresh))[0])
    elapsed = run.t_s[start:] - run.t_s[start]
    estimate = left + 3 * (1 - BETA) / (1 + BETA) * (elapsed / 0.01)
    early = (elapsed > 0.1) & (elapsed < 0.4)
    ratio = float(np.min(run.cwnd[start:][early] / estimate[early]))
    return Observation(ratio > 0.9, "at least W_est (to 10 %)", f"{ratio:.2f} of it")


@CASES.add("hystart-leaves", "RFC 9406 §4.2", only=("cubic",))
def _hystart_leaves(cca: Subject) -> Observation:
    """Slow start ends on the rising delay: the threshold is set without a loss."""
    run = cca.having(slow_start="hystart++").run_flow(4)
    left = run.first_threshold()
    sent_again = run.count("retransmissions")["retransmissions"]
    holds = np.isfinite(left) and sent_again == 0
    return Observation(bool(holds), "a threshold without any loss", f"{left:.0f} segments")


@CASES.add("hystart-saves", "RFC 9406 §1", only=("cubic",))
def _hystart_saves(cca: Subject) -> Observation:
    """The overshoot of slow start loses fewer packets."""
    plus, plain = (
        cca.having(slow_start=word).run_flow(4, buffer="2 BDP")
        for word in ("hystart++", "standard")
    )
    observed = f"{plus.drops:g} drops; {plain.drops:g}"
    return Observation(plus.drops < plain.drops, "fewer drops than standard slow start", observed)


@CASES.add(
    "dctcp-first-mark",
    "RFC 8257 §3.3, §4.2",
    only=("dctcp",),
    statement="Alpha begins at 1 and loses 1/16 in each unmarked window;"
    " the first mark takes half of it",
)
def _dctcp_first_mark(cca: Subject) -> Observation:
    run = cca.run_flow(2, interval_s=0.001, **MARKING)
    at = run.loss_at()
    top = float(np.max(run.cwnd[: at + 1]))
    # The handshake takes a round trip; the window in which the mark comes is not over yet.
    windows = int(run.t_s[at] / RTT_S) - 1
    alpha = (1 - 1 / 16) ** windows
    return near(run.first_threshold() / top, 1 - alpha / 2, 0.02, "of the window")


@CASES.add("dctcp-loss", "RFC 8257 §3.5", only=("dctcp",))
def _dctcp_loss(cca: Subject) -> Observation:
    """A loss is answered as by any TCP: by half."""
    run = cca.run_flow(2, lose=[SYN + 200], interval_s=0.001)
    return near(run.first_threshold() / run.in_flight_at_loss(), 0.5, 0.02, "of the data in flight")


@CASES.add("dctcp-no-drops", "RFC 8257 §3.1, §3.3", only=("dctcp",))
def _dctcp_no_drops(cca: Subject) -> Observation:
    """Marks keep the queue from overflowing."""
    run = cca.run_flow(20, **MARKING, buffer="2 BDP")
    return Observation(run.drops == 0, "no drop", f"{run.drops:g} drops")
