"""Test cases of single algorithms: RFC 9406 and RFC 8257."""

from typing import Any

import numpy as np

from headgate_studies.conform.case import RTT_S, SYN, Cases, Observation, Subject, near

#: The test cases of this module.
CASES = Cases()

NO_HYSTART = 'the test sets slow_start = "hystart++", a parameter of the catalogue\'s cubic'
MARKING: dict[str, Any] = {"queue": {"name": "threshold", "mark": "100 packets"}}


@CASES.add("hystart-leaves", "RFC 9406 §4.2", only=("cubic",), built_in_only=NO_HYSTART)
def _hystart_leaves(cca: Subject) -> Observation:
    """Slow start ends on the rising delay: the threshold is set without a loss."""
    run = cca.having(slow_start="hystart++").run_flow(4)
    left = run.first_threshold()
    sent_again = run.count("retransmissions")["retransmissions"]
    holds = np.isfinite(left) and sent_again == 0
    return Observation(bool(holds), "a threshold without any loss", f"{left:.0f} segments")


@CASES.add("hystart-saves", "RFC 9406 §1", only=("cubic",), built_in_only=NO_HYSTART)
def _hystart_saves(cca: Subject) -> Observation:
    """The overshoot of slow start loses fewer packets."""
    plus, plain = (
        cca.having(slow_start=word).run_flow(4, buffer="2 BDP") for word in ("hystart++", "classic")
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
