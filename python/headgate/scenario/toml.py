"""Scenarios as TOML: read with the standard library, written with tomlkit, keys set by path."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from headgate.errors import ScenarioError, StoreError, explain_os
from headgate.plugin import is_source, split, trust
from headgate.scenario.links.synthetic import COURSES, TRACES
from headgate.strict import toml

_SHORT_LINE = 80
#: The key that stands for the law of all traffic, and the keys of traffic that say it.
EVERY_LAW = "law"
_LAW_KEYS = ("law", "control", "laws")
#: Keys whose value may name own code, and where it does so in a table.
CODE_KEYS = {"control": "source", "law": "source", "queue": "name"}
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
    note_laws(data, str(path))
    return data


def _refuse_other_forms(data: Mapping[str, Any], path: Path) -> None:
    if "factors" in data and "traffic" not in data:
        experiment = "`headgate experiment check` checks it, and `headgate experiment run` runs it"
        what = "an experiment" if "responses" in data else "a design"
        does = experiment if "responses" in data else "`headgate design show` shows it"
        raise ScenarioError(str(path), f"this is {what}; {does}")


def note_laws(data: Mapping[str, Any], where: str) -> None:
    """Have all own code that a file's scenario names run only if the user allows it."""
    for table, key in _places_of_code(data):
        name = named_code(key, table.get(key))
        if name:
            trust.name_in_file(split(name)[0], where)


def named_code(key: str, value: Any) -> str:
    """Return the own code that a value of one of the `CODE_KEYS` names, if it names any."""
    name = value.get(CODE_KEYS[key]) if isinstance(value, Mapping) else value
    is_code = isinstance(name, str) and (key == "control" or is_source(name))
    return str(name) if is_code else ""


def _places_of_code(data: Mapping[str, Any]) -> list[tuple[Any, str]]:
    """Return the tables that may name own code, each with the key."""
    traffic, network = data.get("traffic"), data.get("network")
    links = network.get("links") if isinstance(network, Mapping) else None
    places = [(item, "control") for item in _listed(traffic)]
    groups = [item for item in _listed(traffic) if isinstance(item, Mapping)]
    places += [(part, "control") for item in groups for part in _listed(item.get("laws"))]
    places += [(table, "queue") for table in (network, *_listed(links))]
    return [(table, key) for table, key in places if isinstance(table, Mapping)]


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
    for table, key in _places_of_code(data):
        anchor_code(table, key, folder)


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


def anchor_code(table: dict[str, Any], key: str, folder: Path) -> None:
    """Make the path of own code absolute that a key names, as seen from a folder."""
    name = named_code(key, table.get(key))
    if name:
        path, value = str(folder / name), table[key]
        table[key] = value | {CODE_KEYS[key]: path} if isinstance(value, dict) else path


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
        return key, tomllib.loads(f"x = {value}")["x"]
    except tomllib.TOMLDecodeError:
        return key, value.strip()


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
        here[last] = value
    else:
        raise ScenarioError(key, f"'{path[-1]}' has no keys of its own")


def set_law(data: dict[str, Any], law: Any) -> None:
    """Set one law for all traffic, of the catalogue or the user's own."""
    key = "control" if named_code(EVERY_LAW, law) else "law"
    traffic = data.get("traffic")
    for item in traffic if isinstance(traffic, list) else ():
        if isinstance(item, dict):
            for other in _LAW_KEYS:
                item.pop(other, None)
            item[key] = law


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
    if step.isdecimal() and int(step) < len(items):
        return int(step)
    said = f"'{step}' is not a place in a list of {len(items)}"
    raise ScenarioError(key, f"{said}{'' if step.isdecimal() else _with_place(key, step)}")


def _with_place(key: str, step: str) -> str:
    """Say how a key is written that lacks the number of the place in a list."""
    before, _, after = f".{key}.".partition(f".{step}.")
    path = ".".join(filter(None, (before.strip("."), "0", step, after.strip("."))))
    return f"; write {path} for the first one"
