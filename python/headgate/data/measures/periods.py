"""What happened in each measurement period, by what flows and links have in common.

`classes`: flows by kind of file, classes of routers, interfaces and law; `laws` and `windows`: the
congestion windows of each law and how they swing; `links`: every link; `checks`: what must add up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.data.columns.periods import CLASSES, LAWS, LINKS, WINDOWS
from headgate.data.columns.run import FILES
from headgate.data.measures.formula import form, ratio
from headgate.data.tables import Table, Words

Facts = Mapping[str, NDArray[Any]]
Plan = Mapping[str, Any]

#: The class of host links where a network gives none.
UNLABELLED = "normal"
#: What is counted in two ways, as the table of checks names it.
#: Copies that links made count as sent.
PACKETS = "data packets: sent = arrived + dropped + under way"
FLOWS = "flows: started = over + under way"
WAITS = "waiting at all ports: sampled queue x time = sum of waits"
WORST_WAIT = "waiting at the busy port and period where the two differ most"
#: Packets seen waiting, over all samples of a period, from which on a port is busy.
BUSY = 1000


def of_periods(plan: Plan, facts: Mapping[str, Facts]) -> dict[str, Table]:
    """Return the tables whose rows belong to a period, and the checks of the whole run."""
    links = _links(plan, facts["links"])
    return {
        "classes": Table("classes", _classes(plan, facts)),
        "laws": Table("laws", _laws(plan, facts["laws"])),
        "windows": Table("windows", _windows(plan, facts["windows"])),
        "links": Table("links", links),
        "checks": Table("checks", _checks(facts["balance"], links)),
    }


def law_names(laws: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the laws of a plan; parameters are added where one law occurs with several sets."""
    names = [law["name"] for law in laws]
    return [
        law["name"] if names.count(law["name"]) == 1 else f"{law['name']} ({_params(law)})"
        for law in laws
    ]


def _params(law: Mapping[str, Any]) -> str:
    """Write the parameters that were set."""
    words = [
        f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
        for key, value in law["params"].items()
    ]
    return ", ".join(words) or "defaults"


def _bounds(plan: Plan, facts: Facts) -> dict[str, NDArray[Any]]:
    """Return period (from 1), start_s and end_s of each row."""
    period = facts["period"].astype(np.int64)
    bounds = np.array(plan["measure"]["periods"], np.float64).reshape(-1, 2)[period] / 1e12
    return {"period": period + 1, "start_s": bounds[:, 0], "end_s": bounds[:, 1]}


def name_links(plan: Plan, link: NDArray[Any]) -> dict[str, Words]:
    """Name links by their numbers, and the routers at their ends."""
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
        "law": Words(facts["law"], law_names(plan["laws"])),
    }
    return form(CLASSES, {**facts, **_bounds(plan, facts), **words})


def _laws(plan: Plan, facts: Facts) -> dict[str, Any]:
    law = Words(facts["law"], law_names(plan["laws"]))
    return form(LAWS, {**facts, **_bounds(plan, facts), "law": law})


def _windows(plan: Plan, facts: Facts) -> dict[str, Any]:
    at = _bounds(plan, facts)
    group = at["period"] * (len(plan["laws"]) + 1) + facts["law"].astype(np.int64)
    _, row = np.unique(group, return_inverse=True)
    total = np.bincount(row, weights=facts["count"], minlength=1)
    law = Words(facts["law"], law_names(plan["laws"]))
    share = ratio(facts["count"], total[row])
    return form(WINDOWS, {**facts, **at, "law": law, "share": share})


def _links(plan: Plan, facts: Facts) -> dict[str, Any]:
    names = name_links(plan, facts["link"].astype(np.int64))
    return form(LINKS, {**facts, **_bounds(plan, facts), **names})


def _checks(balance: Facts, links: Mapping[str, Any]) -> dict[str, Any]:
    """Compare what was counted in two ways."""
    of = {name: float(column[0]) for name, column in balance.items()}
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
