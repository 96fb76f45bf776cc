"""Devices of a port: queue discipline, router feedback, impairments; and changes of its rate."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from pydantic import Field, field_validator, model_validator

from headgate.base import catalog
from headgate.base.errors import UnitError
from headgate.base.messages import hint
from headgate.base.parameters import Packets, Value, check_holds_packet, read_quantity
from headgate.base.units import Amount
from headgate.plugin import user_code
from headgate.plugin.python_class import unit_of
from headgate.scenario.base import Model, Named, Rate, Time, at

DROP_TAIL_ALONE = "drop_tail has no parameters"


class Device(Named):
    """A name, or `{name = "codel", target = "5 ms"}`; also `mark = "0.17 BDP"`."""

    device: ClassVar[str]
    written: ClassVar[str] = "a name, or a table with name and parameters"
    #: Valid names without a card.
    other_names: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="after")
    def _is_in_the_catalogue(self) -> Device:
        if self.params or not self.is_plain:
            self.resolve(_rough, are_exact=not self.is_relative)
            object.__setattr__(self, "name", self._card_name)  # in the spelling of the card
        return self

    @property
    def card(self) -> catalog.DeviceCard:
        """The card of the catalogue. Raises CatalogError."""
        return catalog.device(self.device, self.name, self.other_names)

    @property
    def _card_name(self) -> str:
        return self.card.name

    @property
    def is_plain(self) -> bool:
        """Whether there is no device."""
        return False

    @cached_property
    def is_relative(self) -> bool:
        """Whether a parameter is a share of the bandwidth-delay product."""
        return any("BDP" in value for value in self.params.values() if isinstance(value, str))

    @cached_property
    def by_share(self) -> bool:
        """Whether a parameter depends on the number of flows at the port."""
        return any("sqrt" in value for value in self.params.values() if isinstance(value, str))

    def resolve(self, packets: Packets, *, are_exact: bool = True) -> dict[str, Value]:
        """Return the parameters of the plan; `packets` converts the amount of a key."""
        return self.read_params(self.card, packets, are_exact=are_exact)

    def check_packet(self, params: Mapping[str, Value], packet_bytes: int) -> None:
        """Raise ParameterError if a size that must hold a packet is smaller."""
        if not user_code.is_source(self.name):
            check_holds_packet(self.card, params, packet_bytes)

    def plan(self, packets: Packets) -> dict[str, Any]:
        """Return the device of the plan without running user-defined code. Raises CcaError."""
        return {"name": self.name, "params": self.resolve(packets)}


def _rough(_key: str, amount: Amount) -> float:
    """Convert an amount to packets before the network is known."""
    return float(amount.value) if amount.unit == "packets" else 1.0


class Queue(Device):
    """A queue discipline: `"drop_tail"`, `{name = "threshold", mark = "65 packets"}` and so on.

    One of the user's own is named by its file, `"./mine.py:Mine"`, or in Python by its class; its
    parameters are arguments of the class, in the units that their names end with.
    """

    device: ClassVar[str] = "queue"
    other_names: ClassVar[tuple[str, ...]] = (catalog.DROP_TAIL,)

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
        """Whether packets are dropped only when the buffer is full."""
        return self.name == catalog.DROP_TAIL

    @property
    def is_own(self) -> bool:
        """Whether the discipline is user-defined."""
        return user_code.is_source(self.name)

    def resolve(self, packets: Packets, *, are_exact: bool = True) -> dict[str, Value]:
        """Return the parameters of the plan; `packets` converts the amount of a key."""
        if self.is_plain and self.params:
            key = next(iter(self.params))
            raise at(key, f"this is not a key here; {hint(key, ('name',), DROP_TAIL_ALONE)}")
        if not self.is_own:
            return super().resolve(packets, are_exact=are_exact)
        return {key: _own_param(key, value, packets) for key, value in self.params.items()}

    def plan(self, packets: Packets) -> dict[str, Any]:
        """Return the discipline of the plan without running user-defined code. Raises CcaError."""
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


class Impairment(Device):
    """`"jitter"`, `{name = "gilbert_elliott", to_bad = 0.001}`, `{name = "policer", ...}`."""

    device: ClassVar[str] = "impairment"
