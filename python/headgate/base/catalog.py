"""What exists: laws, disciplines, schemes, fluid models, columns, as the engine has them.

No law is named in Python: a new one is one Rust file and one line, and shows up here. So does a
counter, which is one line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from headgate.base.as_toml import as_toml
from headgate.base.errors import CatalogError, EngineMissingError
from headgate.base.suggest import also, hint, same_name, suggest

__all__ = [
    "DeviceCard",
    "Law",
    "Param",
    "cards",
    "columns",
    "device",
    "devices",
    "label",
    "law",
    "laws",
    "list_everything",
    "model",
    "models",
]

#: The name by which a parameter is compared with the bytes of a packet.
PACKET = "packet"
#: A port's queue without a discipline.
DROP_TAIL = "drop_tail"


class Param(BaseModel):
    """One parameter of a law: a number within bounds, or a word of `choices`."""

    model_config = ConfigDict(frozen=True)

    name: str
    default: float | str
    low: float
    high: float
    unit: str
    source: str
    about: str
    choices: tuple[str, ...] = ()
    at_least: tuple[str, ...] = ()
    """Parameters that this one may not be below; `PACKET` is the largest packet of the traffic."""

    def is_automatic(self, value: float | str) -> bool:
        """Say whether a value means that the engine derives it from others."""
        return value == 0 and self.default == 0

    def check(self, value: float | str) -> None:
        """Raise CatalogError unless `value` is allowed."""
        if self.choices:
            if value not in self.choices:
                words = ", ".join(f"'{word}'" for word in self.choices)
                near = also(str(value), self.choices)
                raise CatalogError(
                    f"'{self.name}' must be one of {words}; got {as_toml(value)}{near}"
                )
        elif isinstance(value, str) or not self.low <= value <= self.high:
            raise CatalogError(
                f"'{self.name}' must be a number from {self.bounds}; got {as_toml(value)}"
            )

    @property
    def bounds(self) -> str:
        """Least and largest number, and their unit unless that is "1": `0 to 1000 s`."""
        unit = "" if self.unit == "1" else self.unit
        return f"{self.low:g} to {self.high:g} {unit}".rstrip()

    @property
    def least(self) -> str:
        """What the parameter may not be below, `not below min_packets`; empty if nothing."""
        names = ["a packet" if name == PACKET else name for name in self.at_least]
        return f"not below {' or '.join(names)}" if names else ""


class Nist(BaseModel):
    """What the NIST study of replacements for TCP calls a law; FAST-AT has no number there."""

    model_config = ConfigDict(frozen=True)

    acronym: str
    number: int | None

    def __str__(self) -> str:
        """Return the acronym, with the number before it."""
        return self.acronym if self.number is None else f"{self.number} {self.acronym}"


class Law(BaseModel):
    """A law of congestion control, as it introduces itself."""

    model_config = ConfigDict(frozen=True)

    name: str
    title: str
    aliases: tuple[str, ...]
    family: str
    law: str
    response: str
    references: tuple[str, ...]
    nist: Nist | None
    params: tuple[Param, ...]
    kind: str = "law"
    scheme: str | None = None
    """The scheme whose routers it asks; elsewhere it does as Reno does."""
    needs_marks: bool = False
    """Whether it answers to marks in a way of its own; without any it does as Reno does."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every word that means this law, its own name first."""
        nist = self.nist and (self.nist.acronym, str(self.nist.number or ""))
        return tuple(word for word in (self.name, *self.aliases, *(nist or ())) if word)

    def param(self, name: str) -> Param:
        """Return the parameter of that name, or raise CatalogError."""
        for param in self.params:
            if param.name == name:
                return param
        names = [param.name for param in self.params]
        known = f"its parameters: {', '.join(names) or 'none'}"
        raise CatalogError(f"'{self.name}' has no parameter '{name}'; {known}{also(name, names)}")


Card = TypeVar("Card", bound=Law)


class DeviceCard(Law):
    """A `queue` discipline, a router's part of a scheme, an `impairment`, or a `fluid` model."""


def _native() -> ModuleType:
    try:
        from headgate import _native
    except ImportError as error:
        raise EngineMissingError(
            f"the engine is not built ({error}); run `make setup` in the clone"
        ) from None
    return _native


class Counted(BaseModel):
    """A column that the engine fills: "1" is the unit of counts and ratios."""

    model_config = ConfigDict(frozen=True)

    name: str
    unit: str
    definition: str


