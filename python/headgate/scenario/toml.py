"""Scenarios as TOML: read with the standard library, written with tomlkit, keys set by path."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headgate.errors import ScenarioError, StoreError
from headgate.plugin import split, trust

_SHORT_LINE = 80
#: Tables that may be written as one word, and the key that the word stands for.
_SHORT_FORMS = {"control": "source", "law": "name", "transport": "preset"}


def read_toml(path: Path) -> dict[str, Any]:
    """Read a scenario file; paths in it become absolute, as seen from the file."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ScenarioError(str(path), "there is no such file") from None
    except IsADirectoryError:
        raise ScenarioError(str(path), "this is a folder; give a TOML file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(str(path), f"cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(str(path), f"this is not TOML: {error}") from None
    _anchor(data, path.resolve().parent)
    note_laws(data, str(path))
    return data


def note_laws(data: Mapping[str, Any], where: str) -> None:
    """Have every law that a file's scenario names run only if the user allows it."""
    traffic = data.get("traffic")
    for item in traffic if isinstance(traffic, list | tuple) else ():
        control = item.get("control") if isinstance(item, Mapping) else None
        source = control.get("source") if isinstance(control, Mapping) else control
        if isinstance(source, str) and source:
            trust.name_in_file(split(source)[0], where)


def _anchor(data: dict[str, Any], folder: Path) -> None:
    traffic = data.get("traffic")
    for table in [data.get("network"), *(traffic if isinstance(traffic, list) else [])]:
        if isinstance(table, dict) and isinstance(table.get("file"), str):
            table["file"] = str(folder / table["file"])
        if isinstance(table, dict) and "control" in table:
            table["control"] = _anchor_path(table["control"], folder)


def _anchor_path(control: Any, folder: Path) -> Any:
    if isinstance(control, dict) and isinstance(control.get("source"), str):
        return control | {"source": str(folder / control["source"])}
    return str(folder / control) if isinstance(control, str) else control


def write_toml(data: dict[str, Any], path: Path) -> None:
    """Write nested dicts as TOML."""
    import tomlkit

    document = tomlkit.document()
    for key, value in data.items():
        document[key] = _item(value)
    try:
        path.write_text(tomlkit.dumps(document), encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from None


def _item(value: Any) -> Any:
    """Keep small tables on one line."""
    import tomlkit

    if isinstance(value, dict) and len(repr(value)) < _SHORT_LINE:
        line = tomlkit.inline_table()
        line.update(value)
        return line
    if isinstance(value, dict):
        table = tomlkit.table()
        for key, inner in value.items():
            table[key] = _item(inner)
        return table
    if isinstance(value, list) and value and isinstance(value[0], dict):
        tables = tomlkit.aot()
        for inner in value:
            table = tomlkit.table()
            for key, part in inner.items():
                table[key] = _item(part)
            tables.append(table)
        return tables
    return value


def parse_setting(text: str) -> tuple[str, Any]:
    """Read `key=value` of the command line; a value that is not TOML is a word."""
    key, sign, value = text.partition("=")
    key = key.strip()
    if not sign or not key:
        raise ScenarioError(
            f"--set {text}", 'is not key=value; write --set network.rate="50 Mbit/s"'
        )
    try:
        return key, tomllib.loads(f"x = {value}")["x"]
    except tomllib.TOMLDecodeError:
        return key, value.strip()


def set_key(data: dict[str, Any], key: str, value: Any) -> None:
    """Set the key at a dotted path; numbers are places in a list."""
    here: Any = data
    *path, last = key.split(".")
    for step in path:
        here = _child(here, step, key)
    if isinstance(here, list):
        here[_place(here, last, key)] = value
    elif isinstance(here, dict):
        here[last] = value
    else:
        raise ScenarioError(key, f"'{path[-1]}' has no keys of its own")


def _child(here: Any, step: str, key: str) -> Any:
    if isinstance(here, list):
        return here[_place(here, step, key)]
    if not isinstance(here, dict):
        raise ScenarioError(key, f"there is nothing below '{step}'")
    child = here.setdefault(step, {})
    if isinstance(child, str) and step in _SHORT_FORMS:
        child = here[step] = {_SHORT_FORMS[step]: child}
    return child


def _place(items: list[Any], step: str, key: str) -> int:
    if not step.isdigit() or int(step) >= len(items):
        raise ScenarioError(key, f"'{step}' is not a place in a list of {len(items)}")
    return int(step)
