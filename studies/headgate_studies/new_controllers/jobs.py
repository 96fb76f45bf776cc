"""The scenarios of the study: one function for each kind of statement."""

from __future__ import annotations

from typing import Any

from headgate import Scenario
from headgate.lab import Setup
from headgate_studies.cubic_rfc9438.jobs import FILES
from headgate_studies.paths import NO_SERIES, draw_starts, flow, path, scale_times, seconds

#: Flows that begin together do so within this time.
START_S = 2.0
#: Names of the study for a form of an algorithm.
FORMS: dict[str, tuple[str, dict[str, Any]]] = {"copa-default": ("copa", {"competes": "no"})}
#: Time from one start to the next of staggered flows.
STAGGER_S = 10.0
#: A buffer for calls: libwebrtc must find the queue before it is full.
CALL_NETWORK = {"rate": "4 Mbit/s", "rtt": "50 ms", "buffer": "500 ms"}
#: Rows of the queue over 40 minutes, and of a call.
QUEUE_ROWS = {"interval": "10 s", "flows": [], "ports": ["bottleneck"]}
CALL_ROWS = {"interval": "100 ms", "flows": [], "ports": []}


def _times(setup: Setup, part: str) -> tuple[str, str]:
    return scale_times(setup.settings[part], setup.settings["size"])


def _flow(cca: str, start_s: float, **keys: Any) -> dict[str, Any]:
    name, params = FORMS.get(cca, (cca, {}))
    return flow(name, start_s, params=params, **keys)


def _flows(cca: str, count: int, seed: int) -> list[dict[str, Any]]:
    starts_s = draw_starts(seed, count, START_S)
    return [_flow(cca, at, name=f"one.{i}") for i, at in enumerate(starts_s)]


def _run(  # noqa: PLR0913, PLR0917 - what a run differs by
    setup: Setup,
    part: str,
    flows: list[dict[str, Any]],
    network: dict[str, Any],
    seed: int,
    series: Any = NO_SERIES,
) -> Scenario:
    whole = {"rate": setup.settings["rate"], "rtt": setup.settings["rtt"], **network}
    linux = {**whole, "transport": "linux"}
    return path([*flows, FILES], _times(setup, part), linux, series, seed)


def gather(  # noqa: PLR0913 - what a run differs by
    setup: Setup, *, cca: str, flows: int, rtt_ms: int, buffer: float, seed: int
) -> Scenario:
    """Let flows of one algorithm use a link."""
    network = {"rtt": f"{rtt_ms} ms", "buffer": f"{buffer:g} BDP"}
    return _run(setup, "alone", _flows(cca, flows, seed), network, seed)


def lose(setup: Setup, *, cca: str, loss: float, seed: int) -> Scenario:
    """Let a flow use a link that loses packets at random."""
    return _run(setup, "lossy", _flows(cca, 1, seed), {"buffer": "1 BDP", "loss": loss}, seed)


def go_far(setup: Setup, *, cca: str, seed: int) -> Scenario:
    """Let a flow use a path with a long round trip."""
    network = {"rtt": setup.settings["far_rtt"], "buffer": "1 BDP"}
    return _run(setup, "far", _flows(cca, 1, seed), network, seed)


def spread_rtts(setup: Setup, *, cca: str, seed: int) -> Scenario:
    """Let flows with different round trips share a link."""
    rtts = setup.settings["spread_ms"]
    flows = [
        one | {"rtt": f"{ms} ms"}
        for one, ms in zip(_flows(cca, len(rtts), seed), rtts, strict=True)
    ]
    return _run(setup, "spread", flows, {"rtt": f"{rtts[0]} ms", "buffer": "40 ms"}, seed)


def meet_cubic(setup: Setup, *, cca: str, buffer: float, seed: int) -> Scenario:
    """Let a flow share a link with a flow of CUBIC."""
    first_s, second_s = draw_starts(seed, 2, START_S)
    pair = [_flow(cca, first_s, name="one"), flow("cubic", second_s, name="other")]
    return _run(setup, "beside", pair, {"buffer": f"{buffer:g} BDP"}, seed)


def clear(setup: Setup, *, cca: str, rate_mbps: int, flows: int, seed: int) -> Scenario:
    """Let flows of Copa share a link without any other algorithm."""
    network = {"rate": f"{rate_mbps} Mbit/s", "rtt": "20 ms", "buffer": "200 ms"}
    return _run(setup, "clearing", _flows(cca, flows, seed), network, seed)


def join(setup: Setup, *, cca: str, seed: int) -> Scenario:
    """Let a flow join an established one of the same algorithm."""
    joins_s = setup.settings["joins"]["joins_s"] + draw_starts(seed, 1, 5.0)[0]
    pair = [_flow(cca, 0.0, name="other"), _flow(cca, joins_s, name="one")]
    rows = {"interval": "1 s", "flows": ["one", "other"], "ports": []}
    return _run(setup, "joins", pair, {"buffer": "5 BDP"}, seed, rows)


def stagger(setup: Setup, *, cca: str, seed: int) -> Scenario:
    """Let four flows of one algorithm begin one after the other."""
    starts_s = draw_starts(seed, 4, START_S)
    flows = [_flow(cca, STAGGER_S * i + at, name=f"one.{i}") for i, at in enumerate(starts_s)]
    return _run(setup, "staggered", flows, {"buffer": "5 BDP"}, seed)


def stay(setup: Setup, *, cca: str, seed: int) -> Scenario:
    """Let a flow use a link for longer than it keeps its base delay."""
    network = {"rate": "10 Mbit/s", "buffer": "800 ms"}
    return _run(setup, "drift", _flows(cca, 1, seed), network, seed, QUEUE_ROWS)


def change(setup: Setup, *, cca: str, seed: int) -> Scenario:
    """Let a flow use a link whose rate changes."""
    of = setup.settings["changes"]
    rates, every_s = of["rates_mbps"], of["every_s"]
    changes = [
        {"at": seconds(every_s * i), "rate": f"{rates[i % len(rates)]} Mbit/s"}
        for i in range(1, 600 // every_s)
    ]
    network = {"rate": f"{rates[0]} Mbit/s", "buffer": "1 BDP", "changes": changes}
    return _run(setup, "changing", _flows(cca, 1, seed), network, seed)


def _call(variant: str, start_s: float, name: str = "one", **keys: Any) -> dict[str, Any]:
    controller = {"name": "gcc", "variant": variant}
    media = {"kind": "media", "name": name, "rate_controller": controller}
    return media | {"start": seconds(start_s), "start_rate": "300 kbit/s", **keys}


def call(setup: Setup, *, variant: str, company: str, seed: int) -> Scenario:
    """Let a call use a link alone, beside a second call, or beside a flow of CUBIC."""
    first_s, second_s = draw_starts(seed, 2, START_S)
    others = {
        "nobody": [],
        "call": [_call(variant, STAGGER_S + second_s, "other")],
        "cubic": [flow("cubic", STAGGER_S + second_s, name="other")],
    }
    pair = [_call(variant, first_s), *others[company]]
    return _run(setup, "calls", pair, CALL_NETWORK, seed, CALL_ROWS)


def ramp(setup: Setup, *, loss: float, seed: int) -> Scenario:
    """Let the target of a call grow or fall on a link that it cannot fill."""
    (start_s,) = draw_starts(seed, 1, START_S)
    one = _call("draft", start_s, start_rate="1 Mbit/s", max_rate="50 Mbit/s")
    return _run(setup, "ramp", [one], {"buffer": "1 BDP", "loss": loss}, seed, CALL_ROWS)
