"""Tables of measurement periods, by common properties of flows and links.

`classes`: flows by kind of file, classes of routers, interfaces and algorithm; `ccas` and
`windows`: the congestion windows of each algorithm and their oscillation; `links`: every link;
`checks`: counts that must agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.data.columns.periods import CCAS, CLASSES, LINKS, WINDOWS
from headgate.data.columns.run import FILES
from headgate.data.measures.formula import form, ratio
from headgate.data.tables import Words

Facts = Mapping[str, NDArray[Any]]
Plan = Mapping[str, Any]

#: The class of host links without one.
UNLABELLED = "normal"
#: Quantities that are counted in two ways. Copies that links made count as sent.
PACKETS = "data packets: sent = arrived + dropped + under way"
FLOWS = "flows: started = over + under way"
WAITS = "waiting at all ports: sampled queue x time = sum of waits"
WORST_WAIT = "waiting at the busy port and period where the two differ most"
#: Packets waiting, over all samples of a period, from which a port is busy.
BUSY = 1000


def cca_names(ccas: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of a plan's algorithms, with parameters if a name occurs more than once."""
    names, found = [str(cca["name"]) for cca in ccas], list[str]()
    for cca, name in zip(ccas, names, strict=True):
        given = cca["params"] | _slow_start_words(cca.get("slow_start"))
        words = (f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}" for k, v in given.items())
        params = ", ".join(words) or "defaults"
        found.append(name if names.count(name) == 1 else f"{name} ({params})")
    return found


def _slow_start_words(chosen: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the name and the parameters of a chosen slow start."""
    return {} if chosen is None else {"slow_start": chosen["name"], **chosen["params"]}


def find_bounds(plan: Plan, facts: Facts) -> dict[str, NDArray[Any]]:
    """Return the number, the start and the end of the period of each row."""
    period = facts["period"].astype(np.int64)
    bounds = np.array(plan["measure"]["periods"], np.float64).reshape(-1, 2)[period] / 1e12
    return {"period": period + 1, "start_s": bounds[:, 0], "end_s": bounds[:, 1]}


def name_links(plan: Plan, link: NDArray[Any]) -> dict[str, Words]:
    """Return the names of links and of the routers at their ends."""
    items, nodes = plan["links"], [node["name"] for node in plan["nodes"]]
    ends = {end: np.array([item[end] for item in items])[link] for end in ("from", "to")}
    return {
        "link": Words(link, [item["name"] for item in items]),
        **{end: Words(routers, nodes) for end, routers in ends.items()},
    }


def _classes(plan: Plan, of_run: Mapping[str, Any]) -> dict[str, Any]:
    facts, labels = of_run["classes"], of_run["labels"]
    interfaces = [label or UNLABELLED for label in labels["interface"]]
    words = {
        "file": Words(facts["file"], (*FILES, *plan.get("files", ()))),
        "class": Words(facts["pair"], labels["class"]),
        "interface": Words(facts["interface"], interfaces),
        "cca": Words(facts["cca"], cca_names(plan["laws"])),
    }
    return form(CLASSES, {**facts, **find_bounds(plan, facts), **words})


def _ccas(plan: Plan, of_run: Mapping[str, Any]) -> dict[str, Any]:
    facts = of_run["ccas"]
    cca = Words(facts["cca"], cca_names(plan["laws"]))
    return form(CCAS, {**facts, **find_bounds(plan, facts), "cca": cca})


def _windows(plan: Plan, of_run: Mapping[str, Any]) -> dict[str, Any]:
    facts = of_run["windows"]
    at = find_bounds(plan, facts)
    group = at["period"] * (len(plan["laws"]) + 1) + facts["cca"].astype(np.int64)
    _, row = np.unique(group, return_inverse=True)
    total = np.bincount(row, weights=facts["count"], minlength=1)
    cca = Words(facts["cca"], cca_names(plan["laws"]))
    share = ratio(facts["count"], total[row])
    return form(WINDOWS, {**facts, **at, "cca": cca, "share": share})


def _links(plan: Plan, of_run: Mapping[str, Any]) -> dict[str, Any]:
    facts = of_run["links"]
    numbers = name_links(plan, facts["link"].astype(np.int64))
    return form(LINKS, {**facts, **find_bounds(plan, facts), **numbers})


def _checks(plan: Plan, of_run: Mapping[str, Any]) -> dict[str, Any]:
    links = _links(plan, of_run)
    of = {name: float(column[0]) for name, column in of_run["balance"].items()}
    gone = of["segments_out"] + of["segments_dropped"] + of["under_way"]
    over = ("flows_completed", "connection_failures", "flows_abandoned", "active_now")
    seen = np.nan_to_num(links["sampled_queue_packets"] * links["elapsed_s"])
    waits = np.asarray(links["wait_sum_s"], np.float64)
    busy = np.flatnonzero(np.asarray(links["queue_sum"]) >= BUSY)
    worst = busy[np.argsort(np.abs(ratio(seen[busy], waits[busy]) - 1))][-1:]
    of_worst = (seen[worst].sum(), waits[worst].sum())
    rows = [
        (PACKETS, of["segments_in"] + of["segments_copied"], gone),
        (FLOWS, of["flows_started"], sum(of[name] for name in over)),
        (WAITS, seen.sum(), waits.sum()),
        (WORST_WAIT, *of_worst),
    ]
    left, right = (np.array([row[side] for row in rows], np.float64) for side in (1, 2))
    return {
        "check": Words.of([row[0] for row in rows]),
        "left": left,
        "right": right,
        "relative_error": ratio(left - right, np.maximum(np.abs(left), np.abs(right))),
    }


#: Functions that form the tables by period, and the checks of the whole run.
OF_PERIODS = {
    "classes": _classes,
    "ccas": _ccas,
    "windows": _windows,
    "links": _links,
    "checks": _checks,
}
