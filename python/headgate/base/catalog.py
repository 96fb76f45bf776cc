"""The catalogue of the engine: algorithms, disciplines, schemes, fluid models, columns.

Python names none of them: a new algorithm is one Rust file and one line, a new counter one line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from headgate.base.errors import CatalogError, EngineMissingError
from headgate.base.messages import also, as_toml, hint, same_name, suggest

__all__ = [
    "Cca",
    "DeviceCard",
    "Param",
    "cards",
    "cca",
    "ccas",
    "columns",
    "device",
    "devices",
    "label",
    "label_as_nist",
    "list_everything",
    "model",
    "models",
]

#: Stands in `at_least` for the size of the largest packet of the traffic.
PACKET = "packet"
#: A port's queue without a discipline.
DROP_TAIL = "drop_tail"
#: Words for it elsewhere, for suggestions.
_FOR_DROP_TAIL = ("fifo", "pfifo", "bfifo", "pfifo_fast", "tail_drop")
#: The kind of cards of rate controllers.
_OF_STREAMS = "media"
#: The remedy for a rate controller in place of an algorithm.
OF_MEDIA = (
    "a rate controller of media, not a congestion control algorithm; write it as rate_controller"
    ' of [[traffic]] with kind = "media"'
)


class UsedWith(BaseModel):
    """A parameter on which another one depends, and its words with which the other is used.

    Without words it is a number, which must not be 0.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    words: tuple[str, ...] = ()

    def is_met(self, value: object) -> bool:
        """Return whether the other parameter is used if this one has that value."""
        return value in self.words if self.words else value != 0

    def __str__(self) -> str:
        """Return the condition in words: `with variant linux`."""
        return f"with {self.name} {' or '.join(self.words) or 'above 0'}"


class Param(BaseModel):
    """One parameter of an algorithm: a number within bounds, or a word of `choices`."""

    model_config = ConfigDict(frozen=True)

    name: str
    default: float | str
    low: float
    high: float
    unit: str
    source: str
    about: str
    choices: tuple[str, ...] = ()
    at_least: tuple[str, ...] = ()  # parameters that this one may not be below, or PACKET
    used_with: UsedWith | None = None
    #: When a discipline marks packets above this queue or wait: if `ecn` is not off, or always
    #: unless this is 0. None for other parameters.
    marks: Literal["if_on", "always"] | None = None

    @property
    def is_required(self) -> bool:
        """Whether users must give a value: the default is outside of the range."""
        return not isinstance(self.default, str) and not self.low <= self.default <= self.high

    def is_automatic(self, value: float | str) -> bool:
        """Return whether the engine derives this value from others."""
        return value == 0 and self.default == 0

    def check(self, value: float | str) -> None:
        """Raise CatalogError unless `value` is allowed."""
        if self.choices:
            if value not in self.choices:
                words = ", ".join(f"'{word}'" for word in self.choices)
                near = also(str(value), self.choices)
                says = f"one of {words}; got {as_toml(value)}{near}"
                raise CatalogError(f"'{self.name}' must be {says}")
        elif isinstance(value, str) or not self.low <= value <= self.high:
            says = f"a number from {self.bounds}; got {as_toml(value)}"
            raise CatalogError(f"'{self.name}' must be {says}")

    @property
    def bounds(self) -> str:
        """Least and largest number with their unit, unless that is "1": `0 to 1000 s`."""
        unit = "" if self.unit == "1" else self.unit
        return f"{self.low:g} to {self.high:g} {unit}".rstrip()

    @property
    def least(self) -> str:
        """The lower limit by other parameters, `not below min_packets`; empty if there is none."""
        names = ["a packet" if name == PACKET else name for name in self.at_least]
        return f"not below {' or '.join(names)}" if names else ""

    @property
    def limits(self) -> str:
        """The limits by other parameters: `not below min_packets, only with mode bytes`."""
        only = f"only {self.used_with}" if self.used_with else ""
        return ", ".join(filter(None, (self.least, only)))


class Nist(BaseModel):
    """The name of an algorithm in the NIST study of TCP replacements; FAST-AT is not numbered."""

    model_config = ConfigDict(frozen=True)

    acronym: str
    number: int | None

    def __str__(self) -> str:
        """Return the number, if any, and the acronym."""
        return self.acronym if self.number is None else f"{self.number} {self.acronym}"


class Cca(BaseModel):
    """The card of a congestion control algorithm."""

    model_config = ConfigDict(frozen=True)

    name: str
    title: str
    aliases: tuple[str, ...]
    family: str
    rule: str
    response: str
    references: tuple[str, ...]
    nist: Nist | None
    params: tuple[Param, ...]
    kind: str = "cca"
    scheme: str | None = None
    """The scheme whose router feedback it uses; without feedback it behaves as Reno."""
    needs_marks: bool = False
    """Whether its response to ECN marks defines it; without marks it behaves as Reno."""
    ignores_marks: bool | dict[str, tuple[str, ...]] = False
    """Whether it does not slow down for ECN marks, or the words of parameters with which not."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every accepted name, the main one first."""
        nist = self.nist and (self.nist.acronym, str(self.nist.number or ""))
        return tuple(word for word in (self.name, *self.aliases, *(nist or ())) if word)

    def ignores(self, params: Mapping[str, object]) -> bool:
        """Return whether the algorithm with these parameters does not slow down for ECN marks."""
        if isinstance(self.ignores_marks, bool):
            return self.ignores_marks
        return any(params.get(name) in words for name, words in self.ignores_marks.items())

    def uses(self, param: Param, params: Mapping[str, object]) -> bool:
        """Return whether a parameter has an effect beside these values of the others."""
        if param.used_with is None:
            return True
        other = self.param(param.used_with.name)
        return param.used_with.is_met(params.get(other.name, other.default))

    def param(self, name: str) -> Param:
        """Return the parameter of that name, or raise CatalogError."""
        names = [param.name for param in self.params]
        if name in names:
            return self.params[names.index(name)]
        known = f"its parameters: {', '.join(names) or 'none'}"
        raise CatalogError(f"'{self.name}' has no parameter '{name}'; {known}{also(name, names)}")


