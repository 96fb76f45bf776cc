"""Values that are read from files: unknown keys are refused, and what is wrong is one sentence."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from headgate.errors import HeadgateError, ScenarioError
from headgate.suggest import hint


class Strict(BaseModel):
    """A value whose keys are all known, and which does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _knows_every_key(cls, given: Any) -> Any:
        refuse_unknown_keys(given, cls.model_fields)
        return given


Read = TypeVar("Read", bound=BaseModel)


def refuse_unknown_keys(given: Any, known: Iterable[str]) -> None:
    """Raise the error of the first key of a table that is not known: near names, or all of them."""
    names = tuple(known)
    for key in given if isinstance(given, Mapping) else ():
        if key not in names:
            says = hint(str(key), names, f"the keys here are {', '.join(names)}")
            raise PydanticCustomError(
                "unknown_key", "this is not a key here; {hint}", {"key": str(key), "hint": says}
            )


def read_toml(model: type[Read], path: Path) -> Read:
    """Read a value from TOML. Raises HeadgateError with the file and the place in it."""
    return fit_model(model, toml(path), str(path))


def toml(path: Path) -> dict[str, Any]:
    """Read TOML in UTF-8, with or without a BOM. Raises ScenarioError with what is wrong."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ScenarioError(str(path), "there is no such file") from None
    except IsADirectoryError:
        raise ScenarioError(str(path), "this is a folder; give a TOML file") from None
    except UnicodeDecodeError as error:
        line, byte = error.object[: error.start].count(b"\n") + 1, error.object[error.start]
        says = f"line {line} is not UTF-8 (byte 0x{byte:02x}); save the file as UTF-8"
        raise ScenarioError(str(path), says) from None
    except OSError as error:
        raise ScenarioError(str(path), f"cannot be read: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(str(path), f"this is not TOML: {error}") from None


def fit_model(model: type[Read], data: dict[str, Any], where: str) -> Read:
    """Make a value of nested dicts. Raises HeadgateError with the place of what is wrong."""
    try:
        return model(**data)
    except ValidationError as error:
        first = error.errors()[0]
        key = first.get("ctx", {}).get("key")
        steps = [*first["loc"], *([key] if first["type"] == "unknown_key" else [])]
        place = ".".join(str(part) for part in steps)
        raise HeadgateError(f"{where}: {place}: {first['msg']}") from None
