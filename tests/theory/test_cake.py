"""CAKE against the consequences of its rules: shares of hosts, rate and place of its shaper."""

from typing import Any

import numpy as np
import pytest

from headgate import Result, Scenario

#: Senders that always have packets here, and a control that never acts.
WINDOWS = {"receive_window": "150 packets"}
IDLE = {"target": "100 s"}
PAYLOAD, PACKET_BYTES, ACK_BYTES = 1460, 1500, 40
LINE_BPS = 10**7


def run(queue: dict[str, Any], flows: list[dict[str, Any]], **given: Any) -> Result:
    """Run flows of two sites behind a hub, whose line `hub-far` has this queue."""
    line = {"rate": given.pop("rate", "10 Mbit/s"), "queue": {"name": "cake", **queue}}
    fast = {"rate": "1 Gbit/s"}
    links = [
        {"ends": ["one", "hub"], **fast},
        {"ends": ["eight", "hub"], **fast},
        {"ends": ["hub", "far"], **line},
        {"ends": ["far", "end"], "rate": given.pop("behind", "1 Gbit/s")},
        {"ends": ["far", "other"], **fast},
    ]
    routers = [{"name": name} for name in ("one", "eight", "hub", "far", "end", "other")]
    network = {"kind": "graph", "delay": "5 ms", "buffer": "infinite"}
    return Scenario.from_dict(
        {
            "duration": "60 s",
            "network": {**network, "routers": routers, "links": links},
            "transport": WINDOWS | given,
            "traffic": [{"kind": "flows", "cca": "reno", **flow} for flow in flows],
            "measure": {"warmup": "10 s", "series": "none"},
        }
    ).run()


def port(result: Result, name: str, column: str) -> float:
    return float(result.ports[column][result.ports["link"] == name][0])


@pytest.mark.parametrize(
    ("isolation", "receivers", "alone"),
    [
        ("flows", ("end", "other"), 1 / 9),
        ("dual-srchost", ("end", "end"), 1 / 2),
        ("dual-srchost", ("end", "other"), 1 / 2),
        # the receiver's host has nine flows, and the larger number of both hosts counts
        ("triple-isolate", ("end", "end"), 1 / 9),
        ("triple-isolate", ("end", "other"), 1 / 2),
        ("dual-dsthost", ("end", "other"), 1 / 2),
        ("dual-dsthost", ("end", "end"), 1 / 9),
        ("srchost", ("end", "end"), 1 / 2),
        ("flowblind", ("end", "other"), None),
    ],
)
def test_two_hosts_of_one_and_eight_flows(
    isolation: str, receivers: tuple[str, str], alone: float | None
) -> None:
    flows = [
        {"source": "one", "receiver": receivers[0]},
        {"source": "eight", "receiver": receivers[1], "count": 8},
    ]
    result = run({"isolation": isolation, **IDLE}, flows)
    goodput = result.flows["goodput_bps"]
    whole = LINE_BPS * PAYLOAD / PACKET_BYTES
    assert float(goodput.sum()) == pytest.approx(whole, rel=1e-3)
    if alone is None:  # by the windows, which are equal in the end
        assert float(goodput[0]) == pytest.approx(whole / 9, rel=0.15)
        return
    # 42,000 packets leave in 50 s: quanta of 1514 bytes for 1500, within one packet
    assert float(goodput[0]) / whole == pytest.approx(alone, rel=2e-3)
    if isolation != "srchost":  # there, eight flows share a queue
        assert goodput[1:] == pytest.approx((whole - float(goodput[0])) / 8, rel=5e-3)


