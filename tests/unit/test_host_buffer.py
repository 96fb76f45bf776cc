"""The buffer of a host link: its router drops what exceeds it, its host's senders wait."""

import pytest

from headgate import Result, Scenario
from headgate.base.errors import ScenarioError

BUFFER_S = 0.05
#: A segment of 1,500 bytes carries 1,460.
FAST_BPS, NORMAL_BPS = 960e6, 96e6
#: From end to end of the country and back, in light in glass, with the lower tiers.
LONGEST_RTT_S = 0.08


def alone(host_buffer: str, fast: float, cca: str = "reno") -> Result:
    """Run one flow that nothing slows but interfaces, and whose slow start ends at a loss only."""
    return Scenario.from_dict(
        {
            "duration": "12 s",
            "network": {
                "kind": "abilene",
                "rate": "192 Gbit/s",
                "fast_share": fast,
                "host_buffer": host_buffer,
            },
            "transport": {"preset": "mesonet", "initial_ssthresh": "infinite"},
            "traffic": [{"kind": "flows", "cca": cca, "source": "D", "receiver": "D"}],
            "measure": {"warmup": "6 s", "flows": "all", "series": "none"},
        }
    ).run()


@pytest.mark.parametrize("cca", ["reno", "scalable", "hstcp"])
def test_a_sender_waits_for_its_interface_and_loses_nothing(cca: str) -> None:
    """The window stops at what the path and the host's queue hold, and the interface stays full."""
    flows = alone("50 ms", 1.0, cca).flows
    assert flows["retransmissions"][0] == 0
    assert flows["goodput_bps"][0] == pytest.approx(FAST_BPS * 1460 / 1500, rel=0.01)
    assert BUFFER_S < flows["mean_rtt_s"][0] < BUFFER_S + LONGEST_RTT_S


def test_without_a_limit_the_window_grows_for_ever() -> None:
    """In slow start every round adds a window: after ten seconds, seconds of data wait."""
    flows = alone("infinite", 1.0).flows
    assert flows["retransmissions"][0] == 0
    assert flows["mean_rtt_s"][0] > 10 * BUFFER_S


def test_small_queues_cost_no_throughput() -> None:
    """Ten packets in the host's queue keep it busy: ACKs come as fast as packets leave."""
    few = alone("10 packets", 1.0).flows
    assert few["goodput_bps"][0] == pytest.approx(FAST_BPS * 1460 / 1500, rel=0.01)
    assert few["mean_rtt_s"][0] < LONGEST_RTT_S


@pytest.mark.parametrize("wrong", ["1 BDP", "1 BDP/sqrt(n)"])
def test_multiples_of_bdp_are_one_sentence(wrong: str) -> None:
    with pytest.raises(ScenarioError, match=r"host_buffer.*write a time, packets or bytes"):
        alone(wrong, 1.0)
