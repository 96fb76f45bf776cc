"""The completion time of a flow that loses nothing, exact to the picosecond.

By hand: the window doubles each round, because every acknowledged packet lets out two. A round of w
packets leaves the bottleneck in one train of w services, since each ACK lets out at least as many
packets as it acknowledges. The next round begins when the first ACK is back: one loop (propagation
both ways, the services of one packet and one ACK on every link) after the first packet began, and
one service later if the receiver acknowledges every second packet only. Once a train lasts longer
than that, the line never pauses again. The flow ends a loop after its last packet began, for the
receiver acknowledges the last packet at once.
"""

from dataclasses import dataclass

import pytest

from headgate import Result, dumbbell

RATE_BPS = 100e6
RTT_S = 0.040
PACKET_BYTES, CONTROL_BYTES = 1500, 40

#: The engine counts picoseconds; doubles of half a second resolve 0.1 fs.
TOLERANCE_S = 2e-12


@dataclass(frozen=True)
class Case:
    access: str
    delayed_ack: bool
    initial_window: int

    @property
    def links_bps(self) -> list[float]:
        """Links one way: the bottleneck alone, or between host links ten times as fast."""
        return [RATE_BPS] if self.access == "direct" else [10 * RATE_BPS, RATE_BPS, 10 * RATE_BPS]

    def services_s(self, size_bytes: int) -> float:
        return sum(8 * size_bytes / rate_bps for rate_bps in self.links_bps)


CASES = [
    Case(access, delayed_ack, initial_window)
    for access in ("direct", "links")
    for delayed_ack in (False, True)
    for initial_window in (2, 10)
]

#: One packet, both sides of every first round, whole rounds, and long past the full pipe (333).
PACKETS = [1, 2, 3, 10, 11, 30, 31, 100, 150, 151, 1000, 4000]


def run(case: Case, packets: int) -> Result:
    scenario = dumbbell(
        rate="100 Mbit/s",
        rtt="40 ms",
        buffer="infinite",
        access=case.access,
        duration="10 s",
        transport={
            "delayed_ack": case.delayed_ack,
            "delayed_ack_timeout": "200 ms",  # longer than any loop: no timer ever acknowledges
            "initial_window": f"{case.initial_window} packets",
        },
        flows=[{"cca": "reno", "size": f"{packets} packets"}],
        measure={"series": "none"},
    )
    return scenario.run()


def handshake_s(case: Case) -> float:
    return RTT_S + 2 * case.services_s(CONTROL_BYTES)


def completion_s(case: Case, packets: int) -> float:
    service_s = 8 * PACKET_BYTES / RATE_BPS
    loop_s = RTT_S + case.services_s(PACKET_BYTES) + case.services_s(CONTROL_BYTES)
    first_ack_s = loop_s + (service_s if case.delayed_ack else 0)
    began_s, window, left = handshake_s(case), case.initial_window, packets
    while left > window and window * service_s < first_ack_s:
        began_s += first_ack_s
        left -= window
        window *= 2
    return began_s + (left - 1) * service_s + loop_s


@pytest.mark.parametrize("packets", PACKETS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_slow_start_takes_its_rounds_and_not_a_packet_time_more(case: Case, packets: int) -> None:
    # It fails by at least one service (120 us, 6e7 tolerances) if a round lets out one packet too
    # few or too many, if an ACK is delayed that should not be, or if a link stores a packet twice;
    # by a round trip if the first window is another.
    flow = run(case, packets).flows
    expected_s = completion_s(case, packets)
    assert flow["established_s"][0] == pytest.approx(handshake_s(case), abs=TOLERANCE_S)
    assert flow["fct_sender_s"][0] == pytest.approx(expected_s, abs=TOLERANCE_S)
    # The receiver has it all when the last ACK begins its way back.
    back_s = RTT_S / 2 + case.services_s(CONTROL_BYTES)
    assert flow["fct_receiver_s"][0] == pytest.approx(expected_s - back_s, abs=TOLERANCE_S)
    assert flow["retransmissions"][0] == 0


@pytest.mark.parametrize(("packets", "rounds"), [(10, 3), (100, 6), (1000, 9), (2000, 10)])
def test_the_rounds_of_an_ns2_sender(packets: int, rounds: int) -> None:
    # One round trip of handshake and ceil(log2(L/2 + 1)) of data for a first window of 2, worked by
    # hand for 1000 B packets at 2.4 Gbit/s: the last train, at most L/2 packets of 3.33 us, comes
    # on top, and no train fills the pipe of 30 000 packets.
    result = dumbbell(
        rate="2.4 Gbit/s",
        rtt="100 ms",
        buffer="infinite",
        access="direct",
        duration="5 s",
        transport={"preset": "ns2", "segment": "960 B"},
        flows=[{"cca": "reno", "size": f"{packets} packets"}],
        measure={"series": "none"},
    ).run()
    over_s = result.flows["fct_sender_s"][0] - (1 + rounds) * 0.1
    assert 0 < over_s < (packets / 2 + 2 * rounds) * 1000 * 8 / 2.4e9