@pytest.mark.parametrize(
    ("keys", "bytes_on_line"),
    [
        ({}, 1500),
        ({"overhead": "38 B"}, 1538),
        # 1540 bytes are 33 cells of 53; and one byte more for each of 25 blocks of 64
        ({"overhead": "40 B", "framing": "atm"}, 33 * 53),
        ({"overhead": "40 B", "framing": "ptm"}, 1540 + 25),
    ],
)
def test_the_shaper_sends_at_its_bandwidth(keys: dict[str, Any], bytes_on_line: int) -> None:
    queue = {"bandwidth": "20 Mbit/s", **IDLE, **keys}
    result = run(queue, [{"source": "one", "receiver": "end"}] * 4, rate="100 Mbit/s")
    due = 20e6 * PACKET_BYTES / bytes_on_line
    assert port(result, "hub-far", "throughput_bps") == pytest.approx(due, rel=1e-3)


def test_the_queue_stands_at_the_shaper_and_not_at_the_line_behind() -> None:
    flows = [{"source": "one", "receiver": "end", "count": 4}]
    shaped = run({"bandwidth": "19 Mbit/s"}, flows, rate="1 Gbit/s", behind="20 Mbit/s")
    plain = run({}, flows, rate="1 Gbit/s", behind="20 Mbit/s")
    # packets leave the shaper further apart than the next line sends them
    assert port(shaped, "far-end", "max_queue_packets") == 0
    assert port(shaped, "hub-far", "mean_queue_packets") > 1
    assert port(plain, "far-end", "mean_queue_packets") > 100
    # the target is 5 ms; senders need an RTT of 20 ms to respond
    assert port(shaped, "hub-far", "mean_wait_s") < 0.02


def test_a_sparse_flow_passes_a_host_with_many_flows() -> None:
    """A flow of a packet at a time waits for the packet in service, and seldom for another."""
    bulk = {"source": "eight", "receiver": "other", "count": 8}
    short = {"kind": "poisson", "cca": "reno", "size": "1 packets", "arrivals": "5 flows/s"}
    result = run({}, [bulk, {**short, "source": "one", "receiver": "end"}])
    times = result.flows["fct_receiver_s"][result.flows["size_packets"] == 1]
    packet_s = PACKET_BYTES * 8 / LINE_BPS
    # the handshake takes 30 ms, the packet 15 ms and its own time
    mean_s = float(np.nanmean(times))
    assert 0.045 + packet_s <= mean_s < 0.045 + 4 * packet_s


def run_acks(ack_filter: str, preset: str = "default") -> Result:
    """Run a flow whose ACKs meet a line for a fifth of them."""
    back = {"rate": "100 kbit/s", "queue": {"name": "cake", "ack_filter": ack_filter}}
    network = {
        "kind": "graph",
        "directed": True,
        "delay": "20 ms",
        "buffer": "100 packets",
        "routers": [{"name": "left"}, {"name": "right"}],
        "links": [
            {"ends": ["left", "right"], "rate": "20 Mbit/s"},
            {"ends": ["right", "left"], **back},
        ],
    }
    flow = {"kind": "flows", "cca": "reno", "source": "left", "receiver": "right"}
    return Scenario.from_dict(
        {
            "duration": "20 s",
            "network": network,
            "transport": {"preset": preset, "receive_window": "150 packets"},
            "traffic": [flow],
            "measure": {"warmup": "5 s", "series": "none"},
        }
    ).run()


def test_the_ack_filter_keeps_one_or_two_acks() -> None:
    # a third ACK replaces the first, or a second one does; otherwise COBALT shortens the queue
    for mode, most in [("on", 2), ("aggressive", 1)]:
        result = run_acks(mode)
        assert port(result, "right-left", "max_queue_packets") == most
        assert port(result, "right-left", "mean_queue_packets") > most - 0.1
        assert float(result.flows["goodput_bps"][0]) == pytest.approx(20e6 * 1460 / 1500, rel=2e-3)
    assert port(run_acks("off"), "right-left", "mean_queue_packets") > 5


def test_the_ack_filter_cannot_read_acks_of_quic() -> None:
    """They are encrypted, so that the filter changes nothing."""
    digests = {run_acks(mode, "quic").digest for mode in ("off", "on", "aggressive")}
    assert len(digests) == 1
    assert len({run_acks(mode).digest for mode in ("off", "on", "aggressive")}) == 3
