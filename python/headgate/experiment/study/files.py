"""The files of a study: a file may extend another one, and name settings (`"$duration"`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headgate.base.errors import HeadgateError
from headgate.base.files import read_toml_file

EXTENDS = "extends"


def list_files(path: Path) -> list[Path]:
    """Return a file, after the one that it extends. Raises HeadgateError."""
    shared = read_toml_file(path).get(EXTENDS)
    if shared is None:
        return [path]
    if not isinstance(shared, str):
        raise HeadgateError(f"{path}: {EXTENDS}: {shared!r} is not the path of a file, in quotes")
    return [path.parent / shared, path]


def read_extended(path: Path) -> dict[str, Any]:
    """Read a file, merged with the one that it extends.

    Tables are merged key by key, and lists of tables by `id`. Every other value of the file
    replaces the value of the extended file. Raises HeadgateError.
    """
    *shared, own = (read_toml_file(file) for file in list_files(path))
    own.pop(EXTENDS, None)
    for below in shared:
        if EXTENDS in below:
            raise HeadgateError(
                f"{list_files(path)[0]}: {EXTENDS}: an extended file cannot extend another"
            )
        own = merge(below, own, str(path))
    return own


def merge(below: Mapping[str, Any], over: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Merge two tables key by key; values of `over` win. Raises HeadgateError."""
    return {**below, **{key: _merge_value(below.get(key), over[key], place) for key in over}}


def _merge_value(below: Any, over: Any, place: str) -> Any:
    if isinstance(below, dict) and isinstance(over, dict):
        return merge(below, over, place)
    if _are_entries(below) and _are_entries(over):
        return list(merge(_by_id(below, place), _by_id(over, place), place).values())
    return over


def _are_entries(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(e, dict) and "id" in e for e in value)


def _by_id(entries: list[dict[str, Any]], place: str) -> dict[str, dict[str, Any]]:
    found = {entry["id"]: entry for entry in entries}
    if len(found) < len(entries):
        raise HeadgateError(f"{place}: two entries have the same id")
    return found


def fill(given: Any, settings: Mapping[str, Any], place: str) -> Any:
    """Replace names of settings, such as `"$lossy.losses"`, by their values.

    Raises HeadgateError.
    """
    if isinstance(given, Mapping):
        return {key: fill(value, settings, f"{place}.{key}") for key, value in given.items()}
    if isinstance(given, list):
        return [fill(value, settings, place) for value in given]
    if not (isinstance(given, str) and given.startswith("$")):
        return given
    found: Any = settings
    for step in given[1:].split("."):
        if not isinstance(found, Mapping) or step not in found:
            known = ", ".join(sorted(found)) if isinstance(found, Mapping) else "none"
            raise HeadgateError(
                f"{place}: there is no setting {given[1:]!r}; the settings are {known}"
            )
        found = found[step]
    return found
