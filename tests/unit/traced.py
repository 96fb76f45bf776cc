"""Traced runs for tests."""

from pathlib import Path
from typing import Any

import numpy as np

from headgate import Result, Scenario, Trace
from headgate.data.tables import Table
from headgate.engine.traces.stored import StoredTrace

EVERYTHING = Trace(flows=["all"], ports=["all"])


def make_scenario(
    cca: str = "cubic", transport: dict[str, Any] | None = None, **network: Any
) -> Scenario:
    dumbbell = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms", "buffer": "0.5 BDP"}
    flows = {"kind": "flows", "cca": cca}
    return Scenario.from_dict(
        {
            "duration": "6 s",
            "measure": {"warmup": "0 s"},
            "transport": transport or {},
            "network": {**dumbbell, **network},
            "traffic": [
                {**flows, "name": "bulk", "count": 2},
                {**flows, "name": "short", "size": "150 packets", "start": "1 s"},
            ],
        }
    )


def run_traced(
    scenario: Scenario, folder: Path, trace: Trace = EVERYTHING, **options: Any
) -> tuple[Result, StoredTrace, Table]:
    """Give the result, its trace, and all of its events."""
    result = scenario.run(out=folder, trace=trace, **options)
    stored = StoredTrace(folder)
    return result, stored, join(list(stored.parts()))


def join(parts: list[Table]) -> Table:
    return Table("events", {name: np.concatenate([p[name] for p in parts]) for name in parts[0]})


def make_many_connections() -> Scenario:
    """Give a source with so long a series of connections that names are used again."""
    dumbbell = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "10 ms"}
    source = {"kind": "on_off", "cca": "reno", "hosts": 1, "on": "10 ms", "off": "2 s"}
    return Scenario.from_dict(
        {
            "duration": "900 s",
            "measure": {"warmup": "0 s"},
            "network": dumbbell,
            "traffic": [{**source, "name": "brief"}],
        }
    )
