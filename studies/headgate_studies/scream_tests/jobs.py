"""The scenarios: a stream alone, and then beside one more flow of Prague each 20 s."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from headgate import Scenario, dumbbell
from headgate.lab import Labels, Setup
from headgate_studies.paths import draw_starts, flow, seconds

#: How long a link that gathers packets is up.
OPEN_US = 20


def choose_forms(setup: Setup) -> Iterator[Labels]:
    """Give the tests with each form of the programs; the draft has frames of a fixed size."""
    settings = setup.settings
    for frames, rtt_ms, form in product(settings["frames"], settings["rtts_ms"], settings["forms"]):
        if form != "draft" or frames == "fixed":
            yield {"frames": frames, "rtt_ms": rtt_ms, "form": form}


def choose_changes(setup: Setup) -> Iterator[Labels]:
    """Give the changes; lumps, whose outages take long to plan, at 25 ms in two replicates."""
    settings = setup.settings
    for change, rtt_ms, seed in product(
        settings["changes"], settings["changed_rtts_ms"], setup.seeds
    ):
        if "lumps_us" not in settings["changes"][change] or (rtt_ms == 25 and seed <= 2):
            yield {"change": change, "rtt_ms": rtt_ms, "seed": seed}


def add_flows(setup: Setup, *, frames: str, rtt_ms: int, form: str, seed: int) -> Scenario:
    """Let one flow after another join a stream at a queue."""
    settings = setup.settings
    made = settings["forms"][form]
    stream = settings["frames"][frames] | {"rate_controller": made["scream"]}
    return join(settings, rtt_ms, stream, made["prague"], seed)


def change_one(setup: Setup, *, change: str, rtt_ms: int, seed: int) -> Scenario:
    """Do the same with frames of a fixed size, today's Prague, and one thing changed."""
    settings, given = setup.settings, setup.settings["changes"][change]
    form = settings["forms"]["today"]
    controller = given.get("scream", form["scream"])
    stream = {**given.get("stream", {}), "rate_controller": controller}
    made = join(settings, rtt_ms, stream, form["prague"], seed).to_dict()
    made["network"]["queue"] |= given.get("queue", {})
    for one in made["traffic"][1:] if "flows" in given else ():
        one["transport"] = {**settings["transport"], **given["flows"]}
    if "lumps_us" in given:
        _gather(made, given["lumps_us"])
    return Scenario.model_validate(made)


def _gather(made: dict[str, Any], every_us: int) -> None:
    """Let the packets of the flows reach the queue in lumps, by a link that is down in between."""
    given = made["network"]
    closed_us = every_us - OPEN_US
    outage = {"start": "0 s", "duration": f"{closed_us} us", "every": f"{every_us} us"}
    lumps = {"outages": [{**outage, "queue": "keep"}], "reverse": {"outages": []}}
    delay = f"{float(given['rtt'].split()[0]) / 2} ms"
    bottleneck = {"rate": given["rate"], "queue": given["queue"], "buffer": given["buffer"]}
    back = {"rate": given["host_rate"], "queue": "drop_tail"}
    made["network"] = {
        "kind": "graph",
        "routers": [{"name": name} for name in ("stream", "flows", "queue", "receiver")],
        "links": [
            {"ends": ["stream", "queue"], "rate": given["host_rate"], "delay": "1 us"},
            {"ends": ["flows", "queue"], "rate": "10 Gbit/s", "delay": "1 us", **lumps},
            {"ends": ["queue", "receiver"], "delay": delay, **bottleneck, "reverse": back},
        ],
        "host_rate": "10 Gbit/s",
        "buffer": given["buffer"],
    }
    for one in made["traffic"]:
        source = "stream" if one["kind"] == "media" else "flows"
        one |= {"source": source, "receiver": "receiver"}


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
