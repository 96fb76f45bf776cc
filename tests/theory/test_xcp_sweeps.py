"""XCP's paper over capacities, round trips, numbers of flows, short files and nine links in a row.

Katabi et al. 2002: 50 flows each way, packets of 1000 B, a buffer of one bandwidth-delay product,
300 round trips at least; never a drop.
"""

from typing import Any

import numpy as np
import pytest

from headgate import Result, Scenario

from .test_xcp import port, xcp

slow = pytest.mark.slow


def both_ways(
    rate_mbps: float, rtt_ms: float, flows: int = 50, extra: list[dict[str, Any]] | None = None
) -> Result:
    forth = begun_within_a_second(flows)
    back = forth | {"reverse": True, "start": "3 ms"}
    return run_for([forth, back, *(extra or [])], rate_mbps, rtt_ms)


def begun_within_a_second(flows: int) -> dict[str, Any]:
    return {"count": flows, "stagger": f"{1 / flows:.6f} s"}


def run_for(traffic: list[dict[str, Any]], rate_mbps: float, rtt_ms: float) -> Result:
    """Run 300 round trips, 30 s at least; the first third is not counted."""
    duration_s = max(30.0, 0.3 * rtt_ms)
    return xcp(
        traffic,
        f"{rate_mbps} Mbit/s",
        f"{rtt_ms} ms",
        network={"feedback": {"name": "xcp", "first_interval": "drawn"}},
        duration=f"{duration_s} s",
        measure={"warmup": f"{duration_s / 3} s", "series": "none"},
    )


def drops(result: Result) -> int:
    return int(result.ports["drops"].sum())


@pytest.mark.parametrize(
    "rate_mbps", [10, 50, 200, pytest.param(1000, marks=slow), pytest.param(4000, marks=slow)]
)
def test_any_capacity_is_used_without_a_drop(rate_mbps: int) -> None:
    result = both_ways(rate_mbps, 80)
    assert port(result, "utilisation")[0] >= 0.95
    assert drops(result) == 0


# Asked up to 1.4 s both ways. From 0.8 s on bursts of ACKs make bursts of data and these those; the
# buffer overflows, as in ns-2.35 at 1.4 s (docs/reference/validation.md).
@pytest.mark.parametrize("rtt_ms", [10, 80, pytest.param(400, marks=slow)])
def test_a_round_trip_leaves_the_line_in_use_both_ways(rtt_ms: int) -> None:
    result = both_ways(150, rtt_ms)
    assert port(result, "utilisation")[0] >= 0.90
    assert drops(result) == 0


@pytest.mark.parametrize("rtt_ms", [10, 80, 400, pytest.param(1400, marks=slow)])
def test_any_round_trip_leaves_the_line_in_use_one_way(rtt_ms: int) -> None:
    result = one_way(50, rtt_ms)
    assert port(result, "utilisation")[0] >= 0.90
    assert drops(result) == 0


def one_way(flows: int, rtt_ms: float = 80) -> Result:
    return run_for([begun_within_a_second(flows)], 150, rtt_ms)


def test_any_number_of_flows_leaves_the_line_in_use() -> None:
    queues = {}
    for flows in (1, 10, 100, 500, 1000):
        result = one_way(flows)
        assert port(result, "utilisation")[0] >= 0.90, flows
        assert drops(result) == 0, flows
        queues[flows] = port(result, "mean_queue_packets")[0]
    assert queues[1000] > queues[500]  # fair windows of three packets, and of one and a half


# Asked for 1 to 1000 both ways. With ten and fewer, bursts of ACKs make bursts of data and these
# those; the buffer overflows, as in ns-2.35 (docs/reference/validation.md).
@pytest.mark.parametrize("flows", [50, 100, 500, 1000])
def test_many_flows_each_way_leave_the_line_in_use(flows: int) -> None:
    result = both_ways(150, 80, flows)
    assert port(result, "utilisation")[0] >= 0.90
    assert drops(result) == 0


@pytest.mark.parametrize(("files_per_s", "some_are_dropped"), [(600, False), (1200, True)])
def test_short_files_make_drops_from_so_many_on(files_per_s: int, some_are_dropped: bool) -> None:
    files = {
        "kind": "poisson",
        "arrivals": f"{files_per_s} /s",
        "size": {"kind": "pareto", "mean": "30 packets", "shape": 1.35},
    }
    result = both_ways(150, 80, extra=[files])
    assert (drops(result) > 0) == some_are_dropped


#: Nine links of 20 ms; the fifth has half the rate of the others.
HOPS, SLOW_HOP = 9, 5


def chain(duration_s: int) -> Result:
    links = [
        {
            "ends": [f"r{hop - 1}", f"r{hop}"],
            "rate": "50 Mbit/s" if hop == SLOW_HOP else "100 Mbit/s",
        }
        for hop in range(1, HOPS + 1)
    ]
    fifty = {"kind": "flows", "cca": "xcp", "count": 50, "stagger": "20 ms"}
    whole = {"source": "r0", "receiver": f"r{HOPS}"}
    cross = [
        {"source": f"r{hop - 1}", "receiver": f"r{hop}", "start": f"{hop} ms"}
        for hop in range(1, HOPS + 1)
    ]
    back = {"source": f"r{HOPS}", "receiver": "r0", "start": "11 ms"}
    return Scenario.from_dict(
        {
            "seed": 1,
            "duration": f"{duration_s} s",
            "network": {
                "kind": "graph",
                "routers": [{"name": f"r{at}"} for at in range(HOPS + 1)],
                "links": links,
                "delay": "20 ms",
                "buffer": "4500 packets",  # 100 Mbit/s over the whole way and back
                "feedback": "xcp",
            },
            "transport": {"preset": "ns2", "segment": "960 B"},
            "traffic": [fifty | ends for ends in (whole, *cross, back)],
            "measure": {"warmup": f"{duration_s / 3} s", "series": "none"},
        }
    ).run()


@pytest.mark.parametrize("duration_s", [36, pytest.param(108, marks=slow)])
def test_nine_links_in_a_row_are_used(duration_s: int) -> None:
    result = chain(duration_s)
    names = list(result.ports["link"])
    rows = [names.index(f"r{hop - 1}-r{hop}") for hop in range(1, HOPS + 1)]
    used = np.asarray(result.ports["utilisation"])[rows]
    assert (used > 0.90).all(), used
    # the long flows' share of the first four is given up to the slow one behind them
    assert used[: SLOW_HOP - 1].min() <= used[SLOW_HOP - 1 :].min()
    assert drops(result) == 0
