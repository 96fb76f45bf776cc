"""The cost of planning: it grows no faster than the planned network."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headgate import Scenario
from headgate.scenario.plan import plan_json

DUMBBELL = {"kind": "dumbbell", "rate": "1 Gbit/s", "rtt": "40 ms"}


def calls(work: Callable[[], object]) -> int:
    """Count the calls of Python functions: the same on every machine, at every load."""
    count = 0

    def note(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def mesh(routers: int, reach: int) -> dict[str, Any]:
    """Routers in a ring, each with links to the next ones; queues by multiples of BDP."""
    names = [f"r{i}" for i in range(routers)]
    links = [
        {"ends": [names[i], names[(i + step) % routers]], "delay": f"{1 + (7 * i + step) % 50} ms"}
        for i in range(routers)
        for step in range(1, reach + 1)
    ]
    return {
        "kind": "graph",
        "rate": "100 Mbit/s",
        "host_rate": "1 Gbit/s",
        "queue": {"name": "threshold", "mark": "0.5 BDP/sqrt(n)"},
        "routers": [{"name": name} for name in names],
        "links": links,
    }


def scenario(network: dict[str, Any], *traffic: dict[str, Any]) -> Scenario:
    return Scenario.from_dict({"duration": "1 s", "network": network, "traffic": list(traffic)})


def on_a_mesh(links: int) -> Scenario:
    flow = {"kind": "flows", "cca": "reno", "source": "r0", "receiver": "r9"}
    return scenario(mesh(40, links // 80), flow)


def in_groups(groups: int) -> Scenario:
    """Flows with different round trips."""
    return scenario(
        DUMBBELL,
        *({"kind": "flows", "cca": "reno", "rtt": f"{41 + i} ms"} for i in range(groups)),
    )


@pytest.mark.parametrize("of", [on_a_mesh, in_groups])
def test_planning_is_linear(of: Callable[[int], Scenario]) -> None:
    of(80).plan()  # fill the caches
    small, large = (calls(scenario.plan) for scenario in (of(320), of(640)))
    assert large < 2.2 * small, (small, large)


def test_the_number_of_flows_costs_nothing() -> None:
    few, many = (
        scenario(DUMBBELL, {"kind": "flows", "cca": "reno", "count": count, "stagger": "1 us"})
        for count in (1000, 1_000_000)
    )
    assert calls(many.plan) == calls(few.plan)
    assert len(plan_json(many.plan()[0])) < 4000


def test_a_flow_list_costs_a_few_calls_however_long(tmp_path: Path) -> None:
    def listed(rows: int) -> Scenario:
        path = tmp_path / f"{rows}.csv"
        lines = (f"{i * 1e-6:.6f},{1 + i % 9},left,right" for i in range(rows))
        path.write_text("start_s,size_packets,source,receiver\n" + "\n".join(lines))
        return scenario(DUMBBELL, {"kind": "replay", "cca": "reno", "file": str(path)})

    listed(10).plan()
    few, many = listed(100), listed(1000)
    # a generator's step counts as a call: one a row and column of words
    assert calls(many.plan) - calls(few.plan) <= 2 * 900


def test_there_may_be_any_number_of_round_trips() -> None:
    result = in_groups(300).run()
    assert len(result.flows) == 300
    rtts = result.flows["min_rtt_s"]
    assert rtts[0] == pytest.approx(0.041, rel=0.1)
    assert rtts[-1] == pytest.approx(0.340, rel=0.1)


#: Reads a scenario, plans it, hands it to the engine; prints user CPU seconds and peak megabytes.
PROGRAM = """
import json, resource, sys
from headgate import Scenario
from headgate.scenario.plan import identity_of, plan_json
from headgate._native import Simulation

given = json.load(sys.stdin)
begun = resource.getrusage(resource.RUSAGE_SELF).ru_utime
plan, arrays = Scenario.from_dict(given).plan()
identity_of(plan, arrays)
simulation = Simulation(plan_json(plan), arrays, [])
used_s = resource.getrusage(resource.RUSAGE_SELF).ru_utime - begun
# not ru_maxrss, which begins with the peak of the process that started this one
(peak,) = (line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print(json.dumps([used_s, int(peak) / 1024]))
"""


def cost(network: dict[str, Any], *traffic: dict[str, Any]) -> tuple[float, float]:
    given = {"duration": "1 s", "network": network, "traffic": list(traffic)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
    )
    cpu_s, peak_mb = json.loads(done.stdout)
    print(f"{cpu_s:.2f} s of user CPU time, {peak_mb:.0f} MB at most")
    return cpu_s, peak_mb


@pytest.mark.timing
@pytest.mark.parametrize(("routers", "reach"), [(400, 125), (2000, 25)])
def test_a_hundred_thousand_links_are_planned_in_5_s(routers: int, reach: int) -> None:
    flow = {"kind": "flows", "cca": "reno", "source": "r0", "receiver": "r9"}
    cpu_s, _ = cost(mesh(routers, reach), flow)
    assert cpu_s < 5


@pytest.mark.timing
@pytest.mark.parametrize("form", ["flows", "csv", "parquet"])
def test_a_million_flows_are_planned_in_5_s_and_500_mb(tmp_path: Path, form: str) -> None:
    import duckdb

    made = (
        "SELECT i * 1e-6 AS start_s, 1 + i % 99 AS size_packets, 'left' AS source, "
        "'right' AS receiver, CASE i % 2 WHEN 0 THEN 'reno' ELSE 'cubic' END AS cca "
        "FROM range(1000000) AS t(i)"
    )
    path = tmp_path / f"flows.{form}"
    traffic: dict[str, Any] = {"kind": "replay", "cca": "reno", "file": str(path)}
    if form == "flows":
        stagger = {"stagger": "1 us", "size": "10 packets"}
        traffic = {"kind": "flows", "cca": "reno", "count": 1_000_000, **stagger}
    else:
        duckdb.sql(f"COPY ({made}) TO '{path}' (FORMAT {form})")
    cpu_s, peak_mb = cost(DUMBBELL, traffic)
    assert cpu_s < 5
    assert peak_mb < 500
