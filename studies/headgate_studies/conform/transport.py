"""RFC 5681, RFC 6298, RFC 6582 and RFC 6675: windows, the retransmission timer, loss recovery."""

from typing import Any

import numpy as np

from headgate_studies.conform.case import (
    RTT_S,
    SYN,
    Cases,
    FlowRun,
    Observation,
    Subject,
    equal,
    near,
)

#: The test cases of this module.
CASES = Cases()
#: Tolerance: serialising a few packets changes a time by less than a hundredth.
CLOSE = 0.02
RATE_BASED = "follows a model of the path instead (draft-ietf-ccwg-bbr)"
BBR = {"bbr": RATE_BASED, "bbr3": RATE_BASED}
LEARNS = "moves its rate towards the larger utility instead (Dong et al. 2018 §5)"
#: Algorithms whose slow start and response to losses follow from a rate.
BY_RATE = BBR | {"vivace": LEARNS}
#: Other responses to a loss. Copa changes its delta only, and that in the competitive mode.
ON_LOSS = BY_RATE | {"copa": "a loss does not reduce the window (Arun, Balakrishnan 2018 §2.2)"}
RENO: dict[str, Any] = {"recovery": "reno"}
NEWRENO: dict[str, Any] = {"recovery": "newreno"}
#: Three segments of one window of some 300, and ten of it.
THREE = [SYN + 200, SYN + 210, SYN + 220]
TEN = [SYN + 200 + 3 * i for i in range(10)]
COUNTS = ("retransmissions", "recoveries", "timeouts")


@CASES.add("rto-initial", "RFC 6298 §2.1")
def _first_timeout(cca: Subject) -> Observation:
    """Until a round trip has been measured, the time-out is one second."""
    run = cca.run_flow(lose=[SYN], size=1)
    return near(run.count("established_s")["established_s"], 1 + RTT_S, CLOSE, "s")


@CASES.add("rto-syn-doubles", "RFC 6298 §5.5")
def _doubling(cca: Subject) -> Observation:
    """The time-out doubles each time it expires: 1, 2, 4 seconds for a lost SYN."""
    run = cca.run_flow(20, lose=[1, 2, 3], size=1)
    return near(run.count("established_s")["established_s"], 1 + 2 + 4 + RTT_S, CLOSE, "s")


@CASES.add("rto-first-sample", "RFC 6298 §2.2")
def _from_one_sample(cca: Subject) -> Observation:
    # SRTT = R, RTTVAR = R/2, RTO = SRTT + 4 RTTVAR = 3 R, which exceeds the least time-out
    """After the first measurement R the time-out is R + max(G, 4 R/2) = 3 R."""
    rtt_s = 0.2
    run = cca.run_flow(lose=[SYN + 1], size=1, rtt=f"{rtt_s * 1e3:g} ms")
    return near(run.count("fct_sender_s")["fct_sender_s"], rtt_s + 3 * rtt_s + rtt_s, CLOSE, "s")


@CASES.add("rto-doubles", "RFC 6298 §5.5, §5.6")
def _doubled_retransmission(cca: Subject) -> Observation:
    """A segment that is lost again waits for twice the time-out."""
    rtt_s = 0.2
    run = cca.run_flow(lose=[SYN + 1, SYN + 2], size=1, rtt=f"{rtt_s * 1e3:g} ms")
    expected = rtt_s + 3 * rtt_s + 6 * rtt_s + rtt_s
    return near(run.count("fct_sender_s")["fct_sender_s"], expected, CLOSE, "s")


@CASES.add("slow-start-doubles", "RFC 5681 §3.1, equation (2)", exempt=BY_RATE)
def _slow_start(cca: Subject) -> Observation:
    """Slow start adds at most one segment for each that is acknowledged."""
    run = cca.run_flow(0.9, rate="10 Gbit/s", interval_s=RTT_S / 10)
    step = 10  # samples in a round trip
    ratio = run.cwnd[2 * step :] / run.cwnd[step:-step]
    fastest = float(np.max(ratio))
    # ACKs of two neighbouring round trips may fall between samples: one sample's worth
    return Observation(fastest <= 2.0 + 1e-9, "at most 2 in a round trip", f"{fastest:.3f}")


@CASES.add("fast-retransmit", "RFC 5681 §3.2")
def _fast_retransmit(cca: Subject) -> Observation:
    """A single loss is repaired by fast retransmit, without a time-out."""
    run = cca.run_flow(lose=[SYN + 200])
    counts = run.count("retransmissions", "recoveries", "timeouts")
    return equal(counts, {"retransmissions": 1, "recoveries": 1, "timeouts": 0})


