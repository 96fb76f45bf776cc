"""Changes by `--set` and `--unset`: settings of a study, and keys of an experiment's file."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from headgate.base.errors import HeadgateError, ScenarioError
from headgate.base.files import parse_toml
from headgate.base.messages import also, as_toml
from headgate.scenario.keys import change_keys, parse_setting, unset_keys, unset_paths
from headgate.scenario.toml import read_toml

SCENARIO = "scenario"


def change_settings(settings: Mapping[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    """Return settings changed by texts such as `base.load=0.7`. Raises HeadgateError."""
    changed: dict[str, Any] = copy.deepcopy(dict(settings))
    for text in texts:
        key, value = parse_setting(text)
        *path, last = key.split(".")
        table: Any = changed
        for step in path:
            table = _find_setting(table, step, text)
        _require_same_kind(_find_setting(table, last, text), value, text)
        table[last] = value
    return changed


def _find_setting(table: Any, key: str, text: str) -> Any:
    if not isinstance(table, dict) or key not in table:
        known = "it contains no keys"
        if isinstance(table, dict):
            known = f"the keys here are {', '.join(sorted(table))}{also(key, table)}"
        raise HeadgateError(f"--set {text}: there is no setting {key!r} here; {known}")
    return table[key]


def _require_same_kind(before: Any, value: Any, text: str) -> None:
    """Refuse a value of another kind than the present one."""
    if _name_kind(before) != _name_kind(value):
        raise HeadgateError(
            f"--set {text}: {as_toml(value)} is not allowed; write {_name_kind(before)}, such as"
            f" {as_toml(before)}"
        )
    if isinstance(before, list) and before:
        for each in value:
            _require_same_kind(before[0], each, text)
    if isinstance(before, dict) and set(before) != set(value):
        raise HeadgateError(f"--set {text}: write a table with the keys {', '.join(before)}")


def _name_kind(value: Any) -> str:
    kinds = {bool: "true or false", int | float: "a number", str: "a text", list: "a list"}
    return next((name for kind, name in kinds.items() if isinstance(value, kind)), "a table")


def set_keys(
    data: dict[str, Any], texts: Sequence[str], unset: Sequence[str], folder: Path
) -> dict[str, Any]:
    """Return an experiment's file with removed and changed keys.

    `scenario.KEY` is a key of its base. A base in a separate file becomes part of the experiment.
    Raises ScenarioError.
    """
    gone = [_split_key(key, "--unset", key) for key in unset]
    if of_base := [".".join(path[1:]) for path in gone if _is_of_base(path)]:
        with _in_base():
            unset_keys(_include_base(data, folder), of_base)
    unset_paths(data, [path for path in gone if not _is_of_base(path)])
    changes = []
    for text in texts:
        key, value = parse_setting(text)
        path = _split_key(key, "--set", text)
        if _is_of_base(path):
            changes.append((".".join(path[1:]), value))
        else:
            _set(data, path, value, text)
    if changes:
        with _in_base():
            change_keys(_include_base(data, folder), changes)
    return data


def _is_of_base(path: Sequence[str]) -> bool:
    return path[0] == SCENARIO and len(path) > 1


@contextmanager
def _in_base() -> Iterator[None]:
    """Name the keys of a base as those of the experiment's file in errors."""
    try:
        yield
    except ScenarioError as error:
        raise ScenarioError(f"{SCENARIO}.{error.place}", error.sentence) from None


def _include_base(data: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the base of an experiment's file, which contains it from now on."""
    base = data.setdefault(SCENARIO, {})
    if isinstance(base, str):
        base = data[SCENARIO] = read_toml((folder / base).resolve())
    found: dict[str, Any] = base
    return found


def _set(data: dict[str, Any], path: Sequence[str], value: Any, text: str) -> None:
    table: Any = data
    for step in path[:-1]:
        table = table.setdefault(step, {})
        if not isinstance(table, dict):
            raise ScenarioError(f"--set {text}", f"{step!r} contains no keys")
    table[path[-1]] = value


def _split_key(key: str, option: str, text: str) -> list[str]:
    """Split a key as TOML does: quoted text is one part."""
    try:
        rest: Any = parse_toml(f"{key} = 0")
    except ValueError:
        raise ScenarioError(f"{option} {text}", f"{key!r} is not a key") from None
    path = []
    while isinstance(rest, Mapping):
        ((step, rest),) = rest.items()
        path.append(step)
    return path
