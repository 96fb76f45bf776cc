"""From `./mylaw.py:MyLaw`, or the class itself, to a law that a run can take."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.errors import LawError

if TYPE_CHECKING:
    from headgate import _native

Params = Mapping[str, Any]

#: The address of a `headgate_law_v1`, and what keeps it in memory.
Compiled = tuple[int, object]

#: Runs in several threads may ask for the same law: it is found and compiled once.
_one_at_a_time = threading.RLock()

#: Classes that were given as such, by the words that stand for them in a scenario.
_given: dict[str, type] = {}


_NAME = re.compile(r"(?P<file>.+?)(?::(?P<name>[A-Za-z_][\w.<>]*))?$", re.DOTALL)


@dataclass(frozen=True)
class OwnLaw:
    """A law that was found: what it is called, the hash of its source, and what it is made of."""

    name: str
    file: str
    sha256: str
    cls: type | None = None
    """The class, if it is one."""
    compiled: Callable[[Params], Compiled] | None = None
    """Give its table of functions, if it has one; raises LawError."""
    source: str | None = None
    """What another process finds it by; None for a class that was given as such."""

    @property
    def label(self) -> str:
        """How sentences call it."""
        return f"{shown(self.file)}:{self.name}"

    def ready(self, params: Params) -> Ready:
        """Make it ready for runs with these parameters; raise LawError."""
        from headgate.own import proof, python_class

        if self.compiled is None:
            assert self.cls is not None
            return Ready(self, params, python_class.plain(self.cls, self.label, params))
        with _one_at_a_time:
            table = self.compiled(params)
            proof.prove(self, params)
        return Ready(self, params, self.taken(table))

    def taken(self, table: Compiled) -> _native.OwnLaw:
        """Have the engine take a table; raise LawError if it is not one."""
        from headgate import _native

        try:
            return _native.OwnLaw.compiled(self.label, *table)
        except ValueError as error:
            raise LawError(self.label, str(error)) from None


@dataclass(frozen=True)
class Ready:
    """A law with its parameters, as a run takes it."""

    law: OwnLaw
    params: Params
    native: _native.OwnLaw


def load(source: str) -> OwnLaw:
    """Find the law that `FILE` or `FILE:NAME` means; raise LawError."""
    with _one_at_a_time:
        return _load(source)


def _load(source: str) -> OwnLaw:
    from headgate.own import library, python_class

    if source in _given:
        return python_class.law_of(_given[source])
    file, name = split(source)
    kind = Path(file).suffix
    if kind not in (".py", *library.KINDS):
        kinds = ", ".join([".py", *library.KINDS])
        raise LawError(source, f"an own law is a file that ends in one of {kinds}")
    file = str(Path(file).resolve())
    text = read(file)
    if kind == ".py":
        law = python_class.law_in(file, text, name)
    else:
        law = library.law_in(file, text, name or library.SYMBOL)
    return replace(law, source=f"{file}:{name}" if name else file)


def given(law: type) -> str:
    """Give the words that stand for a class in a scenario, in this process."""
    from headgate.own import python_class

    words = f"{python_class.file_of(law)}:{law.__qualname__}"
    _given[words] = law
    return words


def split(source: str) -> tuple[str, str | None]:
    """Part the file from the name behind its last colon."""
    found = _NAME.match(source)
    assert found is not None
    return found["file"], found["name"]


def read(file: str) -> bytes:
    """Read a law's file; raise LawError."""
    try:
        return Path(file).read_bytes()
    except FileNotFoundError:
        raise LawError(shown(file), "there is no such file") from None
    except OSError as error:
        raise LawError(shown(file), f"cannot be read: {error.strerror}") from None


def sha256(*parts: bytes) -> str:
    """Hash what a law is made of."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def shown(file: str) -> str:
    """Write a path as short as it is clear: from the working folder, if it is below."""
    path = Path(file)
    try:
        return str(path.relative_to(Path.cwd())) if path.is_absolute() else str(path)
    except (ValueError, FileNotFoundError):
        return file
