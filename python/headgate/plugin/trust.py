"""Whose code may run: code that the user named, and code that the user has allowed.

Code that the user names, on the command line or in a program of the user's, runs.
All other code may be a stranger's, whichever file names it and in whatever place: it runs once its
SHA-256 is in the user's list, which has one line per file, as `sha256sum` writes and checks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from headgate.base.errors import UntrustedLawError
from headgate.plugin.paths import is_code, split

#: Files of code that the user named; and pairs of a file of code and the file that names it.
Named = tuple[frozenset[str], tuple[tuple[str, str], ...]]

#: Of this process: files of code that the user named.
_by_hand: set[str] = set()
#: Of this process: the files that name code, by the file of code. Only messages read it.
_by_file: dict[str, str] = {}


def name_by_hand(given: object) -> None:
    """Note every file of code that the user wrote, as a text or within lists and tables."""
    if isinstance(given, Mapping):
        given = [*given.values()]
    if isinstance(given, list | tuple):
        for part in given:
            name_by_hand(part)
    elif isinstance(given, str) and is_code(given):
        _by_hand.add(_resolve(split(given)[0]))


def name_in_file(source: str, where: str) -> None:
    """Note for messages that the file `where` names code. It gives no permission."""
    _by_file.setdefault(_resolve(split(source)[0]), where)


def export_notes() -> Named:
    """Return the notes of this process, for another that works for it."""
    return frozenset(_by_hand), tuple(sorted(_by_file.items()))


def take(notes: Named) -> None:
    """Take over the notes of the process that this one works for."""
    by_hand, by_file = notes
    _by_hand.update(by_hand)
    _by_file.update(by_file)


def is_trusted(file: str, sha256: str) -> bool:
    """Return whether the code in a file may run."""
    return _resolve(file) in _by_hand or sha256 in _read_allowed()


def require(noun: str, label: str, file: str, sha256: str) -> None:
    """Raise UntrustedLawError if the law, discipline or function in a file may not run."""
    if not is_trusted(file, sha256):
        where = _by_file.get(_resolve(file), "a file")
        says = (
            f"{where} names this {noun}, which is code (SHA-256 {sha256}); read it, then allow it"
        )
        raise UntrustedLawError(label, f"{says} with --trust")


def allow(file: str, sha256: str) -> None:
    """Remember for this user that own code may run."""
    if sha256 in _read_allowed():
        return
    path = list_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as list_:
        list_.write(f"{sha256}  {_resolve(file)}\n".replace("\r", "?"))


def list_file() -> Path:
    """Return the user's list of what is allowed."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "headgate" / "trusted-laws"


def _read_allowed() -> frozenset[str]:
    try:
        lines = list_file().read_text(encoding="utf-8").splitlines()
    except OSError:
        return frozenset()
    return frozenset(line.partition(" ")[0] for line in lines)


def _resolve(file: str) -> str:
    return str(Path(file).resolve())