@CASES.add("threshold-after-loss", "RFC 5681 §3.1, §3.2 step 2", exempt=ON_LOSS)
def _threshold(cca: Subject) -> Observation:
    """On a loss the threshold falls below what was in flight, but not below two segments."""
    run = cca.run_flow(3, lose=[SYN + 200], interval_s=0.001)
    top, left = run.in_flight_at_loss(), run.first_threshold()
    return Observation(2 <= left < top, f"at least 2, less than {top:.1f}", f"{left:.1f} segments")


@CASES.add("threshold-floor", "RFC 5681 §3.1, equation (4)", exempt=BBR)
def _small_threshold(cca: Subject) -> Observation:
    # Both segments of the first window are lost, so two segments are in flight at the time-out.
    """However small the window, the threshold is at least two segments."""
    run = cca.run_flow(6, lose=[SYN + 1, SYN + 2], transport={"initial_window": "2 packets"})
    left = run.first_threshold()
    return Observation(left >= 2.0, "at least 2 segments", f"{left:.2f}")


@CASES.add(
    "loss-window",
    "RFC 5681 §3.1",
    exempt=BBR
    | {"fast": "two segments (ns-2 FAST agent)", "fast-at": "two segments (ns-2 FAST agent)"},
)
def _loss_window(cca: Subject) -> Observation:
    # All segments from 150 to 900 are lost, so no duplicate ACK reports the loss.
    """After a time-out the window is one segment."""
    run = cca.run_flow(6, lose=list(range(SYN + 150, SYN + 900)), interval_s=0.002)
    least = float(np.min(run.cwnd))
    timed_out = run.count("timeouts")["timeouts"] > 0
    return Observation(timed_out and least <= 1.0, "1 segment after a time-out", f"{least:.2f}")


def _check_repair(run: FlowRun, losses: int) -> Observation:
    expected = {"retransmissions": losses, "recoveries": 1, "timeouts": 0}
    return equal(run.count(*COUNTS), expected)


@CASES.add("reno-one-loss", "RFC 5681 §3.2 steps 3 to 6")
def _reno(cca: Subject) -> Observation:
    """Fast retransmit repairs one loss of a window, and fast recovery ends with its ACK."""
    return _check_repair(cca.run_flow(lose=THREE[:1], transport=RENO), 1)


@CASES.add("reno-first-new-ack", "RFC 5681 §3.2 step 6")
def _reno_ends(cca: Subject) -> Observation:
    """Fast recovery ends at the first new ACK: the second of three losses waits for the timer."""
    run = cca.run_flow(lose=THREE, transport=RENO)
    return equal(run.count("recoveries", "timeouts"), {"recoveries": 1, "timeouts": 1})


@CASES.add("newreno-partial-acks", "RFC 6582 §3.2 step 3")
def _newreno(cca: Subject) -> Observation:
    """Partial ACKs repair three losses of one window in one recovery, without a time-out."""
    return _check_repair(cca.run_flow(lose=THREE, transport=NEWRENO), 3)


@CASES.add("sack-many-losses", "RFC 6675 §5")
def _sack(cca: Subject) -> Observation:
    """Ten losses of one window are repaired in one recovery, each sent again once."""
    return _check_repair(cca.run_flow(lose=TEN), 10)


@CASES.add("one-reduction", "RFC 6675 §5, RFC 6582 §3.2", exempt=ON_LOSS)
def _one_reduction(cca: Subject) -> Observation:
    """Several losses of one window reduce the window once."""
    one, many = cca.run_flow(3, lose=TEN[:1]), cca.run_flow(3, lose=TEN)
    expected, observed = (float(run.ssthresh[-1]) for run in (one, many))
    holds = abs(observed - expected) <= 0.01 * expected
    return Observation(holds, f"{expected:.1f} segments, as after one loss", f"{observed:.1f}")


@CASES.add("tail-loss", "RFC 6675 §5.1, RFC 6298 §5.4")
def _tail(cca: Subject) -> Observation:
    # The last two of 200 segments: no ACK follows them, only the timer helps.
    """Losses that no later segment tells of end in a time-out and are sent again."""
    run = cca.run_flow(lose=[SYN + 199, SYN + 200], size=200)
    expected = {"retransmissions": 2, "recoveries": 0, "timeouts": 1}
    return equal(run.count(*COUNTS), expected)
