"""RCP: equal shares, a full line and no queue; questions for a new rate; a fluid model's times."""

from typing import Any

import numpy as np
import pytest

from headgate import Result, Scenario


def rcp(traffic: dict[str, Any], **scenario: Any) -> Result:
    network = {
        "kind": "dumbbell",
        "rate": "100 Mbit/s",
        "rtt": "100 ms",
        "buffer": "infinite",
        "access": "direct",
        "feedback": "rcp",
    } | scenario.pop("network", {})
    transport = {"preset": "ns2", "segment": "960 B"} | scenario.pop("transport", {})
    return Scenario.from_dict(
        {
            "seed": 1,
            "duration": "20 s",
            "network": network,
            "transport": transport,
            "traffic": [{"cca": "rcp", **traffic}],
            "measure": {"series": "none"},
        }
        | scenario
    ).run()


def port(result: Result, column: str) -> float:
    return float(result.ports[column][result.ports["link"] == "bottleneck"][0])


def jain(rates: np.ndarray) -> float:
    return float(rates.sum() ** 2 / len(rates) / (rates**2).sum())


@pytest.mark.parametrize("flows", [1, 5, 50])
def test_the_line_is_full_the_queue_empty_and_shares_are_equal(flows: int) -> None:
    traffic = {"kind": "flows", "count": flows, "stagger": "10 ms"}
    result = rcp(traffic, measure={"warmup": "10 s", "series": "none"})
    assert port(result, "utilisation") > 0.99
    # paced packets of one flow never meet; those of different flows wait for each other
    assert port(result, "mean_queue_packets") < flows
    assert port(result, "drops") == 0
    assert jain(result.flows["goodput_bps"]) > 0.999


@pytest.mark.parametrize("flows", [10, 100])
def test_flows_that_come_at_once_are_told_the_first_rate(flows: int) -> None:
    # 5 % of the line each: up to 20 flows fit; of more, the rest queues for a round trip or two
    traffic = {"kind": "flows", "count": flows, "size": "20 packets"}
    result = rcp(traffic)
    fct_s = result.flows["fct_sender_s"]
    gap_s = 8000 / (0.05 * 100e6)
    assert fct_s.min() >= 0.2 + 19 * 0.9 * gap_s  # R may rise a little in a round trip
    queue = (
        max(0.0, flows * 0.05 - 1) * 0.1 * 12_500
    )  # packets, if all sent at that rate for an RTT
    assert port(result, "max_queue_packets") <= max(queue, flows)


def test_a_flow_of_less_than_a_packet_per_rtt_asks_for_a_new_rate() -> None:
    # At a millionth of the line the second packet would leave after 80 s. R grows by alpha/d = 2/s
    # at least, d being 0.2 s at first: to the whole line within ln(1e6)/2 = 6.9 s.
    traffic = {"kind": "flows", "size": "1000 packets"}
    result = rcp(traffic, network={"feedback": {"name": "rcp", "start": 1e-6}})
    assert 1.0 < result.flows["fct_sender_s"][0] < 6.9 + 0.2 + 0.2


def test_flows_that_ask_in_between_share_equally() -> None:
    # 60 flows on 1 Mbit/s: a packet in 0.48 s each, an RTT of 0.4 s. With many more, which all send
    # at once when the rate rises, the queue never settles.
    traffic = {"kind": "flows", "count": 60, "stagger": "100 ms"}
    result = rcp(
        traffic,
        network={"rate": "1 Mbit/s", "rtt": "400 ms"},
        duration="200 s",
        measure={"warmup": "100 s", "series": "none"},
    )
    assert port(result, "utilisation") > 0.97
    assert jain(result.flows["goodput_bps"]) > 0.99


@pytest.mark.parametrize(("backoff", "established_s"), [(False, 1.1), (True, 1.6)])
def test_a_syn_is_sent_again_every_half_second(backoff: bool, established_s: float) -> None:
    result = rcp(
        {"kind": "flows", "size": "1 packet"},
        network={"lose": [1, 2]},
        transport={"syn_timeout": "500 ms", "syn_backoff": backoff},
    )
    # the data packet takes another round trip; 1040 bytes and an ACK take less than a millisecond
    assert result.flows["fct_sender_s"][0] == pytest.approx(established_s + 0.1, abs=1e-3)


#: Mean time to the last ACK at the sender, from a fluid model with alpha 0.1, beta 1: 300,000
#: packets/s, RTT 100 ms, load 0.9, Pareto sizes of mean 25 and shape 1.2 (six seeds). Longer flows
#: need the whole run of 65 s.
FLUID_S = {(6, 16): 0.204, (100, 200): 0.211}


def test_short_flows_take_two_round_trips_and_little_more() -> None:
    result = rcp(
        {
            "kind": "poisson",
            "arrivals": "10800 /s",
            "size": {"kind": "pareto", "mean": "25 packets", "shape": 1.2},
        },
        network={"rate": "2.4 Gbit/s", "feedback": {"name": "rcp", "alpha": 0.1, "beta": 1.0}},
        duration="10 s",
    )
    flows = result.flows
    done = (flows["status"] == "finished") & (flows["start_s"] > 2)
    for (low, high), fluid_s in FLUID_S.items():
        chosen = done & (flows["size_packets"] >= low) & (flows["size_packets"] <= high)
        assert np.mean(flows["fct_sender_s"][chosen]) == pytest.approx(fluid_s, abs=0.010)