@cache
def columns() -> dict[str, tuple[Counted, ...]]:
    """Return the columns that the engine fills, table by table, in its order."""
    said = json.loads(_native().columns())
    return {
        table: tuple(Counted.model_validate(column) for column in columns)
        for table, columns in said.items()
    }


_DEVICES = {
    "queue": "a queue discipline",
    "feedback": "a router's scheme",
    "impairment": "an impairment of links",
}


@cache
def devices() -> tuple[DeviceCard, ...]:
    """Return every discipline, router and impairment, in the order of the registries."""
    return tuple(DeviceCard.model_validate(card) for card in json.loads(_native().devices()))


def device(kind: str, name: str, besides: Sequence[str] = ()) -> DeviceCard:
    """Return the device of that name and kind, or raise CatalogError naming near ones.

    `besides` are names that have no card, and may have been meant.
    """
    by_name = {key: card for card in devices() if card.kind == kind for key in card.names}
    if (found := _find(name, by_name)) is not None:
        return found
    what = _DEVICES[kind]
    raise _unknown_error(f"'{name}' is not {what}", name, by_name, besides)


@cache
def models() -> tuple[DeviceCard, ...]:
    """Return every fluid model, in the order of the registry."""
    return tuple(DeviceCard.model_validate(card) for card in json.loads(_native().models()))


def model(name: str) -> DeviceCard:
    """Return the fluid model of that name, or raise CatalogError naming those that are near."""
    by_name = {key: card for card in models() for key in card.names}
    if (found := _find(name, by_name)) is not None:
        return found
    raise _unknown_error(f"'{name}' is not a fluid model", name, by_name)


@cache
def laws() -> tuple[Law, ...]:
    """Return every law, in the order of the registry."""
    return tuple(Law.model_validate(law) for law in json.loads(_native().catalog()))


@cache
def _laws_by_name() -> dict[str, Law]:
    return {key: law for law in laws() for key in law.names}


def law(name: str) -> Law:
    """Return the law that the word means, or raise CatalogError naming those that are near."""
    by_name = _laws_by_name()
    if (found := _find(name, by_name)) is not None:
        return found
    raise _unknown_error(f"'{name}' is not a law", name, by_name)


def label(name: str) -> str:
    """Return the label of a law in pictures: its name, with that of the NIST study if any."""
    name = name.rpartition(":")[2]
    nist = next((law.nist for law in laws() if law.name == name), None)
    return f"{name} ({nist})" if nist else name


def list_everything() -> list[Law]:
    """Return every card: laws, devices of ports and links, fluid models."""
    return [*laws(), *devices(), *models()]


def cards(word: str) -> list[Law]:
    """Return all that the word means (a scheme is a law and a router), or raise CatalogError."""
    everything = list_everything()
    names = dict.fromkeys(name for card in everything for name in card.names)
    meant = word if word in names else same_name(word, names)
    found = [card for card in everything if meant in card.names]
    if found:
        return found
    aliases = {name: card.name for card in everything for name in card.names}
    if suggest(word, [DROP_TAIL, *aliases])[:1] == [DROP_TAIL]:
        raise CatalogError(
            f"{DROP_TAIL} is a port's queue without a discipline, which drops what finds no room:"
            " it has no parameters, and no card"
        )
    says = hint(word, aliases, "`headgate catalog` lists what there is", aliases)
    raise CatalogError(f"'{word}' is not in the catalogue; {says}")


def is_drop_tail(name: str) -> bool:
    """Say whether a word means a queue without a discipline, however it is spelt."""
    return same_name(name, [DROP_TAIL]) is not None


def _find(name: str, by_name: Mapping[str, Card]) -> Card | None:
    """Return the card of that name, or the one whose name has the same letters."""
    if name in by_name:
        return by_name[name]
    meant = same_name(name, by_name)
    return None if meant is None else by_name[meant]


def _unknown_error(
    sentence: str, name: str, cards: Mapping[str, Law], besides: Sequence[str] = ()
) -> CatalogError:
    """Make the error of a name that no card has: those that are near, or all."""
    aliases = {name: name for name in besides} | {key: card.name for key, card in cards.items()}
    known = f"known: {', '.join(dict.fromkeys(aliases.values()))}"
    return CatalogError(f"{sentence}; {hint(name, aliases, known, aliases)}")
