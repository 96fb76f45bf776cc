"""A run too large for memory is refused before anything runs, by `check` and by `run`."""

import json
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from headgate import Scenario
from headgate.base.errors import ScenarioError
from headgate.engine.api import simulate
from headgate.engine.run import memory
from headgate.engine.run.prepare import check_plan

DUMBBELL = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms"}
FLOW = {"kind": "flows", "cca": "reno"}
SIZE = "10 packets"


def scenario(*traffic: dict[str, Any], **keys: Any) -> Scenario:
    return Scenario.from_dict({"network": DUMBBELL, "traffic": list(traffic) or [FLOW], **keys})


def refusals(asked: Scenario) -> set[str]:
    """Return the sentences of `check` and `run`, which must agree."""
    said = set()
    for tried in (lambda: check_plan(*asked.plan(), asked), lambda: simulate(asked)):
        with pytest.raises(ScenarioError) as refused:
            tried()
        said.add(str(refused.value))
    return said


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        (scenario(measure={"series": {"interval": "1 us"}}), "measure.series.interval"),
        (scenario({**FLOW, "count": 1_000_000, "size": SIZE}), "traffic[0].count"),
        (
            scenario({"kind": "web", "cca": "reno", "users": 1_000_000, "size": SIZE}),
            "traffic[0].users",
        ),
        (
            scenario(
                FLOW,
                {
                    "kind": "poisson",
                    "cca": "reno",
                    "arrivals": "1 flows/s",
                    "hosts": 10_000_000,
                    "size": SIZE,
                },
            ),
            "traffic[1].hosts",
        ),
        (
            scenario({"kind": "on_off", "cca": "reno", "on": "1 us", "off": "1 us"}),
            "traffic[0].hosts",
        ),
        (
            scenario(
                {"kind": "bursts", "cca": "reno", "count": 1000, "size": SIZE, "interval": "1 us"}
            ),
            "traffic[0].count",
        ),
        (
            scenario({"kind": "poisson", "cca": "reno", "arrivals": "1e6 flows/s", "size": SIZE}),
            "traffic[0].hosts",
        ),
        (
            Scenario.from_dict(
                {
                    "network": {
                        "kind": "abilene",
                        "rate": "1 Gbit/s",
                        "queue": {"name": "fq-codel", "flows": 65536},
                    },
                    "traffic": [{**FLOW, "source": "N", "receiver": "D"}],
                }
            ),
            "network.queue.flows",
        ),
        (
            scenario(measure={"periods": 1_000_000, "interval": "10 us", "series": "none"}),
            "measure.periods",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_scenario_too_large_for_memory_is_refused_at_its_key(asked: Scenario, place: str) -> None:
    with mock.patch.object(memory, "free_bytes", return_value=100_000_000):
        (said,) = refusals(asked)
    assert said.startswith(f"{place}: ")
    assert said.endswith("; 100 MB are free")


def test_a_scenario_that_fits_in_memory_is_accepted() -> None:
    with mock.patch.object(memory, "free_bytes", return_value=100_000_000):
        check_plan(*scenario(duration="1 s").plan(), scenario())


def test_a_refusal_of_the_engine_names_the_users_key() -> None:
    (said,) = refusals(scenario(measure={"series": {"interval": "1 ns"}}))
    assert said.startswith("measure.series.interval: ")


def test_the_estimate_is_not_above_the_use_of_a_run(tmp_path: Path) -> None:
    """A million rows of series are held three times over: by the engine, as facts, as a table."""
    asked = scenario(duration="10 s", measure={"series": {"interval": "100 us"}})
    (series,) = [
        p for p in memory.list_memory(*asked.plan()) if p.place == "measure.series.interval"
    ]
    result = simulate(asked, tmp_path / "run")
    table = sum(result.series[name].nbytes for name in result.series if name not in ("of", "name"))
    assert 1.5 * table < series.size < 4 * table
    assert json.loads((tmp_path / "run" / "run.json").read_text())["warnings"] == []


def test_free_memory_is_known_on_linux() -> None:
    free = memory.free_bytes()
    assert free is None or free > 10_000_000
