"""The scenarios: a stream alone, and then beside one more flow of Prague each 20 s."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headgate import Scenario, dumbbell
from headgate.lab import Setup
from headgate_studies.paths import draw_starts, flow, seconds


def add_flows(setup: Setup, *, frames: str, rtt_ms: int, form: str, seed: int) -> Scenario:
    """Let one flow after another join a stream at a queue."""
    settings = setup.settings
    made = settings["forms"][form]
    stream = settings["frames"][frames] | {"rate_controller": made["scream"]}
    return join(settings, rtt_ms, stream, made["prague"], seed)


def join(
    settings: Mapping[str, Any],
    rtt_ms: int,
    stream: Mapping[str, Any],
    prague: Mapping[str, Any],
    seed: int,
) -> Scenario:
    """Make the run of a stream and flows with the given keys, and one period for each span."""
    span_s, measured_s = (settings["times"][name] for name in ("span_s", "measured_s"))
    first_s, *later_s = (settings["start_s"] * t for t in draw_starts(seed, 5, 1.0))
    ends_s = [span_s * (place + 1) for place in range(settings["flows"] + 1)]
    media = {
        "kind": "media",
        "name": "stream",
        "start": seconds(first_s),
        **settings["media"],
        **stream,
        "rate_controller": {"name": "scream", **stream["rate_controller"]},
    }
    flows = [
        flow("prague", end_s + late_s, params=prague, name=f"flow {place + 1}")
        for place, (end_s, late_s) in enumerate(zip(ends_s, later_s, strict=False))
    ]
    return dumbbell(
        flows=[media, *flows],
        rtt=f"{rtt_ms} ms",
        duration=seconds(ends_s[-1]),
        measure={
            "series": "none",
            "periods": [[seconds(end_s - measured_s), seconds(end_s)] for end_s in ends_s],
        },
        seed=seed,
        transport=settings["transport"],
        **settings["network"],
    )
