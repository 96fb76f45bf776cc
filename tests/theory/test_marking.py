"""DCTCP at a marking port against its steady-state model; Reno with classic ECN.

Alizadeh et al. 2010 §3.3, N synchronous flows: the queue peaks at K + N packets and swings by
sqrt(2 N (C RTT + K)) / 2.
"""

import math

import numpy as np
import pytest

from headgate import Result, Scenario

RATE_BPS, RTT_S, PACKET_BITS = 10**10, 500e-6, 12_000
BDP_PACKETS = RATE_BPS * RTT_S / PACKET_BITS
THRESHOLD = 65


def marked(cca: str, flows: int, *, ecn: bool = False) -> Result:
    return Scenario.from_dict(
        {
            "seed": 1,
            "duration": "1 s",
            "network": {
                "kind": "dumbbell",
                "rate": "10 Gbit/s",
                "rtt": "500 us",
                "buffer": "2000 packets",
                "access": "direct",
                "queue": {"name": "threshold", "mark": f"{THRESHOLD} packets"},
            },
            "transport": {"ecn": ecn},
            "traffic": [{"kind": "flows", "cca": cca, "count": flows}],
            "measure": {"warmup": "300 ms", "series": {"interval": "50 us"}},
        }
    ).run()


def port(result: Result, column: str) -> float:
    return float(result.ports[column][result.ports["link"] == "bottleneck"][0])


def queue(result: Result) -> np.ndarray:
    series = result.series
    return series["queue_packets"][(series["name"] == "bottleneck") & (series["t_s"] > 0.3)]


@pytest.mark.parametrize("flows", [2, 5, 10, 20])
def test_the_queue_peaks_at_the_threshold_and_a_packet_for_each_flow(flows: int) -> None:
    result = marked("dctcp", flows)
    assert port(result, "drops") == 0
    # all flows add their packet in one round trip; one of them may come a packet early or late
    assert abs(port(result, "max_queue_packets") - (THRESHOLD + flows)) <= 1
    assert port(result, "utilisation") > 0.999


@pytest.mark.parametrize("flows", [2, 5, 10])
def test_the_queue_swings_by_the_root_of_window_and_flows(flows: int) -> None:
    waiting = queue(marked("dctcp", flows))
    swing = float(np.percentile(waiting, 99.5) - np.percentile(waiting, 0.5))
    theory = math.sqrt(2 * flows * (BDP_PACKETS + THRESHOLD)) / 2
    # the model takes alpha for small and flows for synchronous
    assert swing == pytest.approx(theory, rel=0.2)


def test_reno_with_ecn_halves_at_marks_and_sends_nothing_again() -> None:
    result = marked("reno", 2, ecn=True)
    assert port(result, "marks") > 0
    assert result.flows["retransmissions"].sum() == 0
    # Windows fall from a sum of BDP + K to half of it, less than the path holds: the link idles
    # for a part of each cycle, at worst (both at once) down to half of the top.
    top = (BDP_PACKETS + THRESHOLD) / BDP_PACKETS
    assert 0.5 * top < port(result, "utilisation") < 1.0
    assert port(result, "max_queue_packets") < THRESHOLD + 2 * 2 + 1


def test_without_ecn_nothing_is_marked() -> None:
    assert port(marked("reno", 2), "marks") == 0


def test_a_time_out_under_marks_does_not_last() -> None:
    """Slow start overshoots a RED queue and ends in a time-out while marks are echoed.

    Repeated segments carry no answer to a mark (RFC 3168 6.1.5), so the echo lasts until new data
    are sent; a window that marks kept from growing would stay at one segment for as long as it
    takes to repair some thousand. With ECN a flow gets at least nine tenths of what it has without.
    """

    def goodput_bps(ecn: bool) -> float:
        result = Scenario.from_dict(
            {
                "duration": "60 s",
                "network": {
                    "kind": "dumbbell",
                    "rate": "150 Mbit/s",
                    "rtt": "80 ms",
                    "buffer": "1 BDP",
                    "access": "direct",
                    "queue": {"name": "red", "ecn": "on"},
                },
                "transport": {
                    "preset": "ns2",
                    "segment": "960 B",
                    "recovery": "sack",
                    "timeout_sacks": "kept",
                    "ecn": ecn,
                },
                "traffic": [
                    {"kind": "flows", "cca": "reno"},
                    {"kind": "flows", "cca": "reno", "reverse": True},
                ],
                "measure": {"warmup": "5 s", "series": "none"},
            }
        ).run()
        return float(result.flows["goodput_bps"].sum())

    assert goodput_bps(ecn=True) >= 0.9 * goodput_bps(ecn=False)
