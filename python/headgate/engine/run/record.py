"""run.json: the record of a run, with the rates of links that change or follow a trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from headgate.base.version import __version__
from headgate.engine.run.prepare import own_queues
from headgate.scenario.group import Arrays
from headgate.scenario.links.files import OPPORTUNITY_BYTES
from headgate.scenario.plan_warnings import scenario_warnings
from headgate.scenario.spec import ScenarioSpec

#: A trace is shown as means over this many parts of the run, none shorter than this.
_PARTS, _LEAST_S = 1000, 0.1


def make_record(  # noqa: PLR0913 - the parts of a record
    scenario: ScenarioSpec,
    planned: tuple[Mapping[str, Any], Arrays],
    facts: Mapping[str, Any],
    *,
    identity: str,
    command: str,
    cpu_s: float,
    wall_s: float = 0.0,
    resumed: bool = False,
    setup: tuple[float, int] = (0.0, 0),
    rates: Mapping[str, Any] | None = None,
    resolved: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the record of a run; `setup` is the CPU time and the memory of its set-up.

    `resolved` is the scenario with every default filled in, if it is known.
    """
    plan, arrays = planned
    return {
        "headgate": __version__,
        "identity": identity,
        "scenario": resolved or scenario.to_dict(resolved=True),
        "seed": scenario.seed,
        "command": command,
        "resumed": resumed,
        "cpu_s": cpu_s,
        "setup_cpu_s": setup[0],
        "setup_bytes": setup[1],
        "wall_s": wall_s,
        **{key: facts[key] for key in ("packet_hops", "lookahead_s", "digest")},
        "ccas": plan["laws"],
        **({"rates": rates} if rates else {}),
        **({"outages": outages} if (outages := find_outages(plan)) else {}),
        "disciplines": own_queues(plan),
        "warnings": scenario_warnings(scenario, plan, arrays),
    }


def find_rates(plan: Mapping[str, Any], arrays: Arrays) -> dict[str, dict[str, list[float]]]:
    """Return times (`t_s`) and the rates from then on, while the link is up.

    Links with a constant rate and no outages are left out: their mean rate is their rate.
    """
    found = {}
    for link in plan["links"]:
        if "trace" in link:
            found[link["name"]] = _mean_rates(link["trace"], arrays, plan["duration_ps"] / 1e12)
        elif link.get("changes") or link.get("outages"):
            changes = link.get("changes", ())
            found[link["name"]] = {
                "t_s": [0.0, *(change["at_ps"] / 1e12 for change in changes)],
                "rate_bps": [float(link["rate_bps"]), *(c["rate_bps"] for c in changes)],
            }
    return found


def find_outages(plan: Mapping[str, Any]) -> dict[str, dict[str, list[float]]]:
    """Return, for each link with outages, when they begin (`start_s`) and end (`end_s`)."""
    return {
        link["name"]: {
            "start_s": [outage["at_ps"] / 1e12 for outage in link["outages"]],
            "end_s": [min(o["until_ps"], plan["duration_ps"]) / 1e12 for o in link["outages"]],
        }
        for link in plan["links"]
        if link.get("outages")
    }


def _mean_rates(
    trace: Mapping[str, Any], arrays: Arrays, duration_s: float
) -> dict[str, list[float]]:
    times_s = arrays[trace["list"]] / 1e12
    period_s = None if trace["period_ps"] is None else trace["period_ps"] / 1e12
    width_s = max(_LEAST_S, duration_s / _PARTS)
    edges = np.arange(0.0, duration_s + width_s, width_s)
    rounds, rest = (0, edges) if period_s is None else np.divmod(edges, period_s)
    passed = rounds * len(times_s) + np.searchsorted(times_s, rest, side="right")
    rates = np.diff(passed) * 8 * OPPORTUNITY_BYTES / width_s
    return {"t_s": edges[:-1].tolist(), "rate_bps": rates.tolist()}
