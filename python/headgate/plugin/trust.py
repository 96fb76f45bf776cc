"""Whose code may run: what the user named, and what the user has allowed.

A law or a discipline that stands on the command line, or in the user's own program, was named by
the user and runs.
One that only a file names (a scenario, a design, a stored run) may be a stranger's: it runs once
its SHA-256 is in the user's list, which has a line for each, as `sha256sum` writes and checks.
"""

from __future__ import annotations

import os
from pathlib import Path

from headgate.errors import UntrustedLawError

#: Files that the user named; and pairs of a file of own code and the file that names it.
Named = tuple[frozenset[str], tuple[tuple[str, str], ...]]

#: Of this process: files of own code that the user named; those that a file names, with that file.
_by_hand: set[str] = set()
_by_file: dict[str, str] = {}


def name_by_hand(file: str) -> None:
    """Take note that the user named a file of own code."""
    _by_hand.add(_resolve(file))


def name_in_file(file: str, where: str) -> None:
    """Take note that the file `where` names a file of own code."""
    _by_file.setdefault(_resolve(file), where)


def export_notes() -> Named:
    """Return the notes of this process, for another that works for it."""
    return frozenset(_by_hand), tuple(sorted(_by_file.items()))


def take(notes: Named) -> None:
    """Take over the notes of the process that this one works for."""
    by_hand, by_file = notes
    _by_hand.update(by_hand)
    _by_file.update(by_file)


def is_trusted(file: str, sha256: str) -> bool:
    """Say whether the own code in a file may run."""
    code = _resolve(file)
    return code in _by_hand or code not in _by_file or sha256 in _read_allowed()


def require(noun: str, label: str, file: str, sha256: str) -> None:
    """Raise UntrustedLawError if the law or discipline in a file may not run."""
    if not is_trusted(file, sha256):
        where = _by_file[_resolve(file)]
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