Card = TypeVar("Card", bound=Cca)


class DeviceCard(Cca):
    """The card of a queue discipline, router feedback, an impairment, or a fluid model."""


def _native() -> ModuleType:
    try:
        from headgate import _native
    except ImportError as error:
        raise EngineMissingError(
            f"the engine is not built ({error}); run `make setup` in the clone"
        ) from None
    return _native


class ColumnCard(BaseModel):
    """A column that the engine fills; the unit of counts and ratios is "1"."""

    model_config = ConfigDict(frozen=True)

    name: str
    unit: str
    definition: str


@cache
def columns() -> dict[str, tuple[ColumnCard, ...]]:
    """Return the columns that the engine fills, by table."""
    tables = json.loads(_native().columns())
    return {
        table: tuple(ColumnCard.model_validate(column) for column in columns)
        for table, columns in tables.items()
    }


_DEVICES = {
    "queue": "a queue discipline",
    "feedback": "a router's scheme",
    "impairment": "an impairment of links",
    "slow-start": "a slow start",
    "media": "a rate controller",
}


@cache
def devices() -> tuple[DeviceCard, ...]:
    """Return the cards of everything but algorithms: disciplines, impairments and so on."""
    return tuple(DeviceCard.model_validate(card) for card in json.loads(_native().devices()))


def device(kind: str, name: str, others: Sequence[str] = ()) -> DeviceCard:
    """Return the device, or raise CatalogError; `others` are valid names without a card."""
    by_name = {key: card for card in devices() if card.kind == kind for key in card.names}
    return _find(name, by_name, _DEVICES[kind], others)


@cache
def models() -> tuple[DeviceCard, ...]:
    """Return the cards of fluid models."""
    return tuple(DeviceCard.model_validate(card) for card in json.loads(_native().models()))


def model(name: str) -> DeviceCard:
    """Return the fluid model, or raise CatalogError."""
    by_name = {key: card for card in models() for key in card.names}
    return _find(name, by_name, "a fluid model")


@cache
def ccas() -> tuple[Cca, ...]:
    """Return the cards of congestion control algorithms."""
    return tuple(Cca.model_validate(cca) for cca in json.loads(_native().catalog()))


@cache
def _ccas_by_name() -> dict[str, Cca]:
    return {key: cca for cca in ccas() for key in cca.names}


def cca(name: str) -> Cca:
    """Return the algorithm of that name or alias, or raise CatalogError."""
    by_name = _ccas_by_name()
    if name not in by_name and is_rate_controller(name):
        raise CatalogError(f"'{name}' is {OF_MEDIA}")
    return _find(name, by_name, "a congestion control algorithm")


def is_cca(name: str) -> bool:
    """Return whether a word names an algorithm. Composes no message, unlike a refused `cca`."""
    by_name = _ccas_by_name()
    return name in by_name or same_name(name, by_name) is not None


def is_rate_controller(name: str) -> bool:
    """Return whether a word names a rate controller of media, and no algorithm."""
    names = [word for card in devices() if card.kind == _OF_STREAMS for word in card.names]
    return same_name(name, names) is not None and not is_cca(name)


def label(name: str) -> str:
    """Return the label of an algorithm in figures: its name, that of the class of a file."""
    return name.rpartition(":")[2]


def label_as_nist(name: str) -> str:
    """Return the label of an algorithm beside NIST's figures: with its name there if any."""
    name = label(name)
    nist = next((cca.nist for cca in ccas() if cca.name == name), None)
    return f"{name} ({nist})" if nist else name


def list_everything() -> list[Cca]:
    """Return every card: algorithms, devices of ports and links, fluid models."""
    return [*ccas(), *devices(), *models()]


def cards(word: str) -> list[Cca]:
    """Return all cards of a name (two for a scheme), or raise CatalogError."""
    everything = list_everything()
    names = dict.fromkeys(name for card in everything for name in card.names)
    meant = word if word in names else same_name(word, names)
    found = [card for card in everything if meant in card.names]
    if found:
        return found
    aliases = {name: card.name for card in everything for name in card.names}
    if suggest(word, [DROP_TAIL, *aliases])[:1] == [DROP_TAIL]:
        raise CatalogError(
            f"{DROP_TAIL} is a queue without a discipline, which drops packets when it is full;"
            " it has no parameters and no card"
        )
    says = hint(word, aliases, "`headgate catalog` lists what there is", aliases)
    raise CatalogError(f"'{word}' is not in the catalogue; {says}")


def is_drop_tail(name: str) -> bool:
    """Return whether a word means a queue without a discipline, in any spelling."""
    return same_name(name, [DROP_TAIL]) is not None


def _find(name: str, by_name: Mapping[str, Card], kind: str, others: Sequence[str] = ()) -> Card:
    """Return the card of that name, or of the name with the same letters."""
    meant = name if name in by_name else same_name(name, by_name)
    if meant is not None:
        return by_name[meant]
    aliases = {name: name for name in others}
    if DROP_TAIL in others:
        aliases |= dict.fromkeys(_FOR_DROP_TAIL, DROP_TAIL)
    aliases |= {key: card.name for key, card in by_name.items()}
    known = f"known: {', '.join(dict.fromkeys(aliases.values()))}"
    raise CatalogError(f"'{name}' is not {kind}; {hint(name, aliases, known, aliases)}")
