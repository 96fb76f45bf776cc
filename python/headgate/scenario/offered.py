"""The load that arriving flows offer to each link, from a plan."""

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
    rates: NDArray[np.float64] = np.array(item["rates_per_s"], np.float64)
    amounts: NDArray[np.float64] = rates * _bits_of_file(plan, item)
    return amounts


def _bits_of_file(plan: Plan, item: Mapping[str, Any]) -> float:
    profile, size = plan["transports"][item["transport"]], item["size"]
    packets = size["packets"] if size["kind"] == "fixed" else size["mean_packets"]
    return float(8 * packets * (profile["segment_bytes"] + profile["header_bytes"]))


def offered_loads(plan: Plan, routes: Routes) -> NDArray[np.float64]:
    """Return what all matrices of rates offer to each link, as a share of its rate."""
    bps = [_offered_bps(plan, item, routes) for _, item in list_matrices(plan)]
    shares: NDArray[np.float64] = np.sum(bps, axis=0) / _list_rates(plan)
    return shares


def _list_rates(plan: Plan) -> NDArray[np.float64]:
    """Return the rate of each link, of one whose rate changes the highest."""
    changes = [[one["rate_bps"] for one in link.get("changes", ())] for link in plan["links"]]
    rates = [max([link["rate_bps"], *c]) for link, c in zip(plan["links"], changes, strict=True)]
    return np.array(rates, np.float64)


def _offered_bps(plan: Plan, item: Mapping[str, Any], routes: Routes) -> NDArray[np.float64]:
    """Return what an item with arrivals offers to each link, in bit/s."""
    bps = np.zeros(len(plan["links"]))
    if item.get("rates_per_s"):
        nodes = [pool["node"] for pool in item["receivers"]]
        ends = zip(item["sources"], item["receivers_of"], amounts_bps(plan, item), strict=True)
        for source, receiver, amount in ends:
            bps[routes.links_of(source["node"], nodes[receiver])] += amount
        return bps
    found = routes.loads(_count_by_node(item["sources"]), _count_by_node(item["receivers"]))
    return bps if found is None else found[0] * item["flows_per_s"] * _bits_of_file(plan, item)


def _count_by_node(pools: Sequence[Mapping[str, Any]]) -> dict[int, float]:
    counts: dict[int, float] = {}
    for pool in pools:
        counts[pool["node"]] = counts.get(pool["node"], 0.0) + pool["hosts"]
    return counts


def _largest_loads(plan: Plan, routes: Routes) -> NDArray[np.float64]:
    """Return the largest share of its rate that arrivals offer to each link at one time."""
    items = [item for item in plan["traffic"] if "flows_per_s" in item]
    bps = [_offered_bps(plan, item, routes) for item in items]
    largest = np.zeros(len(plan["links"]))
    for start_ps in {item["start_ps"] for item in items if item["start_ps"] < plan["duration_ps"]}:
        present = [
            one
            for one, item in zip(bps, items, strict=True)
            if item["start_ps"] <= start_ps < item["stop_ps"]
        ]
        largest = np.maximum(largest, np.sum(present, axis=0))
    shares: NDArray[np.float64] = largest / _list_rates(plan)
    return shares


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


def warn_of_arrivals(plan: Plan, routes: Routes) -> Iterator[str]:
    """Warn of pairs with few flows, and of links that are offered more than they carry."""
    yield from _warn_of_few(plan)
    if not any("flows_per_s" in item for item in plan["traffic"]):
        return
    loads = _largest_loads(plan, routes)
    over = [n for n in _by_load(loads) if round(100 * loads[n]) > 100]
    if over:
        more = f" and {count_others(len(over) - _MOST, 'link')}" if len(over) > _MOST else ""
        yield (
            "traffic: arrivals offer more than links can carry, so that flows accumulate:"
            f" {_list_loads(plan, loads, over[:_MOST])} of the rate{more}; write less load or"
            " smaller amounts"
        )


def _warn_of_few(plan: Plan) -> Iterator[str]:
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
