"""Files: regular ones are read within limits, TOML too; new ones appear whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from headgate.base.errors import ScenarioError, StoreError, explain_os
from headgate.base.process import here


def require_file(path: Path) -> None:
    """Raise OSError with a message for users unless the path is a regular file."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))


def read_file(path: Path) -> bytes:
    """Read a regular file. Raises OSError."""
    require_file(path)
    return path.read_bytes()


def write_bytes(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a whole file or none; a durable one survives a power cut. Raises StoreError."""
    write_file(path, lambda draft: draft.write_bytes(data), durable=durable)


def write_file(path: Path, write: Callable[[Path], object], *, durable: bool = True) -> None:
    """Let `write` make a draft, and move it to the path. Raises StoreError."""
    try:
        with _folders_of(path):
            replace_file(path, write, durable=durable)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {explain_os(error)}") from None


def cache_folder(kind: str) -> Path:
    """Return the user's folder of one kind of cached files, which may be removed at any time."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "headgate" / kind


def list_states(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the size and the time of every file below a folder, except compiled Python."""
    return dict(sorted(_find_states(str(folder), "")))


def _find_states(folder: str, below: str) -> Iterator[tuple[str, tuple[int, int]]]:
    try:
        entries = list(os.scandir(folder))
    except OSError:  # no folder, or not ours
        return
    for entry in entries:
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _find_states(entry.path, f"{below}{entry.name}/")
        else:
            status = entry.stat()
            yield f"{below}{entry.name}", (status.st_size, status.st_mtime_ns)


@contextmanager
def _folders_of(path: Path) -> Iterator[None]:
    """Make the folders of a file; remove them again if the file cannot be written."""
    missing = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        raise


def create_file(path: Path, data: bytes) -> bool:
    """Create a whole file; return whether there was none. Of several callers one succeeds.

    A killed process leaves no partial file, except on file systems without hard links. Raises
    StoreError.
    """
    draft = name_draft(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(data)
        _link(draft, path)
    except FileExistsError:
        return False
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {explain_os(error)}") from None
    finally:
        draft.unlink(missing_ok=True)
    return True


def _link(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # this file system has no hard links
        data = draft.read_bytes()
        with path.open("xb") as file:
            try:
                file.write(data)
                file.flush()
            except OSError:
                path.unlink(missing_ok=True)
                raise


def make_folder(folder: Path) -> None:
    """Make a folder before long work begins. Raises StoreError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {explain_os(error)}") from None


def flush(path: Path) -> None:
    """Write a file, or the names in a folder, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def name_draft(path: Path) -> Path:
    """Return the path of the draft of a file, unique to this process."""
    return path.with_name(f".{path.name}@{here()}")


def replace_file(path: Path, write: Callable[[Path], object], *, durable: bool) -> None:
    """Let `write` make a draft, and move it to the path. Raises OSError."""
    draft = name_draft(path)
    try:
        write(draft)
        if durable:
            flush(draft)
        draft.replace(path)
        if durable:
            flush(path.parent)
    finally:
        draft.unlink(missing_ok=True)


#: Bytes of a TOML file. A scenario of the largest network needs about a tenth.
LARGEST = 16 << 20
#: Nesting of tables and lists. A scenario needs five levels.
DEEPEST = 40
#: Parts of a dotted key; the time to read one grows with the square of their number.
MOST_PARTS = 40
#: Integers of TOML have 64 bits.
LARGEST_INTEGER = 2**64
_WORD = r"""(?:(?<![\w-])[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?:{_WORD}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}")


def read_toml_file(path: Path) -> dict[str, Any]:
    """Read TOML in UTF-8, with or without a BOM. Raises ScenarioError."""
    try:
        return parse_toml(_read_text(path))
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


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML. Raises ValueError."""
    if long := _LONG_KEY.search(text):
        line = text.count("\n", 0, long.start()) + 1
        raise ValueError(f"line {line} has a key of more than {MOST_PARTS} parts")
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise ValueError(_too_deep()) from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # Python integers have at most 4300 digits
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
    """Yield messages about values that are nested too deep, and integers that are too large."""
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
