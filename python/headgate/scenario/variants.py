"""Warn of parameters that only another variant of a discipline or an algorithm uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from headgate.base import catalog
from headgate.base.messages import as_toml
from headgate.base.parameters import drop_unit

Plan = Mapping[str, Any]


def warn_of_unused(plan: Plan) -> Iterator[str]:
    """Warn of written parameters without an effect in the chosen variant."""
    said = [
        text
        for place, card, params in _list_devices(plan)
        for text in _describe(place, card, params)
    ]
    yield from dict.fromkeys(said)


def _list_devices(plan: Plan) -> Iterator[tuple[str, catalog.Cca, Mapping[str, Any]]]:
    """Yield the key in a scenario, the card and the written parameters of each device."""
    for link in plan["links"]:
        queue = link.get("queue")
        if queue is not None and "own" not in queue:
            yield "network.queue", catalog.device("queue", queue["name"]), queue["params"]
    for number, item in enumerate(plan["traffic"]):
        laws = [part["law"] for part in item.get("laws", ())] or [item["law"]]
        for law in [plan["laws"][one] for one in laws] if "streams" not in item else ():
            if "own" not in law:
                yield f"traffic[{number}].cca", catalog.cca(law["name"]), law["params"]
        media = item.get("rate_controller")
        if media is not None:
            place = f"traffic[{number}].rate_controller"
            yield place, catalog.device("media", media["name"]), media["params"]


def _describe(place: str, card: catalog.Cca, params: Mapping[str, Any]) -> Iterator[str]:
    for param in map(card.param, params):
        need = param.used_with
        if need is None or card.uses(param, params):
            continue
        other = card.param(need.name)
        by, value = drop_unit(other), params.get(other.name, other.default)
        words = " or ".join(f"{by} = {as_toml(word)}" for word in need.words)
        written = f"{by} is {value}" + " by default" * (other.name not in params)
        yield (
            f"{place}.{drop_unit(param)}: '{card.name}' uses it only with"
            f" {words or f'{by} above zero'}, and {written}, so it changes nothing; leave it out,"
            f" or write {words or by}"
        )
