"""Differences between kinds of recovery, by hand: segments 1 and 5 of the first 15 are lost.

The first window holds 10 segments, of which eight arrive. The first two duplicate ACKs let out 11
and 12 (limited transmit); the third says that 1 is lost and goes again: ssthresh is half of the ten
that the window had, 5, and the window 5 + 3. The duplicate of 10, the eighth, makes it 5 + 8 = 13
with 12 in flight: out goes 13. A round trip later 11 and 12 let out 14 and 15. Then 1 has come, and
the ACK says 4.

NewReno takes that for a second loss and sends 5 again at once, so all is acknowledged a round trip
later; SACK knew of it before, and waits for 14 and 15. Reno's recovery has ended. Three more
duplicates come, of 13, 14 and 15, but all they speak of was outstanding when the recovery began:
only the timer sends 5 again, a time-out later.
"""

import pytest

from headgate import Result, Scenario

SYN = 1
RTT_S = 0.1
#: Segments on the line last 0.12 ms; a train of a few of them is all that a round trip adds.
TRAINS_S = 0.002
NETWORK = {
    "kind": "dumbbell",
    "rate": "100 Mbit/s",
    "rtt": "100 ms",
    "buffer": "infinite",
    "access": "direct",
    "lose": [SYN + 1, SYN + 5],
}


def run(recovery: str) -> Result:
    return Scenario.from_dict(
        {
            "seed": 1,
            "duration": "5 s",
            "network": NETWORK,
            "transport": {"recovery": recovery, "initial_window": "10 packets"},
            "traffic": [{"kind": "flows", "cca": "reno", "size": "15 packets"}],
        }
    ).run()


def counts(result: Result) -> list[int]:
    return [int(result.flows[name][0]) for name in ("retransmissions", "recoveries", "timeouts")]


@pytest.mark.parametrize("recovery", ["newreno", "sack"])
def test_a_partial_ack_goes_on(recovery: str) -> None:
    result = run(recovery)
    assert counts(result) == [2, 1, 0]
    # the SYN, the window, the first loss again, and then: the second again, or 14 and 15
    assert result.flows["fct_sender_s"][0] == pytest.approx(4 * RTT_S, abs=TRAINS_S)


def test_reno_waits_for_the_timer() -> None:
    reno, newreno = run("reno"), run("newreno")
    assert counts(reno) == [2, 1, 1]
    # RFC 6298: the smoothed RTT and at least 200 ms (`rto_margin`)
    timeout_s = RTT_S + 0.2
    waited_s = float(reno.flows["fct_sender_s"][0] - newreno.flows["fct_sender_s"][0])
    assert waited_s == pytest.approx(timeout_s, abs=TRAINS_S)


@pytest.mark.parametrize(("rate", "lost"), [("1 Mbit/s", 40), ("1 Mbit/s", 80), ("2 Mbit/s", 60)])
def test_what_is_sent_again_may_wait_behind_what_was_sent_before_it(rate: str, lost: int) -> None:
    """A queue doubles within the round trip in which it loses a segment.

    So that segment, sent again, arrives later than any RTO by round trips of before. Linux takes
    each SACK for a sample, and restarts the timer of the first segment at each SACK of a segment
    that left before it did.
    """
    result = Scenario.from_dict(
        {
            "seed": 1,
            "duration": "20 s",
            "network": NETWORK | {"rate": rate, "rtt": "40 ms", "lose": [SYN + lost]},
            "transport": {"preset": "linux"},
            "traffic": [{"kind": "flows", "cca": "reno", "size": "400 packets"}],
        }
    ).run()
    assert counts(result) == [1, 1, 0]
