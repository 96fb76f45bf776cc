"""A flow that stops at a time: data sent by then arrive, and nothing else is sent."""

from typing import Any

import numpy as np
import pytest

from headgate import Result, Scenario

RTT_S, STOP_S = 0.1, 2.0


def run(**flow: Any) -> Result:
    return Scenario.from_dict(
        {
            "duration": "5 s",
            "network": {
                "kind": "dumbbell",
                "rate": "8 Mbit/s",
                "rtt": "100 ms",
                "buffer": "20 packets",
                "access": "direct",
            },
            "transport": {"preset": "ns2", "segment": "960 B", "timeout_sacks": "kept"},
            "traffic": [{"kind": "flows", "cca": "reno", "stop": f"{STOP_S} s", **flow}],
            "measure": {"series": {"interval": "100 ms"}},
        }
    ).run()


@pytest.mark.parametrize("cca", ["reno", "cubic", "bbr", "vcp", {"name": "constant"}])
def test_what_was_sent_arrives_and_the_flow_is_over(cca: Any) -> None:
    result = run(cca=cca)
    flows = result.flows
    assert flows["status"][0] == "finished"
    assert flows["size_packets"][0] == flows["delivered_total_packets"][0] > 0
    # the path holds a round trip and 20 packets of a millisecond; losses need a few round trips
    assert STOP_S <= flows["fct_sender_s"][0] <= STOP_S + 5 * (RTT_S + 0.02)
    rows = (result.series["name"] == "bottleneck") & (result.series["t_s"] > STOP_S + 1)
    assert np.ptp(result.series["sent_bytes"][rows]) == 0


def test_a_window_without_loss_drains_in_a_round_trip() -> None:
    # a packet of a millisecond each 10 ms; the last one leaves within 10 ms of the stop
    result = run(cca={"name": "constant", "rate_mbps": 0.8})
    took_s = result.flows["fct_sender_s"][0]
    assert STOP_S - 0.01 + RTT_S <= took_s <= STOP_S + RTT_S + 0.002
    assert result.flows["size_packets"][0] == pytest.approx((STOP_S - RTT_S) * 100, abs=1)


def test_a_file_that_is_over_before_is_not_stopped() -> None:
    with_stop, without = run(size="50 packets"), run(size="50 packets", stop="4 s")
    assert with_stop.flows["fct_receiver_s"][0] == without.flows["fct_receiver_s"][0] < STOP_S


def test_a_flow_that_never_got_an_answer_ends_with_nothing_sent() -> None:
    result = run(start="1.95 s")
    assert result.flows["status"][0] == "finished"
    assert result.flows["size_packets"][0] == 0
