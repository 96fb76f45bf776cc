"""External hosts: programs in `headgate emulate`, or callers of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from headgate.scenario.base import at
from headgate.scenario.cca import CcaChoice
from headgate.scenario.group import HOST_BYTES, Arrays, Group, Item, Need, Planner, place_of

#: Valid in an option, a network namespace and a file name.
HostName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,14}$")]


class Live(Group):
    """Named hosts whose packets come from outside, in `headgate emulate` from real programs.

    In a plain run they are silent.
    """

    #: Keys of other traffic that are not allowed.
    refused: ClassVar[tuple[str, ...]] = ("cca", "transport")
    kind: Literal["live"] = "live"
    hosts: tuple[HostName, ...] = Field(
        ("a",), description="Names of the hosts at the source; small letters, digits and hyphens."
    )
    peers: tuple[HostName, ...] = Field(
        ("b",), description="Names of the hosts at the receiver; none if it is empty."
    )

    @model_validator(mode="after")
    def _hosts_have_names(self) -> Self:
        names = self.host_names
        twice = next((name for n, name in enumerate(names) if name in names[:n]), None)
        if twice is not None:
            raise at("peers", f"'{twice}' names two hosts; names must differ")
        if not self.hosts:
            raise at("hosts", "at least one host is needed")
        return self

    def _check_cca(self) -> None:
        for key in self.refused:
            if getattr(self, key) is not None:
                raise at(key, "live hosts bring their own TCP; leave this key out")

    @property
    def source_names(self) -> tuple[str, ...]:
        """Names of the hosts at the source."""
        return self.hosts

    @property
    def host_names(self) -> tuple[str, ...]:
        """Names of all hosts, in the order of the plan."""
        return (*self.hosts, *self.peers)

    @property
    def most_flows(self) -> int:
        """One per host at the source."""
        return len(self.hosts)

    def cca_plan(self) -> dict[str, Any]:
        """Return an algorithm of the plan, which every item requires; nothing uses it."""
        return CcaChoice(name="reno").plan()

    def default_name(self, cca: str) -> str:
        """Return the kind."""
        del cca
        return "live"

    def lay_out(self, planner: Planner, item: Item) -> dict[str, Any]:
        """Return the hosts of the plan; those of one side use its places in turn."""
        del planner
        named = [*zip(self.hosts, cycle(item.sources)), *zip(self.peers, cycle(item.receivers))]
        return {
            "hosts": [name for name, _ in named],
            "places": [place_of(spot) for _, spot in named],
        }

    @classmethod
    def estimate(cls, item: Mapping[str, Any], _arrays: Arrays) -> Need:
        """Count the hosts."""
        count = len(item["hosts"])
        return Need("hosts", f"{count:,} live hosts", count * HOST_BYTES, 0)
