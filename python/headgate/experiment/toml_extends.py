"""Files of a study: what several share is written once, in a file that they extend."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headgate.base.errors import HeadgateError
from headgate.base.files import read_toml_file

EXTENDS = "extends"


def files(path: Path) -> list[Path]:
    """Return a file, and before it the one that it extends. Raises HeadgateError."""
    shared = read_toml_file(path).get(EXTENDS)
    if shared is None:
        return [path]
    if not isinstance(shared, str):
        raise HeadgateError(f"{path}: {EXTENDS}: {shared!r} is not the path of a file, in quotes")
    return [path.parent / shared, path]


def read(path: Path) -> dict[str, Any]:
    """Read a file over the one that it extends, if any.

    Tables are laid over each other key by key, entries of a list by their `id`; anything else that
    the file has takes the place of what it extends. Raises HeadgateError.
    """
    *shared, own = (read_toml_file(file) for file in files(path))
    own.pop(EXTENDS, None)
    for below in shared:
        if EXTENDS in below:
            raise HeadgateError(f"{files(path)[0]}: {EXTENDS}: what is extended extends no other")
        own = merge(below, own, str(path))
    return own


def merge(below: Mapping[str, Any], over: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Lay a table over another, key by key. Raises HeadgateError."""
    return {**below, **{key: _merge_value(below.get(key), over[key], where) for key in over}}


def _merge_value(below: Any, over: Any, where: str) -> Any:
    if isinstance(below, dict) and isinstance(over, dict):
        return merge(below, over, where)
    if _have_ids(below) and _have_ids(over):
        return list(merge(_by_id(below, where), _by_id(over, where), where).values())
    return over


def _have_ids(entries: Any) -> bool:
    return isinstance(entries, list) and all(isinstance(e, dict) and "id" in e for e in entries)


def _by_id(entries: list[dict[str, Any]], where: str) -> dict[str, dict[str, Any]]:
    found = {entry["id"]: entry for entry in entries}
    if len(found) < len(entries):
        raise HeadgateError(f"{where}: two entries have the same id")
    return found
