"""What the engine refuses in a plan, said of the keys that the user wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from headgate.base.errors import ScenarioError
from headgate.engine.run.memory import refuse_what_does_not_fit
from headgate.scenario.group import Arrays, Group
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
}
_UNIT = re.compile(r"_(ps|bps|bytes|s)$")
_ITEM = re.compile(r"(\w+)\[(\d+)\]\.?(.*)")


def check_plan(plan: Plan, arrays: Arrays, scenario: ScenarioSpec) -> None:
    """Raise ScenarioError if the engine refuses the plan, or memory would not hold the run."""
    from headgate._native import check_plan as check

    refuse_what_does_not_fit(plan, arrays)
    try:
        check(plan_json(dict(plan)), arrays)
    except ValueError as error:
        raise translate_refusal(str(error), plan, scenario) from None


def translate_refusal(said: str, plan: Plan, scenario: ScenarioSpec) -> ScenarioError:
    """Make the error of a refusal, `place: sentence` in words of the plan."""
    place, _, sentence = said.partition(": ")
    return ScenarioError(*_Place(plan, scenario).of_user(place, sentence))


class _Place:
    """Turns places of the plan into places of the scenario."""

    def __init__(self, plan: Plan, scenario: ScenarioSpec) -> None:
        self.plan, self.scenario = plan, scenario

    def of_user(self, place: str, sentence: str) -> tuple[str, str]:
        item = _ITEM.fullmatch(place)
        if item is None:
            return self._whole(place), sentence
        kind, index, rest = item[1], int(item[2]), item[3]
        if kind == "links":
            sentence = f"{sentence} (link '{self.plan['links'][index]['name']}')"
        makers = {
            "links": self._link,
            "nodes": lambda index, rest: f"network.routers[{index}].{_key(rest)}",
            "edges": lambda _, rest: f"network.host_{_key(rest)}",
            "transports": lambda index, rest: f"{self._profile(index)}.{_key(rest)}",
            "laws": self._law,
            "traffic": self._traffic,
        }
        return (makers[kind](index, rest) if kind in makers else _key(place)), sentence

    def _whole(self, place: str) -> str:
        """Name what stands once in the plan, or a column of a flow list."""
        lists = [item.get("key") for item in self.plan["traffic"]]
        key, _, column = place.rpartition(".")
        if column and key in lists:
            return f"traffic[{lists.index(key)}].file"
        words = {"nodes": "network.routers", "transports": "transport", "files": "traffic"}
        return words.get(place, _key(place))

    def _link(self, _index: int, rest: str) -> str:
        key, _, param = rest.partition(".params.")
        return f"network.{_key(key)}" + (f".{_key(param)}" if param else "")

    def _profile(self, index: int) -> str:
        """Name where the profile was written: at the traffic that has it, or for all."""
        for number, (item, group) in enumerate(
            zip(self.plan["traffic"], self.scenario.traffic, strict=True)
        ):
            if item["transport"] == index and group.transport is not None:
                return f"traffic[{number}].transport"
        return "transport"

    def _law(self, index: int, rest: str) -> str:
        users = [item["law"] for item in self.plan["traffic"]]
        where = f"traffic[{users.index(index)}].law" if index in users else "traffic.laws"
        return f"{where}.{rest.removeprefix('params.')}"

    def _traffic(self, index: int, rest: str) -> str:
        place, group = f"traffic[{index}]", self.scenario.traffic[index]
        if not rest:
            return place
        if rest.startswith(("sources", "receivers", "places")):
            return f"{place}.{_hosts(group, rest)}"
        return f"{place}.{group.key_of(rest) or _key(rest)}"


def _hosts(group: Group, rest: str) -> str:
    """Name what says how many hosts there are, or where they sit."""
    if rest.endswith("hosts"):
        return group.hosts_key
    return "source" if rest.startswith("sources") else "receiver"


def _key(path: str) -> str:
    """Write a path without the units of its last key."""
    head, dot, last = path.rpartition(".")
    bare = _UNIT.sub("", last)
    return f"{head}{dot}{_KEYS.get(bare, bare)}"
