"""Devices of a port: a queue discipline, router feedback; and how its rate changes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from pydantic import Field, field_validator, model_validator

from headgate.base import catalog
from headgate.base.errors import UnitError
from headgate.base.parameters import Packets, Value, check_holds_packet, read_quantity
from headgate.base.suggest import hint
from headgate.base.units import Amount
from headgate.plugin import user_code
from headgate.plugin.arguments import unit_of
from headgate.scenario.base import Model, Rate, Time, at
from headgate.scenario.named import Named

DROP_TAIL_ALONE = "drop_tail has no parameters"


class Device(Named):
    """A name, or `{name = "codel", target = "5 ms"}`; also `mark = "0.17 BDP"`."""

    device: ClassVar[str]
    written: ClassVar[str] = "a name, or a table with name and parameters"
    #: Names that mean something here and have no card.
    besides: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="after")
    def _is_in_the_catalogue(self) -> Device:
        if self.params or not self.is_plain:
            self.resolve(_rough, are_exact=not self.is_relative)
            object.__setattr__(self, "name", self._card_name)  # whatever its spelling
        return self

    @property
    def _card_name(self) -> str:
        return catalog.device(self.device, self.name, self.besides).name

    @property
    def is_plain(self) -> bool:
        """Whether nothing stands there."""
        return False

    @cached_property
    def is_relative(self) -> bool:
        """Whether a parameter is a share of the bandwidth-delay product."""
        return any("BDP" in value for value in self.params.values() if isinstance(value, str))

    @cached_property
    def by_share(self) -> bool:
        """Whether a parameter depends on how many flows share the port."""
        return any("sqrt" in value for value in self.params.values() if isinstance(value, str))

    def resolve(self, packets: Packets, *, are_exact: bool = True) -> dict[str, Value]:
        """Make the parameters of the plan; `packets` makes a number of a key's amount."""
        card = catalog.device(self.device, self.name, self.besides)
        return self.read_params(card, packets, are_exact=are_exact)

    def check_packet(self, params: Mapping[str, Value], packet_bytes: int) -> None:
        """Raise ParameterError if what must hold a packet is smaller."""
        if not user_code.is_source(self.name):
            card = catalog.device(self.device, self.name, self.besides)
            check_holds_packet(card, params, packet_bytes)

    def plan(self, packets: Packets) -> dict[str, Any]:
        """Make the device of the plan. Raises LawError. Runs nothing of the user's own."""
        return {"name": self.name, "params": self.resolve(packets)}


def _rough(_key: str, amount: Amount) -> float:
    """Make packets of an amount before the network is known."""
    return float(amount.value) if amount.unit == "packets" else 1.0


class Queue(Device):
    """A queue discipline: `"drop_tail"`, `{name = "threshold", mark = "65 packets"}` and so on.

    One of the user's own is named by its file, `"./mine.py:Mine"`, or in Python by its class; its
    parameters are arguments of the class, and have the units that their names end with.
    """

    device: ClassVar[str] = "queue"
    besides: ClassVar[tuple[str, ...]] = (catalog.DROP_TAIL,)

    name: str = Field(
        catalog.DROP_TAIL,
        description="drop_tail, a discipline of the catalogue, or your own: './mine.py:Mine'.",
    )

    @model_validator(mode="before")
    @classmethod
    def _take_class(cls, given: Any) -> Any:
        if isinstance(given, type):
            return {"name": user_code.register_class(given)}
        if isinstance(given, Mapping) and isinstance(given.get("name"), type):
            return {**given, "name": user_code.register_class(given["name"])}
        return given

    @field_validator("name")
    @classmethod
    def _spell_drop_tail(cls, name: str) -> str:
        return catalog.DROP_TAIL if catalog.is_drop_tail(name) else name

    @property
    def _card_name(self) -> str:
        return self.name if self.is_own or self.is_plain else super()._card_name

    @property
    def is_plain(self) -> bool:
        """Whether arrivals are dropped for want of room only."""
        return self.name == catalog.DROP_TAIL

    @property
    def is_own(self) -> bool:
        """Whether the discipline is the user's own."""
        return user_code.is_source(self.name)

    def resolve(self, packets: Packets, *, are_exact: bool = True) -> dict[str, Value]:
        """Make the parameters of the plan; `packets` makes a number of a key's amount."""
        if self.is_plain and self.params:
            key = next(iter(self.params))
            raise at(key, f"this is not a key here; {hint(key, ('name',), DROP_TAIL_ALONE)}")
        if not self.is_own:
            return super().resolve(packets, are_exact=are_exact)
        return {key: _own_param(key, value, packets) for key, value in self.params.items()}

    def plan(self, packets: Packets) -> dict[str, Any]:
        """Make the discipline of the plan. Raises LawError. Runs nothing of the user's own."""
        made = super().plan(packets)
        if not self.is_own:
            return made
        name, sha256 = user_code.identify(self.name, user_code.DISCIPLINE)
        return {**made, "name": name, "own": sha256}


def _own_param(key: str, value: Value, packets: Packets) -> Value:
    unit = unit_of(key)
    if not unit or not isinstance(value, str):
        return value
    try:
        return read_quantity(unit, key, value, packets)
    except UnitError as error:
        raise at(key, str(error)) from None


class Feedback(Device):
    """Router feedback to the senders of its scheme: `"rcp"`, `{name = "rcp", alpha = 0.1}`."""

    device: ClassVar[str] = "feedback"


DROP_TAIL = Queue()


class RateChange(Model):
    """From then on the link has another rate; what is queued by then leaves at the one before."""

    at: Time = Field(gt=0, description="When, from the start of the run.")
    rate: Rate = Field(description="The new rate.")
