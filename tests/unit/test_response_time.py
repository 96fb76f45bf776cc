"""Ctrl-C, limits and progress are answered soon, however much happens in a window of the engine."""

import itertools
import time
from contextlib import suppress
from typing import Any

import pytest

from headgate import Scenario
from headgate.base.errors import InterruptedRunError
from headgate.engine.api import simulate
from headgate.engine.run.progress import Progress, StopRunError

WORST_S = 0.3
#: Wall time for which each network is watched.
WATCHED_S = 6.0


def far(**network: Any) -> dict[str, Any]:
    """Make a long fast path: a window is as long as the shortest delay, and full of packets."""
    return {
        "duration": "3000 s",
        "network": {"kind": "dumbbell", "rate": "10 Gbit/s", "rtt": "1500 ms", **network},
        "transport": {"preset": "ns2", "initial_window": "10000 packets"},
        "traffic": [{"kind": "flows", "cca": "scalable", "count": 40}],
        "measure": {"series": "none"},
    }


def crowd() -> dict[str, Any]:
    """Make a hundred thousand flows that begin within a second, and are under way together."""
    return far(rate="100 Gbit/s") | {
        "traffic": [
            {
                "kind": "flows",
                "cca": "cubic",
                "count": 100_000,
                "size": "100 packets",
                "stagger": "10 us",
            }
        ],
    }


NETWORKS = {
    "far": far(),
    "far, infinite": far(buffer="infinite"),
    "far, packets held": far(queue="fq-codel"),
    "far, a router speaks": far(feedback="xcp") | {"transport": "ns2"},
    "crowd": crowd(),
}


@pytest.mark.timing
@pytest.mark.parametrize("name", NETWORKS)
def test_progress_is_reported_soon(name: str) -> None:
    reports: list[float] = []

    def record(_progress: Progress) -> None:
        reports.append(time.perf_counter())
        if reports[-1] - reports[0] > WATCHED_S:
            raise StopRunError

    with suppress(InterruptedRunError):  # a fast machine finishes `crowd`
        simulate(Scenario.from_dict(NETWORKS[name]), progress=record)
    gaps = [after - before for before, after in itertools.pairwise(reports)]
    assert len(gaps) > 10
    assert max(gaps) < WORST_S
