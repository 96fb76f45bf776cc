"""TOML read within limits: a file may be a stranger's, and its cost must be bounded."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from headgate.base.errors import ScenarioError
from headgate.base.regular_file import require_file

#: Bytes of a file. A scenario of the largest network has about a tenth.
LARGEST = 16 << 20
#: Tables and lists within each other. A scenario needs five.
DEEPEST = 40
#: Parts of a dotted key; the time to read one grows with the square of their number.
MOST_PARTS = 40
#: Integers of TOML have 64 bits.
LARGEST_INTEGER = 2**64
_WORD = r"""(?:(?<![\w-])[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?:{_WORD}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}")


def toml(path: Path) -> dict[str, Any]:
    """Read TOML in UTF-8, with or without a BOM. Raises ScenarioError with what is wrong."""
    try:
        return parse(_read_text(path))
    except FileNotFoundError:
        says = "there is no such file"
    except IsADirectoryError:
        says = "this is a folder; give a TOML file"
    except UnicodeDecodeError as error:
        line, byte = error.object[: error.start].count(b"\n") + 1, error.object[error.start]
        says = f"line {line} is not UTF-8 (byte 0x{byte:02x}); save the file as UTF-8"
    except OSError as error:
        says = f"cannot be read: {error.strerror}"
    except ValueError as error:
        says = f"this is not TOML: {error}"
    raise ScenarioError(str(path), says)


def parse(text: str) -> dict[str, Any]:
    """Read a text as TOML. Raises ValueError with what is wrong."""
    if long := _LONG_KEY.search(text):
        line = text.count("\n", 0, long.start()) + 1
        raise ValueError(f"line {line} has a key of more than {MOST_PARTS} parts")
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise ValueError(_too_deep()) from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of Python's integers, which have at most 4300 digits
        raise ValueError("it has a number of too many digits; integers have 64 bits") from None
    for place in _wrong_places(data):
        raise ValueError(place)
    return data


def _read_text(path: Path) -> str:
    require_file(path)
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ScenarioError(str(path), f"is larger than {LARGEST >> 20} MB; TOML may not be")
    return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def _too_deep() -> str:
    return f"it has more than {DEEPEST} tables or lists within each other"


def _wrong_places(value: Any, path: str = "", depth: int = 0) -> Iterator[str]:
    """Say where a value is nested too deep, or is too large an integer."""
    if depth > DEEPEST:
        yield _too_deep()
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _wrong_places(part, f"{path}.{key}" if path else key, depth + 1)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            if not isinstance(part, float | str):
                yield from _wrong_places(part, f"{path}[{number}]", depth + 1)
    elif isinstance(value, int) and abs(value) >= LARGEST_INTEGER:
        yield f"{path} is an integer of {value.bit_length()} bits; integers have 64 bits"
