"""From `./mylaw.py:MyLaw`, or the class itself, to the law or discipline that it means."""

from __future__ import annotations

import threading
from dataclasses import replace

from headgate.plugin import library, python_code, trust
from headgate.plugin.interface import Interface
from headgate.plugin.laws import LAW
from headgate.plugin.own_code import OwnCode
from headgate.plugin.paths import is_code
from headgate.plugin.python_class import file_of
from headgate.plugin.source import find

#: Runs in several threads may ask for the same code: it is found and compiled once.
one_at_a_time = threading.RLock()

#: Classes that were given as such, by the words that stand for them in a scenario.
_given: dict[str, type] = {}


def is_source(words: str) -> bool:
    """Say whether words name own code: a file, or a class that was given as such."""
    return words in _given or "/" in words or is_code(words)


def load(source: str, interface: Interface = LAW) -> OwnCode:
    """Find what `FILE` or `FILE:NAME` means and make it. Raises LawError.

    A Python file is run for that, so what may not run is refused (`headgate.plugin.trust`).
    """
    with one_at_a_time:
        return _load(source, interface)


def load_law(source: str) -> str:
    """Load a congestion control algorithm that the caller names, and return its name.

    Its code runs. Raises LawError if it cannot be one.
    """
    trust.name_by_hand(source)
    return load(source).name


def identify(source: str, interface: Interface) -> tuple[str, str]:
    """Return the name of own code and the hash of its source; run nothing. Raises LawError."""
    if source in _given:
        code = python_code.code_of(interface, _given[source])
        return code.name, code.sha256
    found = find(source, interface)
    return found.name, found.sha256


def allow(source: str, interface: Interface) -> None:
    """Remember for this user that own code may run, as it stands. Raises LawError if it is not."""
    if source not in _given:
        found = find(source, interface)
        trust.allow(found.file, found.sha256)


def is_trusted(source: str, interface: Interface) -> bool:
    """Say whether own code may run. Raises LawError if it is not there."""
    if source in _given:
        return True
    found = find(source, interface)
    return trust.is_trusted(found.file, found.sha256)


def _load(source: str, interface: Interface) -> OwnCode:
    if source in _given:
        return python_code.code_of(interface, _given[source])
    found = find(source, interface)
    trust.require(interface.noun, found.label, found.file, found.sha256)
    make = python_code.code_in if found.file.endswith(".py") else library.code_in
    return replace(make(found), source=f"{found.file}:{found.symbol}")


def register_class(cls: type) -> str:
    """Return the words that stand for a class in a scenario, in this process."""
    words = f"{file_of(cls)}:{cls.__qualname__}"
    _given[words] = cls
    trust.name_by_hand(words)
    return words
