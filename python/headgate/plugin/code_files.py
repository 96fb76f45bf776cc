"""Files of user-defined code: their names, contents and hashes, and which of them may run.

Code that the user names, on the command line or in a program, runs. All other code may come from
somebody else, whichever file names it. It runs only if its SHA-256 is in the list of the user, with
one line per file in the format of `sha256sum`.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

from headgate.base.errors import CcaError, UntrustedCcaError
from headgate.base.files import read_file

#: A Python class, sources that are compiled to a shared library, and such a library.
KINDS = (".py", ".c", ".rs", ".so")
_NAME = re.compile(r"(?P<file>.*?)(?::(?P<name>[A-Za-z_][\w.<>]*(?:#\d+)?))?$", re.DOTALL)

_Pairs = tuple[tuple[str, str], ...]
#: Files of code that the user named; pairs of a file of code and the file that names it; and pairs
#: of a file of code that may run and its SHA-256.
CodeNotes = tuple[frozenset[str], _Pairs, _Pairs]
#: In this process: files of code that the user named.
_by_hand: set[str] = set()
#: In this process: the files that name code, by the file of code. Only messages use it.
_by_file: dict[str, str] = {}
#: In this process: the SHA-256 of each file of code that may run.
_permitted: dict[str, str] = {}
#: The same of the process that this one works for. Only these versions may run here.
_imported: dict[str, str] = {}


def split(source: str) -> tuple[str, str | None]:
    """Return the file, and the name after the last colon."""
    found = _NAME.match(source)
    assert found is not None
    return found["file"], found["name"]


def is_code(source: str) -> bool:
    """Return whether a text is a file of code, with or without a name in it."""
    if not any(kind in source for kind in KINDS):  # most texts: names of algorithms and quantities
        return False
    return Path(split(source)[0]).suffix in KINDS


def read(file: str) -> bytes:
    """Read a file of user-defined code. Raises CcaError."""
    try:
        return read_file(Path(file))
    except (FileNotFoundError, ValueError):  # ValueError: a character that no path contains
        says = "there is no such file"
    except OSError as error:
        says = f"cannot be read: {error.strerror}"
    raise CcaError(shorten_path(file), says)


def sha256(*parts: bytes) -> str:
    """Hash the parts that determine user-defined code."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def shorten_path(file: str) -> str:
    """Return a path relative to the working folder if it is below, otherwise as it is."""
    path = Path(file)
    try:
        return str(path.relative_to(Path.cwd())) if path.is_absolute() else str(path)
    except (ValueError, FileNotFoundError):
        return file


def name_by_hand(given: object) -> None:
    """Record every file of code that the user wrote, as a text or within lists and tables."""
    if isinstance(given, Mapping):
        given = [*given, *given.values()]
    if isinstance(given, list | tuple):
        for part in given:
            name_by_hand(part)
    elif isinstance(given, str) and is_code(given):
        _by_hand.add(_resolve(split(given)[0]))


def name_in_file(source: str, where: str) -> None:
    """Record for messages that the file `where` names code. This gives no permission."""
    _by_file.setdefault(_resolve(split(source)[0]), where)


def export_notes() -> CodeNotes:
    """Return the records of this process, for another process that works for it."""
    return frozenset(_by_hand), tuple(sorted(_by_file.items())), tuple(sorted(_permitted.items()))


def import_notes(notes: CodeNotes) -> None:
    """Add the records of the process that this one works for."""
    by_hand, by_file, permitted = notes
    _by_hand.update(by_hand)
    _by_file.update(by_file)
    _imported.update(permitted)


def record_version(file: str, sha256: str) -> None:
    """Record the version of code that may run, for processes that work for this one."""
    _permitted[_resolve(file)] = sha256


def require_version(file: str) -> None:
    """Raise CcaError if a file is not the one of the process that this one works for."""
    if _resolve(file) in _imported:
        _require_version(file, sha256(read(file)))


def _require_version(file: str, sha256: str) -> None:
    wanted = _imported.get(_resolve(file), sha256)
    if sha256 != wanted:
        says = f"is another version (SHA-256 {sha256[:16]}...) than the campaign's"
        raise CcaError(shorten_path(file), f"{says} ({wanted[:16]}...)")


def is_trusted(file: str, sha256: str) -> bool:
    """Return whether the code in a file may run."""
    path = _resolve(file)
    trusted = path in _by_hand or _imported.get(path) == sha256 or sha256 in _read_allowed()
    if trusted:
        record_version(file, sha256)
    return trusted


def require_trust(noun: str, label: str, file: str, sha256: str) -> None:
    """Raise CcaError if the algorithm, discipline or function in a file may not run."""
    _require_version(file, sha256)
    if not is_trusted(file, sha256):
        where = _by_file.get(_resolve(file), "a file")
        says = f"{where} names this {noun}, which is code (SHA-256 {sha256});"
        raise UntrustedCcaError(label, f"{says} read it, then allow it with --trust")


def allow(file: str, sha256: str) -> None:
    """Remember for this user that user-defined code may run."""
    if sha256 in _read_allowed():
        return
    path = list_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as list_:
        list_.write(f"{sha256}  {_resolve(file)}\n".replace("\r", "?"))


def list_file() -> Path:
    """Return the path of the list of allowed code."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "headgate" / "trusted-code"


def _read_allowed() -> frozenset[str]:
    try:
        lines = list_file().read_text(encoding="utf-8").splitlines()
    except OSError:
        return frozenset()
    return frozenset(line.partition(" ")[0] for line in lines)


def _resolve(file: str) -> str:
    return str(Path(file).resolve())
