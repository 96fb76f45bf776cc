"""What Web users do beside fetching ordinary files, as the plan has it."""

from __future__ import annotations

from typing import Any, Protocol

from headgate.scenario.law import LawChoice
from headgate.scenario.traffic import Group, Web


class Planner(Protocol):
    """What numbers the names of a plan."""

    def segment(self, group: Group) -> int:
        """Give the payload of a packet, in bytes."""

    def law(self, choice: LawChoice) -> int:
        """Give the law's number."""

    def file(self, name: str) -> int:
        """Give the number of a kind of file."""

    def class_name(self, wanted: str | None, place: str) -> str:
        """Check a class of routers; none is the empty word."""


def plan_habits(group: Web, planner: Planner, place: str) -> dict[str, Any]:
    """Make what only some Web users have; what nobody has is left out of the plan."""
    made: dict[str, Any] = {}
    segment = planner.segment(group)
    if group.kinds:
        made["kinds"] = [
            {
                "file": planner.file(kind.name),
                "share": kind.share,
                "size": kind.size.plan(segment),
            }
            for kind in group.kinds
        ]
    if group.laws:
        made["laws"] = [
            {
                "law": planner.law(part.law),
                "share": part.share,
                "class": planner.class_name(part.source, f"{place}.laws[{number}].source"),
            }
            for number, part in enumerate(group.laws)
        ]
    if (patience := group.patience) is not None:
        made["patience"] = {
            "share": patience.share,
            "check_ps": patience.check,
            "floor_per_s": patience.floor / (8 * segment),
        }
    if (surge := group.surge) is not None:
        made["surge"] = {
            "class": planner.class_name(surge.source, f"{place}.surge.source"),
            "share": surge.share,
            "from_ps": surge.start,
            "until_ps": surge.stop,
            "file": planner.file(surge.name),
            "size": surge.size.plan(segment),
        }
    return made
