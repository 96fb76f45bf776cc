"""The counters of ports and responses stay within their bounds when rates change."""

from typing import Any

import numpy as np
import pytest

from headgate import Result, Scenario

RATES = ["1 Mbit/s", "80 Mbit/s", "2 Mbit/s", "500 kbit/s", "40 Mbit/s", "3 Mbit/s"]
PERIOD_S, PACKET_BITS = 2.0, 12_000


def scenario(**network: Any) -> Scenario:
    """Make a link whose rate changes six times in half a second, at the end of the warm-up."""
    changes = [{"at": f"{1.8 + n / 10} s", "rate": rate} for n, rate in enumerate(RATES)]
    return Scenario.from_dict(
        {
            "duration": "8 s",
            "network": {
                "kind": "dumbbell", "rate": "20 Mbit/s", "rtt": "40 ms", "changes": changes,
                "loss": 0.002, **network,
            },
            "transport": "ns2",
            "traffic": [
                {"kind": "flows", "cca": "reno", "count": 4},
                {
                    "kind": "poisson", "cca": "reno", "arrivals": "40 /s", "hosts": 1,
                    "size": {"kind": "fixed", "mean": "30 packets"},
                },
            ],
            "measure": {
                "warmup": "2 s", "periods": 3, "interval": "50 ms", "series": {"interval": "20 ms"},
            },
        }
    )  # fmt: skip


@pytest.fixture(
    scope="module",
    params=[
        {"buffer": "200 packets"},
        {"buffer": "infinite"},
        {"queue": "codel"},
        {"queue": "ps", "buffer": "200 packets"},
        {"feedback": "rcp"},
    ],
    ids=str,
)
def result(request: pytest.FixtureRequest) -> Result:
    return scenario(**request.param).run()


def test_ports_are_within_their_bounds(result: Result) -> None:
    ports = result.ports
    assert (ports["rate_bps"] <= 80e6).all()
    assert (ports["rate_bps"] >= 0.5e6).all()
    one_packet = PACKET_BITS / (ports["rate_bps"] * ports["elapsed_s"])
    assert (ports["utilisation"] >= 0).all()
    assert (ports["utilisation"] <= 1 + one_packet).all()
    assert (ports["mean_queue_packets"] <= ports["max_queue_packets"]).all()
    assert (ports["lost"] <= ports["departures"]).all()


def test_links_add_up_to_ports(result: Result) -> None:
    ports, links = result.ports, result.tables["links"]
    packets = PACKET_BITS / (500e3 * PERIOD_S)
    assert ((links["utilisation"] >= 0) & (links["utilisation"] <= 1 + packets)).all()
    of_ports = {name: n for n, name in enumerate(ports["link"])}
    at = np.array([of_ports[name] for name in links["link"]])
    most = ports["max_queue_packets"][at]
    assert (links["mean_queue_packets"] <= most).all()
    for name in ("sent_bytes", "departures", "arrivals", "drops"):
        sums = np.bincount(at, weights=links[name], minlength=len(of_ports))
        np.testing.assert_allclose(sums, ports[name], err_msg=name)
    waits = np.bincount(at, weights=links["wait_sum_s"], minlength=len(of_ports))
    mean = ports["mean_queue_packets"] * ports["elapsed_s"]
    np.testing.assert_allclose(waits, mean, rtol=1e-9, atol=1e-9)


def test_no_throughput_is_negative(result: Result) -> None:
    series = result.series
    of_ports = np.array([of == "port" for of in series["of"]])
    bits = np.asarray(series["throughput_bps"])[of_ports]
    bits = bits[np.isfinite(bits)]
    assert len(bits) > 100
    assert (bits >= 0).all()
    assert (bits <= 80e6 + PACKET_BITS / 0.02).all()


def test_no_more_sources_transmit_than_there_are(result: Result) -> None:
    responses = result.responses
    assert (responses["sources"] == 5).all()
    assert ((responses["y2"] > 0.7) & (responses["y2"] <= 1)).all()
    assert (responses["active_sum"] > responses["transmitting_sum"]).all()
