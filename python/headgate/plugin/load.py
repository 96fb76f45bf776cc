"""From `./mylaw.py:MyLaw`, or the class itself, to the law that it means."""

from __future__ import annotations

import threading
from dataclasses import replace

from headgate.plugin import library, python_law, trust
from headgate.plugin.own_law import OwnLaw
from headgate.plugin.python_class import file_of
from headgate.plugin.source import find

#: Runs in several threads may ask for the same law: it is found and compiled once.
one_at_a_time = threading.RLock()

#: Classes that were given as such, by the words that stand for them in a scenario.
_given: dict[str, type] = {}


def load(source: str) -> OwnLaw:
    """Find the law that `FILE` or `FILE:NAME` means and make it; raise LawError.

    A Python file is run for that, so a law that may not run is refused (`headgate.plugin.trust`).
    """
    with one_at_a_time:
        return _load(source)


def identify(source: str) -> tuple[str, str]:
    """Give the name of a law and the hash of its source; raise LawError. Runs nothing of it."""
    if source in _given:
        law = python_law.law_of(_given[source])
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
    if source in _given:
        return python_law.law_of(_given[source])
    found = find(source)
    trust.require(found.label, found.file, found.sha256)
    make = python_law.law_in if found.file.endswith(".py") else library.law_in
    return replace(make(found), source=f"{found.file}:{found.symbol}")


def register_class(law: type) -> str:
    """Give the words that stand for a class in a scenario, in this process."""
    words = f"{file_of(law)}:{law.__qualname__}"
    _given[words] = law
    return words
