"""The user's own laws and disciplines of a plan, made ready for its run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from headgate.plugin import user_code
from headgate.plugin.interface import PreparedCode
from headgate.plugin.proof import make_ready
from headgate.scenario.spec import ScenarioSpec

Plan = Mapping[str, Any]


def make_own_code(scenario: ScenarioSpec, plan: Plan) -> list[PreparedCode]:
    """Make laws and disciplines ready, each kind in the order of the plan. Raises LawError."""
    return [*_laws(scenario, plan), *_disciplines(scenario, plan)]


def _laws(scenario: ScenarioSpec, plan: Plan) -> Iterator[PreparedCode]:
    by_law = {json.dumps(control.plan()): control for control in scenario.own_laws()}
    for law in plan["laws"]:
        if "own" in law:
            control = by_law[json.dumps(law)]
            yield make_ready(control.law(), control.params)


def _disciplines(scenario: ScenarioSpec, plan: Plan) -> Iterator[PreparedCode]:
    kind = user_code.DISCIPLINE
    sources = {user_code.identify(q.name, kind): q.name for q in scenario.own_disciplines()}
    for queue in own_queues(plan):
        code = user_code.load(sources[queue["name"], queue["own"]], kind)
        yield make_ready(code, queue["params"])


def own_queues(plan: Plan) -> list[Mapping[str, Any]]:
    """Return the plan's own disciplines, as its links name them first; equal ones are one."""
    queues = (link.get("queue") or {} for link in plan["links"])
    return list({json.dumps(q, sort_keys=True): q for q in queues if "own" in q}.values())
