"""Values that are read from files: unknown keys are refused, and what is wrong is one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from headgate.base.as_toml import as_toml
from headgate.base.errors import ScenarioError
from headgate.base.problems import make_error
from headgate.base.suggest import hint
from headgate.base.toml_file import toml


class Strict(BaseModel):
    """A value whose keys are all known, and which does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _knows_every_key(cls, given: Any) -> Any:
        check_keys(given, cls)
        return given


#: What people write for a key that looks otherwise.
_SYNONYMS = {
    "seeds": "replicates",
    "repetitions": "replicates",
    "bandwidth": "rate",
    "capacity": "rate",
    "latency": "delay",
}

Read = TypeVar("Read", bound=BaseModel)


def check_keys(given: Any, model: type[BaseModel]) -> None:
    """Raise the error of the first key that `model` lacks, or that has a boolean for a number.

    Pydantic takes `true` for 1.
    """
    for key, value in given.items() if isinstance(given, Mapping) else ():
        if key not in model.model_fields:
            raise _unknown_key(str(key), tuple(model.model_fields))
        if isinstance(value, bool) and key in _find_numbers(model):
            says = f"{as_toml(value)} is not allowed; it must be a number"
            raise PydanticCustomError("at", "{sentence}", {"key": key, "sentence": says})


def _unknown_key(key: str, names: tuple[str, ...]) -> PydanticCustomError:
    """Make the error of a key that is not known, with near names or all of them."""
    meant = _SYNONYMS.get(key)
    says = f"did you mean '{meant}'?" if meant in names else ""
    says = says or hint(key, names, f"the keys here are {', '.join(names)}")
    return PydanticCustomError(
        "unknown_key", "this is not a key here; {hint}", {"key": key, "hint": says}
    )


@cache
def _find_numbers(model: type[BaseModel]) -> frozenset[str]:
    """Return the fields that hold a number, which no validator of their own reads."""
    return frozenset(
        name
        for name, field in model.model_fields.items()
        if _is_number([*field.metadata, *_list_members(field.annotation)])
    )


def _list_members(annotation: Any) -> Iterator[Any]:
    """Yield the types and marks of which a union or an annotated type consists."""
    if get_origin(annotation) in (Annotated, Union, UnionType):
        for member in get_args(annotation):
            yield from _list_members(member)
    else:
        yield annotation


def _is_number(members: list[Any]) -> bool:
    own = any(isinstance(member, BeforeValidator) for member in members)
    return not own and bool not in members and (int in members or float in members)


def read_toml(model: type[Read], path: Path) -> Read:
    """Read a value from TOML. Raises ScenarioError with the file and the place in it."""
    return fit_model(model, toml(path), str(path))


def fit_model(model: type[Read], data: Mapping[str, Any], where: str) -> Read:
    """Make a value of nested dicts. Raises ScenarioError with the place of what is wrong."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        wrong = make_error(error, data)
        place = ": ".join(part for part in (where, wrong.place) if part)
        raise ScenarioError(place, wrong.sentence) from None
