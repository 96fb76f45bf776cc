"""DualPI2 against the equations of its senders, and against its promises for any run.

A Reno flow that loses the share p_C of its packets keeps a window of sqrt(1.5/p_C) (Mathis et al.
1997). Prague reduces its window by alpha/2 = p_L/2 at a mark, and then at the first mark after a
round trip. With random marks it waits for that mark 1/(p_L W) of a round trip, and its window
grows by one segment per round trip: 1 + 1/x = x/2 with x = p_L W, so that x = 1 + sqrt(3). The
2/p_L of De Schepper et al. (2016, equation 5) leaves this wait out. The tolerances were chosen
after one run of each scenario.
"""

import pytest

from headgate import Result, Scenario

BASE_S, TARGET_S, PACKET_BITS = 0.04, 0.015, 12_000


def scenario(queue: object, seconds: int = 100) -> Scenario:
    flows = {"kind": "flows", "count": 2}
    return Scenario.from_dict(
        {
            "duration": f"{seconds} s",
            "measure": {"warmup": f"{seconds // 5} s"},
            "network": {
                "kind": "dumbbell",
                "rate": "40 Mbit/s",
                "rtt": f"{BASE_S} s",
                "buffer": "infinite",
                "queue": queue,
            },
            "traffic": [
                flows | {"cca": "reno", "name": "classic"},
                flows | {"cca": "prague", "name": "low", "transport": {"ecn": "ect1"}},
            ],
        }
    )


def port(result: Result, column: str) -> float:
    return float(result.ports[column][result.ports["link"] == "bottleneck"][0])


def rates_bps(result: Result) -> tuple[float, float]:
    """Throughput of the two Reno flows and of the two flows in the low-latency queue."""
    rates = [float(rate) * 1500 / 1460 for rate in result.flows["goodput_bps"]]
    return sum(rates[:2]), sum(rates[2:])


def ratio(result: Result) -> float:
    classic, low = rates_bps(result)
    return low / classic


@pytest.mark.parametrize(("variant", "threshold_s"), [("rfc", 0.0012), ("linux", 0.001)])
def test_reno_and_prague_share_a_line(variant: str, threshold_s: float) -> None:
    result = scenario({"name": "dualpi2", "variant": variant}).run(seed=1)
    waits = port(result, "classic_wait_s"), port(result, "low_wait_s")
    # the control sums the error up
    assert waits[0] == pytest.approx(TARGET_S, rel=0.15)
    assert 0 < waits[1] < threshold_s / 2
    assert port(result, "low_drops") == 0
    assert port(result, "low_marks") == port(result, "marks") > 0
    assert port(result, "utilisation") > 0.99
    packets = [rate * 80 / PACKET_BITS for rate in rates_bps(result)]
    windows = [
        count / 80 / 2 * (BASE_S + wait_s) for count, wait_s in zip(packets, waits, strict=True)
    ]
    p_classic, p_low = port(result, "drops") / packets[0], port(result, "low_marks") / packets[1]
    assert windows[0] == pytest.approx((1.5 / p_classic) ** 0.5, rel=0.1)
    assert windows[1] == pytest.approx((1 + 3**0.5) / p_low, rel=0.1)
    # p_L = 2 p' and p_C = p'^2: the mean of p' is less than the root of the mean of its square
    assert 0.75 < p_low / (2 * p_classic**0.5) < 1.0


def test_a_stronger_coupling_slows_prague() -> None:
    def shared(coupling: float) -> float:
        queue = {"name": "dualpi2", "variant": "linux", "coupling": coupling}
        return ratio(scenario(queue, 40).run(seed=1))

    # windows of Prague are 2.7/(k p'): a quarter of those at k = 2
    assert shared(8) < 0.6 * shared(2)


def test_a_run_repeats_on_any_number_of_threads() -> None:
    for variant in ("rfc", "linux"):
        queue = {"name": "dualpi2", "variant": variant}
        one, two = (scenario(queue, 10).run(seed=3, threads=threads) for threads in (1, 2))
        assert one.digest == two.digest


def test_other_disciplines_have_no_second_queue() -> None:
    result = scenario("pie", 5).run(seed=1)
    for column in ("low_wait_s", "classic_wait_s", "low_marks", "low_drops"):
        assert not (result.ports[column] >= 0).any()
