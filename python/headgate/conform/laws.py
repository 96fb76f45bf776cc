"""What standards state of single laws: RFC 9438, RFC 9406, RFC 8257."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.conform.case import Case, Observation, near
from headgate.conform.trial import RTT_S, SYN, Subject

#: CUBIC's constants (RFC 9438 §4.1, §4.6).
C, BETA = 0.4, 0.7
MARKING: dict[str, Any] = {"queue": {"name": "threshold", "mark": "100 packets"}}


def _cubic_beta(law: Subject) -> Observation:
    flight = law.fly(3, lose=[SYN + 200], interval_s=0.001)
    return near(flight.first_threshold() / flight.in_flight_at_loss(), BETA, 0.02, "of the flight")


def _cubic_curve(law: Subject) -> Observation:
    """Compare with W(t) = C (t - K)^3 + W_max, from one second after the reduction on."""
    # Linux moves by whole segments and rounds the threshold down: the RFC's own form is asked.
    flight = law.having(variant="rfc").fly(12, lose=[SYN + 600])
    left = flight.first_threshold()
    top = left / BETA
    settled = np.flatnonzero((flight.ssthresh == left) & (flight.cwnd <= left + 1))
    since = flight.t_s - flight.t_s[settled[-1]]
    period = float(np.cbrt((top - left) / C))
    chosen = (since > 1.0) & (since < 1.5 * period)
    since, window = since[chosen], flight.cwnd[chosen]

    def curve(ahead_s: float) -> NDArray[np.float64]:
        return np.asarray(C * (since + ahead_s - period) ** 3 + top)

    # The epoch begins within a round trip of the reduction, the target is a round trip ahead.
    gap = np.maximum(curve(-RTT_S) - 1 - window, window - curve(2 * RTT_S) - 1)
    worst = float(np.max(gap, initial=-np.inf))
    return Observation(worst <= 0, "within two round trips of the curve", f"{worst:+.1f} segments")


def _cubic_reno_friendly(law: Subject) -> Observation:
    # At 10 ms the cubic curve takes seconds where Reno's line needs parts of one.
    flight = law.fly(6, rtt="10 ms", rate="1 Gbit/s", lose=[SYN + 40])
    left = flight.first_threshold()
    start = int(np.flatnonzero(np.isfinite(flight.ssthresh))[0])
    elapsed = flight.t_s[start:] - flight.t_s[start]
    estimate = left + 3 * (1 - BETA) / (1 + BETA) * (elapsed / 0.01)
    early = (elapsed > 0.1) & (elapsed < 0.4)
    ratio = float(np.min(flight.cwnd[start:][early] / estimate[early]))
    return Observation(ratio > 0.9, "at least W_est (to 10 %)", f"{ratio:.2f} of it")


def _hystart_leaves(law: Subject) -> Observation:
    flight = law.having(slow_start="hystart++").fly(4)
    left = flight.first_threshold()
    sent_again = flight.count("retransmissions")["retransmissions"]
    holds = np.isfinite(left) and sent_again == 0
    return Observation(bool(holds), "a threshold without any loss", f"{left:.0f} segments")


def _hystart_saves(law: Subject) -> Observation:
    plus, plain = (
        law.having(slow_start=word).fly(4, buffer="2 BDP") for word in ("hystart++", "standard")
    )
    observed = f"{plus.drops:g} drops; {plain.drops:g}"
    return Observation(plus.drops < plain.drops, "fewer drops than standard slow start", observed)


def _dctcp_first_mark(law: Subject) -> Observation:
    flight = law.fly(2, interval_s=0.001, **MARKING)
    at = flight.loss_at()
    top = float(np.max(flight.cwnd[: at + 1]))
    # The handshake takes a round trip; the window in which the mark comes is not over yet.
    windows = int(flight.t_s[at] / RTT_S) - 1
    alpha = (1 - 1 / 16) ** windows
    return near(flight.first_threshold() / top, 1 - alpha / 2, 0.02, "of the window")


def _dctcp_loss(law: Subject) -> Observation:
    flight = law.fly(2, lose=[SYN + 200], interval_s=0.001)
    return near(flight.first_threshold() / flight.in_flight_at_loss(), 0.5, 0.02, "of the flight")


def _dctcp_no_drops(law: Subject) -> Observation:
    flight = law.fly(20, **MARKING, buffer="2 BDP")
    return Observation(flight.drops == 0, "no drop", f"{flight.drops:g} drops")


CASES = (
    Case(
        "cubic-beta",
        "RFC 9438 §4.6",
        "On a loss the threshold is 0.7 of what was in flight",
        _cubic_beta,
        only=("cubic",),
    ),
    Case(
        "cubic-curve",
        "RFC 9438 §4.2",
        "After a reduction the window follows C (t - K)^3 + W_max",
        _cubic_curve,
        only=("cubic",),
    ),
    Case(
        "cubic-reno-friendly",
        "RFC 9438 §4.3",
        "Where Reno would be faster the window keeps to its estimate",
        _cubic_reno_friendly,
        only=("cubic",),
    ),
    Case(
        "hystart-leaves",
        "RFC 9406 §4.2",
        "Slow start ends on the rising delay: the threshold is set without a loss",
        _hystart_leaves,
        only=("cubic",),
    ),
    Case(
        "hystart-saves",
        "RFC 9406 §1",
        "The overshoot of slow start loses fewer packets",
        _hystart_saves,
        only=("cubic",),
    ),
    Case(
        "dctcp-first-mark",
        "RFC 8257 §3.3, §4.2",
        "Alpha begins at 1 and loses 1/16 in each unmarked window; the first mark takes half of it",
        _dctcp_first_mark,
        only=("dctcp",),
    ),
    Case(
        "dctcp-loss",
        "RFC 8257 §3.5",
        "A loss is answered as by any TCP: by half",
        _dctcp_loss,
        only=("dctcp",),
    ),
    Case(
        "dctcp-no-drops",
        "RFC 8257 §3.1, §3.3",
        "Marks keep the queue from overflowing",
        _dctcp_no_drops,
        only=("dctcp",),
    ),
)
