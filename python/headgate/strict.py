"""Values that are read from files: unknown keys are refused, and what is wrong is one sentence."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from headgate.errors import HeadgateError


class Strict(BaseModel):
    """A value whose keys are all known, and which does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Read = TypeVar("Read", bound=BaseModel)


def read_toml(model: type[Read], path: Path) -> Read:
    """Read a value from TOML; raise HeadgateError with the file and the place in it."""
    return fit_model(model, toml(path), str(path))


def toml(path: Path) -> dict[str, Any]:
    """Read TOML; raise HeadgateError with the file and what is wrong."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise HeadgateError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise HeadgateError(f"{path}: cannot be read ({error})") from None
    except tomllib.TOMLDecodeError as error:
        raise HeadgateError(f"{path}: this is not TOML ({error})") from None


def fit_model(model: type[Read], data: dict[str, Any], where: str) -> Read:
    """Make a value of nested dicts; raise HeadgateError with the place of what is wrong."""
    try:
        return model(**data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise HeadgateError(f"{where}: {place}: {first['msg']}") from None
