"""Goodput of fluid runs, and their values of the responses of a packet run, worked by hand."""

from typing import Any

import numpy as np
import pytest

from headgate.engine.fluid import solve, sweep

#: 25 packets of window each fill 100 Mbit/s and 60 ms: 500 packets.
CORE: dict[str, Any] = {
    "links": {"core": {"rate": "100 Mbit/s", "buffer": "1 BDP"}},
    "classes": {"web": {"flows": 20, "rtt": "60 ms", "path": ["core"]}},
}
PACKETS_S = 1e8 / 12_000


def test_responses_of_reno_are_those_of_its_rest() -> None:
    """p = 1.5/25^2; 1,666.7 packets enter in 200 ms, and what is lost does not leave."""
    result = solve("reno", network=CORE, duration="300 s", warmup="200 s")
    one = {name: float(result.responses[name][0]) for name in result.responses}
    lost = 1.5 / 25**2
    assert (one["y1"], one["y2"], one["start_s"], one["end_s"]) == (20, 1, 200, 300)
    assert one["y3"] == pytest.approx(0.2 * PACKETS_S)
    assert one["y4"] == pytest.approx(0.2 * PACKETS_S * (1 - lost))
    assert one["y5"] == pytest.approx(lost) == one["y10"]
    assert (one["y11"], one["y15"]) == pytest.approx((25, 0.06))
    assert (one["y6"], one["y7"], one["y16"]) == (0, 0, 0)
    assert np.isnan([one["y12"], one["y13"], one["y14"], one["y17"]]).all()
    goodput = result.flows["goodput_bps"][0]
    assert goodput == pytest.approx(5e6 * (1 - lost))
    assert result.flows["delivered_packets"][0] == pytest.approx(goodput * 100 / 12_000)
    assert result.flows["retransmissions"][0] == pytest.approx(PACKETS_S / 20 * lost * 100)


def test_a_queue_is_a_wait_of_departing_packets() -> None:
    """FAST holds 20 x 10 packets: 24 ms of wait, beside 60 ms of path; nothing is lost."""
    result = solve("fast", {"alpha": 10}, network=CORE, duration="100 s", warmup="50 s")
    one = {name: float(result.responses[name][0]) for name in result.responses}
    assert one["y16"] == pytest.approx(200 / PACKETS_S)
    assert one["y15"] == pytest.approx(0.06 + 200 / PACKETS_S)
    assert one["y5"] == 0
    assert result.flows["goodput_bps"][0] == pytest.approx(5e6)


def test_packets_beyond_a_full_buffer_are_lost() -> None:
    """FAST asks for 2,000 packets of queue, and there is room for 500: windows grow to 200."""
    result = solve("fast", {"alpha": 100}, network=CORE, duration="100 s", warmup="50 s")
    lost = 1 - PACKETS_S / (20 * result.flows["mean_cwnd_packets"][0] / 0.12)
    assert lost == pytest.approx(0.75, abs=1e-4)
    assert result.ports["loss_rate"][0] == pytest.approx(lost)
    assert result.responses["y5"][0] == pytest.approx(lost)
    assert result.flows["goodput_bps"][0] == pytest.approx(5e6)


def test_losses_of_a_path_are_those_of_its_links_and_its_own() -> None:
    """Two full links and 1 % beside them, all heard by one class."""
    network = {
        "links": {name: {"rate": "10 Mbit/s"} for name in ("first", "second")},
        "classes": {
            "all": {"rtt": "50 ms", "path": ["first", "second"], "params": {"loss": 0.001}},
            "one": {"rtt": "50 ms", "path": ["first"]},
            "other": {"rtt": "50 ms", "path": ["second"]},
        },
    }
    result = solve("reno", network=network, duration="600 s", warmup="400 s")
    sent = result.series["throughput_bps"][result.series["of"] == "flow"].reshape(3, -1)[:, -1]
    p = result.series["drop_probability"][result.series["of"] == "port"].reshape(2, -1)[:, -1]
    through = [0.999 * (1 - p[0]) * (1 - p[1]), 1 - p[0], 1 - p[1]]
    assert result.flows["goodput_bps"] == pytest.approx(sent * through, rel=1e-6)


def test_a_sweep_gives_the_period_of_what_goes_round() -> None:
    """By the equations the first simulation's period is 16.95 s; Reno alone rests."""
    table = sweep("tcp-red", {"red": ["mean"]}, duration="200 s", warmup="50 s")
    assert table["queue_packets_period_s"][0] == pytest.approx(16.95, rel=0.01)
    assert table["cwnd_packets_period_s"][0] == pytest.approx(16.95, rel=0.01)
    still = sweep("reno", {"loss": [0.0]}, network=CORE, duration="400 s", warmup="300 s")
    assert np.isnan(still["cwnd_packets_period_s"][0])
