"""Scenarios as TOML: read with the standard library, written with tomlkit, keys set by path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any

from headgate.base.errors import ScenarioError, StoreError, explain_os
from headgate.base.toml_file import parse, toml
from headgate.plugin.user_code import is_code
from headgate.scenario.links.synthetic import COURSES, TRACES

_SHORT_LINE = 80
#: The key that stands for the law of all traffic, and the keys of traffic that say it.
EVERY_LAW = "law"
_LAW_KEYS = ("law", "control", "laws")
#: Two keys for one thing: to set one replaces the other, and a path through one finds the other.
_ALIASES = {"law": "control", "control": "law"}
#: Keys below which a text that names a file of code is a path.
CODE_KEYS = frozenset({"law", "control", "laws", "queue"})
#: Keys of links that may name a file, and what else may stand there.
FILES_OF_LINKS = {"trace": TRACES, "course": COURSES}
#: Tables that may be written as one word, and the key that the word stands for.
_SHORT_FORMS = {
    "control": "source",
    "law": "name",
    "queue": "name",
    "feedback": "name",
    "transport": "preset",
}


def read_toml(path: Path) -> dict[str, Any]:
    """Read a scenario file; paths in it become absolute, as seen from the file."""
    data = toml(path)
    _refuse_other_forms(data, path)
    anchor(data, path.resolve().parent)
    return data


def _refuse_other_forms(data: Mapping[str, Any], path: Path) -> None:
    if "factors" in data and "traffic" not in data:
        experiment = "`headgate experiment check` checks it, and `headgate experiment run` runs it"
        what = "an experiment" if "responses" in data else "a design"
        does = experiment if "responses" in data else "`headgate design show` shows it"
        raise ScenarioError(str(path), f"this is {what}; {does}")


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def anchor(data: dict[str, Any], folder: Path) -> None:
    """Make the paths of a scenario absolute, as seen from the folder of its file."""
    for table in [data.get("network"), *_listed(data.get("traffic"))]:
        if isinstance(table, dict) and isinstance(table.get("file"), str):
            table["file"] = str(folder / table["file"])
    network = data.get("network")
    links = _listed(network.get("links")) if isinstance(network, Mapping) else ()
    for table in (network, *links):
        anchor_link(table, folder)
    for key in data.keys() & {"network", "traffic"}:
        data[key] = anchor_code(data[key], folder)


def anchor_link(table: Any, folder: Path) -> None:
    """Make the paths absolute of the files that a link names, in both directions."""
    if not isinstance(table, dict):
        return
    for key, names in FILES_OF_LINKS.items():
        if key in table:
            table[key] = _anchor_file(table[key], folder, names)
    anchor_link(table.get("reverse"), folder)


def _anchor_file(value: Any, folder: Path, names: Sequence[str]) -> Any:
    if isinstance(value, str):
        return value if value in names else str(folder / value)
    if isinstance(value, dict) and isinstance(value.get("file"), str):
        return value | {"file": str(folder / value["file"])}
    return value


def anchor_code(value: Any, folder: Path, path: str = "") -> Any:
    """Return a value for the key at a dotted path with absolute paths of code.

    Paths of code are texts below one of the `CODE_KEYS`, as seen from a folder.
    """
    change = partial(_anchor_text, folder)
    return change_code(value, change, below=not CODE_KEYS.isdisjoint(path.split(".")))


def change_code(value: Any, change: Callable[[str], str], *, below: bool = False) -> Any:
    """Return a value with other texts for the code that it names below one of the `CODE_KEYS`.

    `below` says that the value itself is there.
    """
    if isinstance(value, Mapping):
        return {
            key: change_code(part, change, below=below or key in CODE_KEYS)
            for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [change_code(part, change, below=below) for part in value]
    return change(value) if below and isinstance(value, str) and is_code(value) else value


def _anchor_text(folder: Path, source: str) -> str:
    return str(folder / source)


def write_toml(data: dict[str, Any], path: Path) -> None:
    """Write nested dicts as TOML."""
    try:
        path.write_text(toml_text(data), encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {explain_os(error)}") from None


def toml_text(data: Mapping[str, Any]) -> str:
    """Return nested dicts as TOML."""
    import tomlkit

    document = tomlkit.document()
    for key, value in data.items():
        document[key] = _item(value)
    return tomlkit.dumps(document)


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
        return key, parse(f"x = {value}")["x"]
    except TOMLDecodeError:
        return key, value.strip()
    except ValueError as error:
        raise ScenarioError(f"--set {key}", str(error)) from None


def set_key(data: dict[str, Any], key: str, value: Any) -> None:
    """Set the key at a dotted path; numbers are places in a list, `law` is that of all traffic."""
    if key == EVERY_LAW:
        set_law(data, value)
        return
    here: Any = data
    *path, last = key.split(".")
    for step in path:
        here = _child(here, step, key)
    if isinstance(here, list):
        here[_place(here, last, key)] = value
    elif isinstance(here, dict):
        here.pop(_ALIASES.get(last), None)
        here[last] = value
    else:
        raise ScenarioError(key, f"'{path[-1]}' has no keys of its own")


def set_law(data: dict[str, Any], law: Any) -> None:
    """Set one law for all traffic, of the catalogue or the user's own."""
    traffic = data.get("traffic")
    for item in traffic if isinstance(traffic, list) else ():
        if isinstance(item, dict):
            for other in _LAW_KEYS:
                item.pop(other, None)
            item[EVERY_LAW] = law


def _child(here: Any, step: str, key: str) -> Any:
    if isinstance(here, list):
        return here[_place(here, step, key)]
    if not isinstance(here, dict):
        raise ScenarioError(key, f"there is nothing below '{step}'")
    other = _ALIASES.get(step, step)
    step = other if step not in here and other in here else step
    child = here.setdefault(step, {})
    if isinstance(child, str) and step in _SHORT_FORMS:
        child = here[step] = {_SHORT_FORMS[step]: child}
    return child


def _place(items: list[Any], step: str, key: str) -> int:
    if step.isdecimal() and int(step) < len(items):
        return int(step)
    said = f"'{step}' is not a place in a list of {len(items)}"
    raise ScenarioError(key, f"{said}{'' if step.isdecimal() else _with_place(items, key, step)}")


def _with_place(items: list[Any], key: str, step: str) -> str:
    """Say how a key is written that lacks the number of the place in a list, or has a word for it.

    A word that no item has as a key, such as `all`, was meant as the place.
    """
    before, _, after = f".{key}.".partition(f".{step}.")
    is_key = any(isinstance(item, Mapping) and step in item for item in items)
    kept = step if is_key or not after.strip(".") else ""
    path = ".".join(filter(None, (before.strip("."), "0", kept, after.strip("."))))
    for_all = f", or {EVERY_LAW} for all traffic" if path.split(".")[-1] == EVERY_LAW else ""
    return f"; write {path} for the first one{for_all}"
