"""Preparation of a run: user-defined code, and refusals of a plan in terms of the user's keys."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from headgate.base.errors import ScenarioError
from headgate.engine.run.memory import check_memory
from headgate.plugin import user_code
from headgate.plugin.interface import PreparedCode
from headgate.plugin.proof import make_ready
from headgate.scenario.group import Arrays
from headgate.scenario.plan import plan_json
from headgate.scenario.spec import ScenarioSpec

Plan = Mapping[str, Any]

#: Keys of the plan whose names differ from the user's by more than the unit.
_KEYS = {
    "syn_rto": "syn_timeout",
    "delayed_ack": "delayed_ack_timeout",
    "rtt": "rtt_sampling",
    "flows_per": "arrivals",
    "floor_per": "floor",
    "from": "start",
    "until": "stop",
    "hosts": "hosts",
    "class": "class_name",
    "law": "cca",
    "laws": "cca",
}
_UNIT = re.compile(r"_(ps|bps|bytes|s)$")
_ITEM = re.compile(r"(\w+)\[(\d+)\]\.?(.*)")


def check_plan(plan: Plan, arrays: Arrays, scenario: ScenarioSpec) -> None:
    """Raise ScenarioError if the engine refuses the plan, or memory cannot hold the run."""
    from headgate._native import check_plan as check

    check_memory(plan, arrays)
    try:
        check(plan_json(dict(plan)), arrays)
    except ValueError as error:
        raise translate_refusal(str(error), plan, scenario) from None


def translate_refusal(said: str, plan: Plan, scenario: ScenarioSpec) -> ScenarioError:
    """Return the error of a refusal, `place: sentence` in terms of the plan."""
    place, _, sentence = said.partition(": ")
    return ScenarioError(*_Place(plan, scenario).of_user(place, sentence))


class _Place:
    """Translates places of the plan into places of the scenario."""

    def __init__(self, plan: Plan, scenario: ScenarioSpec) -> None:
        self.plan, self.scenario = plan, scenario

    def of_user(self, place: str, sentence: str) -> tuple[str, str]:
        item = _ITEM.fullmatch(place)
        if item is None:
            return self._whole(place), sentence
        kind, index, rest = item[1], int(item[2]), item[3]
        if kind == "links":
            sentence = f"{sentence} (link '{self.plan['links'][index]['name']}')"
        if kind in ("links", "edges") and rest == "delay_ps" and (own := self._delay(kind, index)):
            follows = "" if own.endswith(".delay") else "the delay of a link follows from it: "
            return own, follows + sentence
        makers = {
            "links": self._link,
            "nodes": lambda index, rest: f"network.routers[{index}].{_key(rest)}",
            "edges": lambda _, rest: f"network.host_{_key(rest)}",
            "transports": lambda index, rest: f"{self._profile(index)}.{_key(rest)}",
            "laws": self._cca,
            "traffic": self._traffic,
        }
        return (makers[kind](index, rest) if kind in makers else _key(place)), sentence

    def _whole(self, place: str) -> str:
        """Return the key of a top-level part of the plan, or of a column of a flow list."""
        lists = [item.get("key") for item in self.plan["traffic"]]
        key, _, column = place.rpartition(".")
        if column and key in lists:
            return f"traffic[{lists.index(key)}].file"
        words = {"nodes": "network.routers", "transports": "transport", "files": "traffic"}
        return words.get(place, _key(place))

    def _delay(self, kind: str, index: int) -> str:
        """Return the key that sets a delay in a network without a key for it, else nothing."""
        for number, item in enumerate(self.plan["traffic"] if kind == "edges" else ()):
            is_own = any(place["edge"] == index for place in item.get("sources", ()))
            if is_own and self.scenario.traffic[number].rtt is not None:
                return f"traffic[{number}].rtt"
        network = self.scenario.network
        if "delay" in type(network).model_fields or not hasattr(network, "rtt"):
            return ""
        back = getattr(network, "reverse", None)
        is_back = kind == "links" and index == 1 and back is not None and back.delay is not None
        return "network.reverse.delay" if is_back else "network.rtt"

    def _link(self, _index: int, rest: str) -> str:
        key, _, param = rest.partition(".params.")
        return f"network.{_key(key)}" + (f".{_key(param)}" if param else "")

    def _profile(self, index: int) -> str:
        for number, (item, group) in enumerate(
            zip(self.plan["traffic"], self.scenario.traffic, strict=True)
        ):
            if item["transport"] == index and group.transport is not None:
                return f"traffic[{number}].transport"
        return "transport"

    def _cca(self, index: int, rest: str) -> str:
        users = [item["law"] for item in self.plan["traffic"]]
        place = f"traffic[{users.index(index)}].cca" if index in users else "traffic.cca"
        return f"{place}.{rest.removeprefix('params.')}"

    def _traffic(self, index: int, rest: str) -> str:
        place, group = f"traffic[{index}]", self.scenario.traffic[index]
        rest = re.sub(r"^laws\b", "cca", rest)
        if not rest:
            return place
        if group.is_composed and rest.startswith(("sources", "receivers", "rates")):
            return place
        if rest.startswith(("sources", "receivers", "places")):
            side = "source" if rest.startswith("sources") else "receiver"
            return f"{place}.{group.hosts_key if rest.endswith('hosts') else side}"
        return f"{place}.{group.key_of(rest) or _key(rest)}"


def _key(path: str) -> str:
    head, dot, last = path.rpartition(".")
    bare = _UNIT.sub("", last)
    return f"{head}{dot}{_KEYS.get(bare, bare)}"


def make_own_code(scenario: ScenarioSpec, plan: Plan) -> list[PreparedCode]:
    """Compile user-defined algorithms and disciplines in the order of the plan. Raises CcaError."""
    laws, queues = [cca for cca in plan["laws"] if "own" in cca], own_queues(plan)
    if not laws and not queues:
        return []
    by_cca = {json.dumps(one.plan()): one for one in scenario.own_ccas()}
    controls = [by_cca[json.dumps(cca)] for cca in laws]
    ready = [make_ready(control.cca(), control.params) for control in controls]
    kind = user_code.DISCIPLINE
    sources = {user_code.identify(q.name, kind): q.name for q in scenario.own_disciplines()}
    for queue in queues:
        code = user_code.load(sources[queue["name"], queue["own"]], kind)
        ready.append(make_ready(code, queue["params"]))
    return ready


def own_queues(plan: Plan) -> list[Mapping[str, Any]]:
    """Return the distinct user-defined disciplines of a plan, in the order of its links."""
    queues = (link.get("queue") or {} for link in plan["links"])
    return list({json.dumps(q, sort_keys=True): q for q in queues if "own" in q}.values())
