"""LEDBAT in an infinite buffer: slow start ends by the delay, and the queue reaches its target."""

import pytest

from headgate import Scenario

RATE_BPS, PACKET_BITS = 20e6, 12_000
RTT_S, TARGET_S = 0.040, 0.100


def test_slow_start_ends_without_a_loss() -> None:
    # It ends when an ACK shows nine tenths of the target. Until then each ACK, which come at the
    # line's rate, adds a packet to the queue: a packet that waited 90 ms is acknowledged 90 ms and
    # a round trip later, when the queue is longer by as much. The filter adds three ACKs.
    result = Scenario.from_dict(
        {
            "seed": 1,
            "duration": "150 s",
            "network": {
                "kind": "dumbbell",
                "rate": "20 Mbit/s",
                "rtt": f"{RTT_S * 1e3:g} ms",
                "buffer": "infinite",
                "access": "direct",
            },
            "traffic": [{"kind": "flows", "cca": "ledbat"}],
            "measure": {"series": {"interval": "10 ms"}},
        }
    ).run()
    link = result.series.where(result.series["of"] == "port")
    queue, times_s = link["queue_packets"], link["t_s"]
    packets_per_s = RATE_BPS / PACKET_BITS
    peak = (2 * 0.9 * TARGET_S + RTT_S) * packets_per_s
    assert float(queue.max()) == pytest.approx(peak, rel=0.05)
    # The excess over the target then falls by a part in 166.7 each round trip: the target in
    # packets.
    assert float(queue[times_s > 140].mean()) == pytest.approx(TARGET_S * packets_per_s, rel=0.03)
