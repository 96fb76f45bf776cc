"""Files of own code: how they are named, read, hashed and shown."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from headgate.base.errors import LawError
from headgate.base.regular_file import read_file

#: Kinds of file: a Python class, what is compiled to a shared library first, and such a library.
KINDS = (".py", ".c", ".rs", ".so")
_NAME = re.compile(r"(?P<file>.*?)(?::(?P<name>[A-Za-z_][\w.<>]*))?$", re.DOTALL)


def split(source: str) -> tuple[str, str | None]:
    """Part the file from the name behind its last colon."""
    found = _NAME.match(source)
    assert found is not None
    return found["file"], found["name"]


def is_code(source: str) -> bool:
    """Return whether a text names a file of code, alone or with a name in it."""
    return Path(split(source)[0]).suffix in KINDS


def read(file: str) -> bytes:
    """Read a file of own code. Raises LawError."""
    try:
        return read_file(Path(file))
    except FileNotFoundError:
        raise LawError(shorten_path(file), "there is no such file") from None
    except OSError as error:
        raise LawError(shorten_path(file), f"cannot be read: {error.strerror}") from None
    except ValueError:  # a character that no path has
        raise LawError(shorten_path(file), "there is no such file") from None


def sha256(*parts: bytes) -> str:
    """Hash what own code is made of."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def shorten_path(file: str) -> str:
    """Write a path as short as it is clear: from the working folder, if it is below."""
    path = Path(file)
    try:
        return str(path.relative_to(Path.cwd())) if path.is_absolute() else str(path)
    except (ValueError, FileNotFoundError):
        return file
