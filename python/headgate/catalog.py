"""What exists: the laws and their parameters, read from the engine's registry.

No law is named in Python: a new one is one Rust file and one line, and shows up here.
"""

from __future__ import annotations

import difflib
import json
from functools import cache

from pydantic import BaseModel, ConfigDict

from headgate.errors import CatalogError, EngineMissingError


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

    def check(self, value: float | str) -> None:
        """Raise CatalogError unless `value` is allowed."""
        if self.choices:
            if value not in self.choices:
                words = ", ".join(f"'{word}'" for word in self.choices)
                raise CatalogError(f"'{self.name}' is one of {words}; got {value!r}")
        elif isinstance(value, str) or not self.low <= value <= self.high:
            bounds = f"{self.low:g} to {self.high:g} {self.unit}".strip()
            raise CatalogError(f"'{self.name}' is a number from {bounds}; got {value!r}")


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
    params: tuple[Param, ...]

    def param(self, name: str) -> Param:
        """Give the parameter of that name, or raise CatalogError."""
        for param in self.params:
            if param.name == name:
                return param
        known = ", ".join(param.name for param in self.params) or "none"
        raise CatalogError(f"'{self.name}' has no parameter '{name}'; its parameters: {known}")


@cache
def laws() -> tuple[Law, ...]:
    """Give every law, in the order of the registry."""
    try:
        from headgate import _native
    except ImportError as error:
        raise EngineMissingError(
            f"the engine is not built ({error}); run `make setup` in the clone"
        ) from None
    return tuple(Law.model_validate(law) for law in json.loads(_native.catalog()))


def law(name: str) -> Law:
    """Give the law of that name or alias, or raise CatalogError naming the nearest."""
    by_name = {key: law for law in laws() for key in (law.name, *law.aliases)}
    if name in by_name:
        return by_name[name]
    near = difflib.get_close_matches(name, by_name, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(x.name for x in laws())}"
    raise CatalogError(f"'{name}' is not a law; {hint}")
