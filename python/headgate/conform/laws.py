"""What standards state of single laws: RFC 9438, RFC 9406, RFC 8257."""

from __future__ import annotations

from typing import Any

import numpy as np

from headgate.conform.case import Case, Finding, near
from headgate.conform.trial import RTT_S, SYN, Flight, Subject

#: CUBIC's constants (RFC 9438 §4.1, §4.6).
C, BETA = 0.4, 0.7
MARKING: dict[str, Any] = {"queue": {"kind": "threshold", "mark": "100 packets"}}


def _cubic_beta(law: Subject) -> Finding:
    flight = law.fly(3, lose=[SYN + 200], interval_s=0.001)
    return near(flight.first_threshold() / flight.in_flight_at_loss(), BETA, 0.02, "of the flight")


def _cubic_curve(law: Subject) -> Finding:
    """Compare with W(t) = C (t - K)^3 + W_max, from one second after the reduction on."""
    flight = law.fly(12, lose=[SYN + 600])
    left = flight.first_threshold()
    top = left / BETA
    settled = np.flatnonzero((flight.ssthresh == left) & (flight.cwnd <= left + 1))
    since = flight.t_s - flight.t_s[settled[-1]]
    period = float(np.cbrt((top - left) / C))
    theory = C * (since - period) ** 3 + top
    chosen = (since > 1.0) & (since < 1.5 * period)
    # The target is a round trip ahead and the epoch begins within one: the slope times two of them.
    slack = 1 + 2 * RTT_S * 3 * C * (since - period) ** 2
    gap = np.abs(flight.cwnd - theory)[chosen] - slack[chosen]
    worst = float(np.max(gap, initial=-np.inf))
    return Finding(worst <= 0, "within two round trips of the curve", f"{worst:+.1f} segments")


def _cubic_reno_friendly(law: Subject) -> Finding:
    # At 10 ms the cubic curve takes seconds where Reno's line needs parts of one.
    flight = law.fly(6, rtt="10 ms", rate="1 Gbit/s", lose=[SYN + 40])
    left = flight.first_threshold()
    start = int(np.flatnonzero(np.isfinite(flight.ssthresh))[0])
    elapsed = flight.t_s[start:] - flight.t_s[start]
    estimate = left + 3 * (1 - BETA) / (1 + BETA) * (elapsed / 0.01)
    early = (elapsed > 0.1) & (elapsed < 0.4)
    ratio = float(np.min(flight.cwnd[start:][early] / estimate[early]))
    return Finding(ratio > 0.9, "at least W_est (to 10 %)", f"{ratio:.2f} of it")


def _hystart(law: Subject) -> Finding:
    plus, plain = (
        law.having(slow_start=word).fly(4, buffer="2 BDP") for word in ("hystart++", "standard")
    )
    holds = plus.drops == 0 and plain.drops > 0
    return Finding(holds, "no drop; standard slow start has some", _drops(plus, plain))


def _drops(plus: Flight, plain: Flight) -> str:
    return f"{plus.drops:g} drops; {plain.drops:g}"


def _dctcp_first_mark(law: Subject) -> Finding:
    flight = law.fly(2, interval_s=0.001, **MARKING)
    at = flight.loss_at()
    top = float(np.max(flight.cwnd[: at + 1]))
    # The handshake takes a round trip; the window in which the mark comes is not over yet.
    windows = int(flight.t_s[at] / RTT_S) - 1
    alpha = (1 - 1 / 16) ** windows
    return near(flight.first_threshold() / top, 1 - alpha / 2, 0.02, "of the window")


def _dctcp_loss(law: Subject) -> Finding:
    flight = law.fly(2, lose=[SYN + 200], interval_s=0.001)
    return near(flight.first_threshold() / flight.in_flight_at_loss(), 0.5, 0.02, "of the flight")


def _dctcp_no_drops(law: Subject) -> Finding:
    flight = law.fly(20, **MARKING, buffer="2 BDP")
    return Finding(flight.drops == 0, "no drop", f"{flight.drops:g} drops")


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
        "hystart++",
        "RFC 9406 §4.2, §4.3",
        "Slow start ends on the rising delay, before the buffer overflows",
        _hystart,
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
