"""From `./mylaw.py:MyLaw`, or the class itself, to a law that a run can take."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from headgate.errors import LawError
from headgate.own import trust
from headgate.own.paths import shown
from headgate.own.source import find

if TYPE_CHECKING:
    from headgate import _native
    from headgate.own.table import Struct

Params = Mapping[str, Any]

#: A `headgate_law_v1`, and what keeps its functions in memory.
Compiled = tuple["Struct", object]

#: Runs in several threads may ask for the same law: it is found and compiled once.
_one_at_a_time = threading.RLock()

#: Classes that were given as such, by the words that stand for them in a scenario.
_given: dict[str, type] = {}


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
        from headgate.own.table import capsule

        struct, keeps = table
        try:
            return _native.OwnLaw.compiled(self.label, capsule(struct), (struct, keeps))
        except ValueError as error:
            raise LawError(self.label, str(error)) from None


@dataclass(frozen=True)
class Ready:
    """A law with its parameters, as a run takes it."""

    law: OwnLaw
    params: Params
    native: _native.OwnLaw


def load(source: str) -> OwnLaw:
    """Find the law that `FILE` or `FILE:NAME` means and make it; raise LawError.

    A Python file is run for that, so a law that may not run is refused (`headgate.own.trust`).
    """
    with _one_at_a_time:
        return _load(source)


def identify(source: str) -> tuple[str, str]:
    """Give the name of a law and the hash of its source; raise LawError. Runs nothing of it."""
    from headgate.own import python_class

    if source in _given:
        law = python_class.law_of(_given[source])
        return law.name, law.sha256
    found = find(source)
    return found.name, found.sha256


def allow(source: str) -> None:
    """Remember for this user that a law may run, as it stands; raise LawError if there is none."""
    if source not in _given:
        found = find(source)
        trust.allow(found.file, found.sha256)


def is_trusted(source: str) -> bool:
    """Say whether a law may run; raise LawError if it is not there."""
    if source in _given:
        return True
    found = find(source)
    return trust.is_trusted(found.file, found.sha256)


def _load(source: str) -> OwnLaw:
    from headgate.own import library, python_class

    if source in _given:
        return python_class.law_of(_given[source])
    found = find(source)
    trust.require(found.label, found.file, found.sha256)
    make = python_class.law_in if found.file.endswith(".py") else library.law_in
    return replace(make(found), source=f"{found.file}:{found.symbol}")


def given(law: type) -> str:
    """Give the words that stand for a class in a scenario, in this process."""
    from headgate.own import python_class

    words = f"{python_class.file_of(law)}:{law.__qualname__}"
    _given[words] = law
    return words
