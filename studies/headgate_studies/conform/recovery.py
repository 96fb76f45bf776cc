"""RFC 5681, RFC 6582 and RFC 6675: one loss in a window, and several."""

from __future__ import annotations

from typing import Any

from headgate_studies.conform.case import Case, Observation, equal
from headgate_studies.conform.trial import SYN, FlowRun, Subject
from headgate_studies.conform.windows import BBR

RENO: dict[str, Any] = {"recovery": "reno"}
NEWRENO: dict[str, Any] = {"recovery": "newreno"}
#: Three segments of one window of some 300, and ten of it.
THREE = [SYN + 200, SYN + 210, SYN + 220]
TEN = [SYN + 200 + 3 * i for i in range(10)]
COUNTS = ("retransmissions", "recoveries", "timeouts")


def _check_repair(run: FlowRun, losses: int) -> Observation:
    expected = {"retransmissions": losses, "recoveries": 1, "timeouts": 0}
    return equal(run.count(*COUNTS), expected)


def _reno(law: Subject) -> Observation:
    return _check_repair(law.run_flow(lose=THREE[:1], transport=RENO), 1)


def _reno_ends(law: Subject) -> Observation:
    run = law.run_flow(lose=THREE, transport=RENO)
    return equal(run.count("recoveries", "timeouts"), {"recoveries": 1, "timeouts": 1})


def _newreno(law: Subject) -> Observation:
    return _check_repair(law.run_flow(lose=THREE, transport=NEWRENO), 3)


def _sack(law: Subject) -> Observation:
    return _check_repair(law.run_flow(lose=TEN), 10)


def _one_reduction(law: Subject) -> Observation:
    one, many = law.run_flow(3, lose=TEN[:1]), law.run_flow(3, lose=TEN)
    expected, observed = one.first_threshold(), float(many.ssthresh[-1])
    holds = abs(observed - expected) <= 0.01 * expected
    return Observation(holds, f"{expected:.1f} segments, as after one loss", f"{observed:.1f}")


def _tail(law: Subject) -> Observation:
    # The last two of 200 segments: no ACK follows them, only the timer helps.
    run = law.run_flow(lose=[SYN + 199, SYN + 200], size=200)
    expected = {"retransmissions": 2, "recoveries": 0, "timeouts": 1}
    return equal(run.count(*COUNTS), expected)


CASES = (
    Case(
        "reno-one-loss",
        "RFC 5681 §3.2 steps 3 to 6",
        "Fast retransmit repairs one loss of a window, and fast recovery ends with its ACK",
        _reno,
    ),
    Case(
        "reno-first-new-ack",
        "RFC 5681 §3.2 step 6",
        "Fast recovery ends at the first new ACK: the second of three losses waits for the timer",
        _reno_ends,
    ),
    Case(
        "newreno-partial-acks",
        "RFC 6582 §3.2 step 3",
        "Partial ACKs repair three losses of one window in one recovery, without a time-out",
        _newreno,
    ),
    Case(
        "sack-many-losses",
        "RFC 6675 §5",
        "Ten losses of one window are repaired in one recovery, each sent again once",
        _sack,
    ),
    Case(
        "one-reduction",
        "RFC 6675 §5, RFC 6582 §3.2",
        "Several losses of one window reduce the window once",
        _one_reduction,
        exempt=BBR,
    ),
    Case(
        "tail-loss",
        "RFC 6675 §5.1, RFC 6298 §5.4",
        "Losses that no later segment tells of end in a time-out and are sent again",
        _tail,
    ),
)
