"""DualPI2 against the fixed point of its equations, and against its promises for any run.

With the base probability p', a Reno flow loses p'^2 of its packets and keeps a window of
sqrt(1.5)/p' (Mathis et al. 1997). DCTCP with marks of single packets keeps 2/(k p') (De Schepper
et al. 2016, equation 5), so that k = 2 gives 1/p'. Over the same path, C's packets wait for the
target and L's hardly at all.
"""

from typing import Any

import pytest

from headgate import Result, Scenario

BASE_S, TARGET_S = 0.04, 0.015


def scenario(queue: object, seconds: int = 100, **given: Any) -> Scenario:
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
                flows | {"cca": "dctcp", "name": "low", "transport": {"ecn": "ect1"}},
            ],
            **given,
        }
    )


def port(result: Result, column: str) -> float:
    return float(result.ports[column][result.ports["link"] == "bottleneck"][0])


def ratio(result: Result) -> float:
    """Goodput of the two DCTCP flows over that of the two Reno flows."""
    rates = [float(rate) for rate in result.flows["goodput_bps"]]
    return sum(rates[2:]) / sum(rates[:2])


@pytest.mark.parametrize(("variant", "threshold_s"), [("rfc", 0.0012), ("linux", 0.001)])
def test_reno_and_dctcp_share_a_line(variant: str, threshold_s: float) -> None:
    result = scenario({"name": "dualpi2", "variant": variant}).run(seed=1)
    # 1/p' over sqrt(1.5)/p', at 40 to 41.2 ms and at 55 ms: 1.09 to 1.12. L's own threshold adds
    # marks, and Reno's window after loss events is 13 % below that of regular losses: a third
    due = (1 / 1.5**0.5) * (BASE_S + TARGET_S) / (BASE_S + threshold_s / 2)
    assert ratio(result) == pytest.approx(due, rel=1 / 3)
    assert port(result, "low_wait_s") < threshold_s
    # the control sums the error up; a third for its swing around the target
    assert port(result, "classic_wait_s") == pytest.approx(TARGET_S, rel=1 / 3)
    assert port(result, "low_drops") == 0
    assert port(result, "low_marks") == port(result, "marks") > 0
    assert port(result, "utilisation") > 0.95


def test_a_stronger_coupling_slows_dctcp() -> None:
    def shared(coupling: float) -> float:
        queue = {"name": "dualpi2", "variant": "linux", "coupling": coupling}
        return ratio(scenario(queue, 40).run(seed=1))

    # windows of DCTCP are 2/(k p'): a quarter of those at k = 2
    assert shared(8) < 0.6 * shared(2)


def test_a_run_repeats_on_any_number_of_threads() -> None:
    for variant in ("rfc", "linux"):
        queue = {"name": "dualpi2", "variant": variant}
        one, two = (scenario(queue, 10).run(seed=3, threads=threads) for threads in (1, 2))
        assert one.digest == two.digest


def test_other_disciplines_have_no_second_queue() -> None:
    result = scenario("pie", 5).run(seed=1)
    for column in ("low_wait_s", "classic_wait_s", "low_marks", "low_drops"):
        assert not result.ports[column] >= 0
