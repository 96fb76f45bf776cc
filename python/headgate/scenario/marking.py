"""Whether the links of a plan mark packets: their disciplines, and the space in their buffers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from headgate.base import catalog
from headgate.base.units import format_time_ps

Plan = Mapping[str, Any]


def marks(queue: Mapping[str, Any] | None) -> bool:
    """Return whether a discipline marks packets; a user-defined one may.

    One that acts by a threshold or by the waiting time always does, unless a switch prevents it.
    """
    if queue is None or "own" in queue:
        return queue is not None
    card, params = catalog.device("queue", queue["name"]), queue["params"]
    ecn = find_switch(card)
    if ecn is None:
        return card.family in ("mark", "delay")
    always = [param.name for param in card.params if param.marks == "always"]
    return params.get("ecn", ecn) == "on" or any(params.get(name, 0) > 0 for name in always)


def find_switch(card: catalog.DeviceCard) -> object:
    """Return the default of the switch that lets a discipline mark; None without a switch."""
    return next((param.default for param in card.params if param.name == "ecn"), None)


def write_switch(link: Mapping[str, Any]) -> str:
    """Write how to make the discipline of a link mark packets; empty without a switch."""
    queue = link.get("queue")
    if queue is None or find_switch(catalog.device("queue", queue["name"])) is None:
        return ""
    return f'network.queue = {{name = "{queue["name"]}", ecn = "on"}}'


def is_switched_on(queue: Mapping[str, Any] | None) -> bool:
    """Return whether a discipline is set to mark packets, and does not by default."""
    if queue is None or "own" in queue or queue["params"].get("ecn") != "on":
        return False
    return find_switch(catalog.device("queue", queue["name"])) == "off"


def makes_marks(link: Mapping[str, Any]) -> bool:
    """Return whether an impairment of a link replaces a codepoint by CE."""
    changes = [*link.get("ingress", ()), *link.get("impairments", ())]
    return any("ce" in change.get("params", {}).values() for change in changes)


def find_obstacle(plan: Plan, link: Mapping[str, Any]) -> str:
    """Say why a discipline that marks does not: its buffer is full before. Empty if it is not."""
    queue = link.get("queue")
    if not marks(queue) or queue is None or "own" in queue or link["buffer"] == "infinite":
        return ""
    starts = _list_starts(queue)
    packets, wait_s = _measure_space(plan, link)
    reached = [v < (packets if key.endswith("packets") else wait_s) for key, v in starts.items()]
    if not starts or any(reached):
        return ""
    key, value = min(starts.items(), key=lambda start: start[1])
    in_packets = key.endswith("packets")
    begin = f"{value:g} packets" if in_packets else format_time_ps(round(value * 1e12))
    space = f"{packets:.0f} packets" if in_packets else format_time_ps(round(wait_s * 1e6) * 10**6)
    name = key.removesuffix("_packets").removesuffix("_s")
    return (
        f"its '{queue['name']}' marks from {begin} on ({name}), and its buffer holds {space}, so"
        f" that packets are dropped before; write a lower {name}, or a larger buffer"
    )


def _list_starts(queue: Mapping[str, Any]) -> dict[str, float]:
    """Return the parameters from which a discipline marks, without automatic ones."""
    card = catalog.device("queue", queue["name"])
    values = {param.name: queue["params"].get(param.name, param.default) for param in card.params}
    params = [param for param in card.params if _is_start(card, param, values)]
    is_automatic = any(param.is_automatic(values[param.name]) for param in params)
    return {} if is_automatic else {param.name: float(values[param.name]) for param in params}


def _is_start(card: catalog.DeviceCard, param: catalog.Param, values: Mapping[str, Any]) -> bool:
    """Return whether a discipline marks from a parameter's queue or wait on."""
    if param.marks is None or not card.uses(param, values):
        return False
    if values.get("mode") == "bytes" and param.unit == "packets":  # of another length
        return False
    return values[param.name] > 0 if param.marks == "always" else values.get("ecn") != "off"


def _measure_space(plan: Plan, link: Mapping[str, Any]) -> tuple[float, float]:
    """Return what a buffer holds, at most: packets, and their wait at the lowest rate, s."""
    sizes = [one["segment_bytes"] + one["header_bytes"] for one in plan["transports"]] or [1500]
    buffer, rates = link["buffer"], [one["rate_bps"] for one in link.get("changes", ())]
    packets = buffer["packets"] if "packets" in buffer else buffer["bytes"] / min(sizes)
    held = buffer["packets"] * max(sizes) if "packets" in buffer else buffer["bytes"]
    is_late = "trace" in link or link.get("outages")
    return packets, math.inf if is_late else 8 * held / min([link["rate_bps"], *rates])
