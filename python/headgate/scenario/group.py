"""The interface of a kind of traffic: its keys, its layout into the plan, what it takes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from headgate.scenario.base import Model, Time, at
from headgate.scenario.control import Control, move_code
from headgate.scenario.law import LawChoice
from headgate.scenario.networks.layout import Spot
from headgate.scenario.planner import Arrays, Planner
from headgate.scenario.transport import Transport

#: Bytes that stand ready before the first packet: a host with its link, a flow of a list.
HOST_BYTES, LISTED_BYTES = 44, 48


#: What the two keys are for.
LAW = (
    "The law of congestion control: a name of the catalogue, or a law of your own as a file and a"
    " name, such as './mylaw.py:MyLaw'."
)
CONTROL = "A law of your own, such as './mylaw.py:MyLaw'; an alias of `law` for these."


@dataclass(frozen=True)
class Item:
    """What is known of an item of the plan before its kind says the rest."""

    name: str
    place: str
    """The place in the scenario, for refusals."""
    sources: list[Spot]
    receivers: list[Spot]


@dataclass(frozen=True)
class Need:
    """What an item of the plan takes before its first packet."""

    key: str
    """The key of the scenario that says how much."""
    what: str
    size: int
    """Bytes."""
    flows: float
    """Flows of which a row may be kept."""


def require_one_law(
    law: LawChoice | None, control: Control | None, in_its_place: str = "'control'"
) -> None:
    """Raise unless there is one of both."""
    if law is None and control is None:
        raise at("law", f"this key is required, or {in_its_place} in its place")
    if law is not None and control is not None:
        raise at("control", "a flow has one law; give either 'law' or 'control'")


def plan_of(law: LawChoice | None, control: Control | None) -> dict[str, Any]:
    """Make the law of the plan. Raises LawError if the user's own cannot be taken."""
    chosen = control or law
    assert chosen is not None
    return chosen.plan()


class Group(Model):
    """What every kind of traffic has.

    Whatever reads a plan knows items by their keys, not by their kind: `count` makes as many single
    flows, `sources` and `receivers` are places (with `hosts`, pools), or all are among `places`;
    `laws` and the column `{key}.law` stand beside `law`.
    """

    #: In a network with many places its ends are named.
    names_its_ends: ClassVar[bool] = False
    #: The key that says how many hosts there are.
    hosts_key: ClassVar[str] = "hosts"
    #: Keys of the plan that say more than the user's, who calls them otherwise.
    plan_keys: ClassVar[Mapping[str, str]] = {}

    kind: str = Field("", description="Kind of traffic.")
    name: str = Field("", description="Name in the results; made from the law if absent.")
    law: LawChoice | None = Field(None, description=LAW)
    control: Control | None = Field(None, description=CONTROL)
    transport: Transport | None = Field(
        None, description="TCP profile of this traffic; absent = the scenario's."
    )
    source: str | None = Field(
        None, description="Router (or class of routers) whose hosts send; absent = the network's."
    )
    receiver: str | None = Field(
        None,
        description="Router (or class of routers) whose hosts receive; absent = the network's.",
    )
    reverse: bool = Field(False, description="Send against the network's main direction.")
    rtt: Time | None = Field(
        None, description="Propagation round trip; sets the delay of this traffic's host links."
    )

    @model_validator(mode="before")
    @classmethod
    def _takes_code_as_law(cls, given: Any) -> Any:
        return move_code(given)

    @model_validator(mode="after")
    def _has_a_law(self) -> Self:
        self._check_law()
        return self

    def _check_law(self, in_its_place: str = "'control'") -> None:
        require_one_law(self.law, self.control, in_its_place)

    def law_plan(self) -> dict[str, Any]:
        """Make the law of the plan. Raises LawError if the user's own cannot be taken."""
        return plan_of(self.law, self.control)

    def default_name(self, law: str) -> str:
        """Return the name of traffic that the user did not name."""
        return law

    def own_rtts_ps(self, place: str) -> tuple[int, ...]:  # noqa: ARG002 - of files: for refusals
        """Return the round trips that it sets, the shortest among them. Raises ScenarioError."""
        return () if self.rtt is None else (self.rtt,)

    @property
    @abstractmethod
    def most_flows(self) -> int:
        """How many flows there may be at once, for buffers that depend on it."""

    @abstractmethod
    def lay_out(self, planner: Planner, item: Item) -> dict[str, Any]:
        """Return what the plan has beside kind, name, law and transport. Raises ScenarioError."""

    @classmethod
    @abstractmethod
    def estimate(cls, item: Mapping[str, Any], arrays: Arrays) -> Need:
        """Return what an item of the plan takes."""

    def key_of(self, key: str) -> str | None:
        """Return the user's key for a key of the plan, if it has a name of its own."""
        return self.plan_keys.get(key)


def count_hosts(pools: list[Mapping[str, Any]]) -> int:
    """Count the hosts of pools of the plan."""
    return sum(pool["hosts"] for pool in pools)
