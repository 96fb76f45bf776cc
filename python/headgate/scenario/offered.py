"""The load that the rates of a traffic matrix offer to each link, from a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.messages import count_others
from headgate.base.units import readable
from headgate.scenario.networks.routes import Routes

Plan = Mapping[str, Any]
#: Flows that a pair expects in a run, below which its measured amount says little.
FEW_FLOWS = 10
#: Links that a sentence names.
_MOST = 3


def list_matrices(plan: Plan) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the items of a plan that are matrices of rates, with their numbers."""
    return [(n, item) for n, item in enumerate(plan["traffic"]) if item.get("rates_per_s")]


def amounts_bps(plan: Plan, item: Mapping[str, Any]) -> NDArray[np.float64]:
    """Return the amount of each pair of a matrix in bit/s, headers included."""
    profile, size = plan["transports"][item["transport"]], item["size"]
    packets = size["packets"] if size["kind"] == "fixed" else size["mean_packets"]
    bits = 8 * packets * (profile["segment_bytes"] + profile["header_bytes"])
    rates: NDArray[np.float64] = np.array(item["rates_per_s"], np.float64)
    amounts: NDArray[np.float64] = rates * bits
    return amounts


def offered_loads(plan: Plan, routes: Routes) -> NDArray[np.float64]:
    """Return what all matrices of rates offer to each link, as a share of its rate."""
    bps = np.zeros(len(plan["links"]))
    for _, item in list_matrices(plan):
        nodes = [pool["node"] for pool in item["receivers"]]
        ends = zip(item["sources"], item["receivers_of"], amounts_bps(plan, item), strict=True)
        for source, receiver, amount in ends:
            bps[routes.links_of(source["node"], nodes[receiver])] += amount
    return bps / np.array([link["rate_bps"] for link in plan["links"]], np.float64)


def describe_matrices(plan: Plan, routes: Routes) -> Iterator[str]:
    """Describe each matrix of rates, and the links to which all of them offer most."""
    matrices = list_matrices(plan)
    for _, item in matrices:
        bps, nodes = amounts_bps(plan, item), plan["nodes"]
        most = int(bps.argmax())
        source, receiver = item["sources"][most], item["receivers"][item["receivers_of"][most]]
        names = [nodes[end["node"]]["name"] for end in (source, receiver)]
        yield (
            f"{item['name']}: {len(bps)} pairs, {_write_rate(bps.sum())}; the largest is"
            f" {names[0]} to {names[1]} with {_write_rate(bps.max())}"
        )
    if matrices:
        loads = offered_loads(plan, routes)
        busiest = _by_load(loads)[:_MOST]
        yield f"offered load of the busiest links: {_list_loads(plan, loads, busiest)}"


def _write_rate(bps: float) -> str:
    factor, unit = readable("bit/s", bps)
    return f"{bps * factor:.4g} {unit}"


def _by_load(loads: NDArray[np.float64]) -> list[int]:
    return [int(n) for n in np.argsort(-loads, kind="stable")]


def _list_loads(plan: Plan, loads: NDArray[np.float64], links: Sequence[int]) -> str:
    return ", ".join(f"{plan['links'][n]['name']} {100 * loads[n]:.0f} %" for n in links)


def warn_of_matrices(plan: Plan, routes: Routes) -> Iterator[str]:
    """Warn of links that are offered more than they carry, and of pairs with few flows."""
    for number, item in list_matrices(plan):
        span_s = max(0, min(item["stop_ps"], plan["duration_ps"]) - item["start_ps"]) / 1e12
        rates = np.array(item["rates_per_s"])
        few = int(np.count_nonzero(rates * span_s < FEW_FLOWS))
        if few:
            yield (
                f"traffic[{number}]: {few} of the {len(rates)} pairs of '{item['name']}' expect"
                f" fewer than {FEW_FLOWS} flows in the run, so their measured rates differ much"
                " from the stated amounts; lengthen duration, or write smaller files"
            )
    if list_matrices(plan):
        loads = offered_loads(plan, routes)
        if over := [n for n in _by_load(loads) if loads[n] > 1]:
            more = f" and {count_others(len(over) - _MOST, 'link')}" if len(over) > _MOST else ""
            yield (
                "traffic: the traffic matrix offers more than links can carry, so that flows"
                f" accumulate: {_list_loads(plan, loads, over[:_MOST])} of the rate{more}"
            )
