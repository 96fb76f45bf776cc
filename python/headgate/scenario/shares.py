"""The algorithms that traffic of a plan uses: with shares of few flows, not all of a mix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.scenario.networks.layout import apportion

if TYPE_CHECKING:
    from headgate.scenario.group import Arrays

Plan = Mapping[str, Any]
Traffic = Mapping[str, Any]
#: A key of traffic whose sources keep their algorithm.
_OF_SOURCES = "off_s"


def name_ccas(plan: Plan, arrays: Arrays) -> list[str]:
    """Name the algorithms of simulated flows and media; live hosts use those of their kernels."""
    traffic = plan["traffic"]
    simulated = [item for item in traffic if "hosts" not in item and "streams" not in item]
    used = {law for item in simulated for law in list_laws(plan, item, arrays)}
    controllers = [item["rate_controller"]["name"] for item in traffic if "streams" in item]
    ccas = [cca["name"] for number, cca in enumerate(plan["laws"]) if number in used]
    return [*ccas, *dict.fromkeys(controllers)]


def list_laws(plan: Plan, item: Traffic, arrays: Arrays) -> list[int]:
    """Return the numbers of the algorithms that an item of traffic uses."""
    listed = arrays.get(f"{item.get('key')}.law")
    if listed is not None:
        return [int(law) for law in np.unique(listed)]
    parts = item.get("laws", ())
    if not parts:
        return [item["law"]]
    counts = _count_senders(plan, item, arrays)
    if counts is None:  # senders are drawn
        return sorted({part["law"] for part in parts if part["share"] > 0})
    return sorted({part["law"] for part, count, _ in _divide(parts, counts) if count})


def warn_of_shares(plan: Plan, arrays: Arrays) -> Iterator[str]:
    """Warn of shares of a mix that are no flow."""
    for number, item in enumerate(plan["traffic"]):
        counts = _count_senders(plan, item, arrays)
        for part, count, senders in _divide(item.get("laws", ()), counts or {}):
            if not count and part["share"] > 0:
                what = "source" if _OF_SOURCES in item else "flow"
                of_class = f" of class '{part['class']}'" if part["class"] else ""
                yield (
                    f"traffic[{number}].cca: share {part['share']:g} of {senders:,}"
                    f" {what}{'s' * (senders != 1)}{of_class} is no {what}, so none uses"
                    f" '{plan['laws'][part['law']]['name']}'; write more {what}s or a larger share"
                )


def _divide(
    parts: Sequence[Mapping[str, Any]], counts: Mapping[str, int]
) -> Iterator[tuple[Mapping[str, Any], int, int]]:
    """Give each part of a mix, its number of senders, and that of all senders of its class.

    Parts of no class apply to the senders of all classes without a part.
    """
    named = {part["class"] for part in parts}
    for class_name in sorted(named) if counts else ():
        own = [part for part in parts if part["class"] == class_name]
        senders = sum(n for one, n in counts.items() if (one if one in named else "") == class_name)
        shares = [part["share"] for part in own]
        for part, count in zip(own, apportion(senders, shares), strict=True):
            yield part, count, senders


def _count_senders(plan: Plan, item: Traffic, arrays: Arrays) -> Mapping[str, int] | None:
    """Count the senders of each class that share algorithms exactly; None if they are drawn."""
    if not item.get("laws") or f"{item.get('key')}.law" in arrays:
        return None
    classes = [node["class"] for node in plan["nodes"]]
    found: Counter[str] = Counter()
    if "key" in item:
        rows = len(arrays[f"{item['key']}.start_ps"])
        sources = arrays.get(f"{item['key']}.source", np.full(rows, item["source"], np.uint64))
        places, counts = np.unique(sources, return_counts=True)
        for place, count in zip(places, counts, strict=True):
            found[classes[item["places"][int(place)]["node"]]] += int(count)
    elif "count" in item:
        sources = item["sources"]
        each = apportion(item["count"], [1] * len(sources))
        for source, count in zip(sources, each, strict=True):
            found[classes[source["node"]]] += count
    elif _OF_SOURCES in item:
        for pool in item["sources"]:
            found[classes[pool["node"]]] += pool["hosts"]
    return found or None
