"""The slow start of an algorithm: its own, or one of the catalogue."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field, field_validator

from headgate.base.catalog import Cca
from headgate.base.messages import as_toml
from headgate.base.parameters import count_packets
from headgate.scenario.base import at
from headgate.scenario.queue import Device

#: The key of an algorithm, and the parameter of one that contains several slow starts.
KEY = "slow_start"
#: The growth of the algorithm itself.
CLASSIC = "classic"
#: Families of algorithms that grow exponentially below `ssthresh`.
_FAMILIES = frozenset({"loss", "hybrid"})
#: Former names.
_FORMER = {"standard": CLASSIC}

ABOUT = (
    "How the window grows until the first congestion: a name of `headgate catalog`, or a table with"
    " name and parameters; absent = the algorithm's own."
)


class SlowStart(Device):
    """`"search"`, or `{name = "careful-resume", saved_cwnd = 500, saved_rtt = "600 ms"}`."""

    device: ClassVar[str] = "slow-start"
    written: ClassVar[str] = "a name, such as 'search', or a table with name and parameters"

    name: str = Field(description="A slow start of `headgate catalog`.")

    @field_validator("name")
    @classmethod
    def _is_not_former(cls, name: str) -> str:
        if name in _FORMER:
            raise ValueError(f"{name!r} is now {_FORMER[name]!r}")
        return name

    @property
    def is_classic(self) -> bool:
        """Whether the algorithm's own growth applies."""
        return self.name == CLASSIC

    def as_plan(self) -> dict[str, Any]:
        """Return the slow start of the plan."""
        return self.plan(count_packets)


def own_words(cca: Cca) -> tuple[str, ...]:
    """Return the slow starts that an algorithm contains as words of its parameter."""
    return next((param.choices for param in cca.params if param.name == KEY), ())


def is_parameter(cca: Cca, given: object) -> bool:
    """Return whether a value of the key is a parameter of this algorithm."""
    words = own_words(cca)
    return bool(words) and (given in words or cca.family not in _FAMILIES)


def check_family(cca: Cca) -> None:
    """Raise an error for an algorithm whose slow start cannot be chosen."""
    if cca.family not in _FAMILIES:
        says = f"the slow start of {as_toml(cca.name)} is part of the algorithm"
        raise at(KEY, f"{says}; it can be chosen for algorithms driven by loss, such as 'reno'")
