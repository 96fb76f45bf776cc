"""CNQ-CodelAF against the consequences of its rules: signals by shares of the queue, and waits.

A packet is signalled if its wait times its flow's share of the queue times the number of flows
exceeds 5 ms.
"""

from typing import Any

import numpy as np
import pytest

from headgate import Result, Scenario

PACKET_BITS, LINE_BPS = 12_000, 10**7
PACKET_S = PACKET_BITS / LINE_BPS
#: One packet in ten; of payload 1460 of 1500 bytes.
SLOW = {"cca": {"name": "constant", "rate": "1 Mbit/s"}, "name": "slow"}
TARGET_S = 0.005


def run(queue: str, flows: list[dict[str, Any]], **given: Any) -> Result:
    network = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "20 ms", "buffer": "infinite"}
    return Scenario.from_dict(
        {
            "seed": 1,
            "duration": "100 s",
            "network": {**network, "queue": queue},
            "traffic": [{"kind": "flows", **flow} for flow in flows],
            "measure": {"warmup": "20 s", "series": {"interval": "5 ms"}},
            **given,
        }
    ).run()


def of(result: Result, name: str, column: str) -> float:
    return float(result.flows[column][result.flows["traffic"] == name][0])


def longest_wait_s(result: Result) -> float:
    series = result.series
    rows = (series["name"] == "bottleneck") & (series["t_s"] > 20)
    return float(np.max(series["queue_packets"][rows]) + 1) * PACKET_S


def test_a_flow_with_a_small_share_is_not_signalled_until_waits_are_long() -> None:
    # a tenth of the queue and two flows: 0.2 w exceeds 5 ms from w = 25 ms on
    flows = [SLOW, {"cca": "reno", "name": "fast"}]
    result = run("cnq-codel-af", flows)
    assert longest_wait_s(result) < TARGET_S / 0.2
    assert of(result, "slow", "retransmissions") == 0
    assert of(result, "fast", "retransmissions") > 10


def test_a_flow_that_sends_too_much_pays_alone() -> None:
    # 1.5 times the line: the other one's share of the queue is a seventh; 2/7 w exceeds 5 ms from
    # 17.5 ms on
    flood = {"cca": {"name": "constant", "rate": "15 Mbit/s"}, "name": "flood"}
    slow = {"cca": {"name": "constant", "rate": "1 Mbit/s"}, "name": "slow"}
    result = run("cnq-codel-af", [flood, slow])
    flood_lost, slow_lost = (of(result, name, "retransmissions") for name in ("flood", "slow"))
    sent = 80 * 16e6 / PACKET_BITS
    assert flood_lost == pytest.approx(sent * 6 / 16, rel=0.1)
    assert slow_lost < 0.05 * flood_lost / 15


def test_shares_depend_less_on_round_trips_than_with_codel() -> None:
    flows = [{"cca": "reno", "name": name, "rtt": name} for name in ("20 ms", "80 ms")]

    def ratio(queue: str) -> float:
        result = run(queue, flows)
        near, far = (of(result, name, "goodput_bps") for name in ("20 ms", "80 ms"))
        return near / far

    # CoDel signals both alike, so that rates are inverse to round trips at most
    assert 1 < ratio("cnq-codel-af") < 0.85 * ratio("codel") < 4
