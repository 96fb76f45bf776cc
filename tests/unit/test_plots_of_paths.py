"""Pictures of runs whose flows do not use the measured link, or that measure none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.errors.command import headgate

from headgate import Result, Scenario
from headgate.figures.spec.drawing import Picture
from headgate.figures.spec.results import draw_every_kind, draw_results

DUMBBELL = {
    "kind": "dumbbell", "rate": "50 Mbit/s", "rtt": "20 ms", "buffer": "100 packets",
    "reverse": {"rate": "5 Mbit/s"},
}  # fmt: skip
GRAPH = {
    "kind": "graph", "rate": "10 Mbit/s", "delay": "5 ms",
    "routers": [{"name": "a"}, {"name": "b"}], "links": [{"ends": ["a", "b"]}],
}  # fmt: skip


def run(network: dict[str, Any], *traffic: dict[str, Any]) -> Result:
    items = [{"kind": "flows", "cca": "reno", **one} for one in traffic]
    given = {"network": network, "traffic": items, "duration": "2 s"}
    return Scenario.from_dict(given).run()


def list_levels(results: dict[str, Result]) -> list[tuple[str, float]]:
    drawing = draw_results(results, "throughput")
    assert isinstance(drawing, Picture)
    return [(level.name, float(level.y[0])) for panel in drawing.panels for level in panel.levels]


def test_the_rate_beside_flows_is_that_of_their_link() -> None:
    forward, back = run(DUMBBELL, {}), run(DUMBBELL, {"reverse": True})
    assert list_levels({"x": forward}) == [("rate of bottleneck", 50.0)]
    assert list_levels({"x": back}) == [("rate of bottleneck.reverse", 5.0)]
    assert set(list_levels({"x": back, "y": back})) <= {("rate of bottleneck.reverse", 5.0)}


def test_flows_of_both_directions_have_no_rate_beside_their_sum() -> None:
    assert not list_levels({"x": run(DUMBBELL, {"name": "a"}, {"name": "b", "reverse": True})})


def test_a_run_without_series_of_ports_states_why_no_queue_is_drawn(tmp_path: Path) -> None:
    made = run(GRAPH, {"source": "a", "receiver": "b"})
    assert "queue" not in draw_every_kind(made)
    made.write(tmp_path / "x")
    done = headgate("plot", str(tmp_path / "x"), "--format", "svg")
    assert done.exit_code == 0
    says = "queue is not drawn, since it needs a series of ports: measure.series.ports"
    assert says in done.errors
    run(DUMBBELL, {}).write(tmp_path / "y")
    assert "not drawn" not in headgate("plot", str(tmp_path / "y"), "--format", "svg").errors
