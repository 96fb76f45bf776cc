"""The runs by packets: the grid, and starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from headgate import Scenario
from headgate.lab import Job, Key, Setup, key_by_labels
from headgate_studies.fluid_check.faces import Cell, Face, cells, faces
from headgate_studies.paths import NO_SERIES, draw_starts, flow, job, packets, path, seconds

GRID, START, APART = "grid", "start", "apart"
#: All flows begin within this part of a round trip: every SYN finds the queue empty.
WITHIN = 0.5
#: Rows of a start, a round trip.
ROWS = 4


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run of a scale."""
    return key_by_labels([*_grid(setup), *_starts(setup), *_apart(setup)])


def starts(setup: Setup) -> list[Cell]:
    """Return the cells whose start is watched."""
    own = setup.settings["start"]
    return [Cell(own["rate"], own["rtt_ms"], count, own["buffer"]) for count in own["flows"]]


def start_s(setup: Setup) -> float:
    """Return how long a start is watched by packets."""
    own = setup.settings["start"]
    return float(own["rounds"] * own["rtt_ms"] / 1e3)


def _grid(setup: Setup) -> Iterator[Job]:
    for face in faces():
        for cell in cells(setup):
            times = cell.times_s(dict(setup.settings))
            scenario = _scenario(setup, face, cell, times, NO_SERIES)
            yield job(scenario, part=GRID, face=face.name, **labels(cell))


def labels(cell: Cell) -> dict[str, Any]:
    """Return the labels of a cell."""
    return dict(zip(("rate", "rtt_ms", "flows", "buffer"), cell.key, strict=True))


def _starts(setup: Setup) -> Iterator[Job]:
    for face in faces():
        for cell in starts(setup):
            rows = {"interval": seconds(cell.rtt_s / ROWS), "flows": [], "ports": ["bottleneck"]}
            scenario = _scenario(setup, face, cell, (start_s(setup), 0.0), rows)
            yield job(scenario, part=START, face=face.name, **labels(cell))


def apart(setup: Setup) -> Cell:
    """Return the cell of flows out of step."""
    own = setup.settings["apart"]
    return Cell(own["rate"], own["rtt_ms"], own["flows"], own["buffer"])


def _apart(setup: Setup) -> Iterator[Job]:
    """Give each flow of a loss law a round trip of its own."""
    cell, seed = apart(setup), setup.seeds[0]
    spread = setup.settings["apart"]["spread"] * cell.rtt_s
    own = [cell.rtt_s - spread + more_s for more_s in draw_starts(seed, cell.flows, 2 * spread)]
    duration, warmup = (seconds(time) for time in cell.times_s(dict(setup.settings)))
    network = {
        "rate": cell.rate,
        "rtt": seconds(cell.rtt_s),
        "buffer": packets(cell.buffer_packets),
    }
    for face in faces():
        if not face.queues:
            flows = [flow(face.law, rtt=seconds(rtt_s)) for rtt_s in own]
            scenario = path(flows, (duration, warmup), network, NO_SERIES, seed)
            yield job(_drop_flow_rows(scenario), part=APART, face=face.name)


def _scenario(
    setup: Setup,
    face: Face,
    cell: Cell,
    times_s: tuple[float, float],
    series: str | Mapping[str, Any],
) -> Scenario:
    together = seconds(WITHIN * cell.rtt_s / cell.flows)
    flows = flow(face.law, params=face.sender(setup, cell), count=cell.flows, stagger=together)
    network = {
        "rate": cell.rate,
        "rtt": seconds(cell.rtt_s),
        "buffer": packets(cell.buffer_packets),
        **face.network(setup, cell),
    }
    duration, warmup = (seconds(time) for time in times_s)
    return _drop_flow_rows(path([flows], (duration, warmup), network, series, setup.seeds[0]))


def _drop_flow_rows(scenario: Scenario) -> Scenario:
    """Keep no row of each flow: the responses have their means."""
    measure = scenario.measure.model_copy(update={"flows": "none"})
    return scenario.model_copy(update={"measure": measure})
