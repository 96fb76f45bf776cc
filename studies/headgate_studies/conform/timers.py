"""RFC 6298: the retransmission timer."""

from __future__ import annotations

from headgate_studies.conform.case import Case, Observation, near
from headgate_studies.conform.trial import RTT_S, SYN, Subject

#: Round trips and serialisation of a handful of packets: none of it is worth a hundredth.
CLOSE = 0.02


def _first_timeout(law: Subject) -> Observation:
    run = law.run_flow(lose=[SYN], size=1)
    return near(run.count("established_s")["established_s"], 1 + RTT_S, CLOSE, "s")


def _doubling(law: Subject) -> Observation:
    run = law.run_flow(20, lose=[1, 2, 3], size=1)
    return near(run.count("established_s")["established_s"], 1 + 2 + 4 + RTT_S, CLOSE, "s")


def _from_one_sample(law: Subject) -> Observation:
    # SRTT = R, RTTVAR = R/2, RTO = SRTT + 4 RTTVAR = 3 R, which exceeds the least time-out
    rtt_s = 0.2
    run = law.run_flow(lose=[SYN + 1], size=1, rtt=f"{rtt_s * 1e3:g} ms")
    return near(run.count("fct_sender_s")["fct_sender_s"], rtt_s + 3 * rtt_s + rtt_s, CLOSE, "s")


def _doubled_retransmission(law: Subject) -> Observation:
    rtt_s = 0.2
    run = law.run_flow(lose=[SYN + 1, SYN + 2], size=1, rtt=f"{rtt_s * 1e3:g} ms")
    expected = rtt_s + 3 * rtt_s + 6 * rtt_s + rtt_s
    return near(run.count("fct_sender_s")["fct_sender_s"], expected, CLOSE, "s")


CASES = (
    Case(
        "rto-initial",
        "RFC 6298 §2.1",
        "Until a round trip has been measured, the time-out is one second",
        _first_timeout,
    ),
    Case(
        "rto-syn-doubles",
        "RFC 6298 §5.5",
        "The time-out doubles each time it expires: 1, 2, 4 seconds for a lost SYN",
        _doubling,
    ),
    Case(
        "rto-first-sample",
        "RFC 6298 §2.2",
        "After the first measurement R the time-out is R + max(G, 4 R/2) = 3 R",
        _from_one_sample,
    ),
    Case(
        "rto-doubles",
        "RFC 6298 §5.5, §5.6",
        "A segment that is lost again waits for twice the time-out",
        _doubled_retransmission,
    ),
)
