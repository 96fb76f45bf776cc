"""Scenarios as TOML: read, written, and keys in the wrong table rejected."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

from headgate.base.errors import ScenarioError, StoreError, explain_os
from headgate.base.files import read_toml_file
from headgate.plugin.user_code import is_code
from headgate.scenario.base import at
from headgate.scenario.keys import EVERY_CCA
from headgate.scenario.links.synthetic import COURSES, TRACES

_SHORT_LINE = 80
#: Keys with texts that may be paths of code.
CODE_KEYS = frozenset({"cca", "queue"})
#: Paths of keys that are a file.
_OF_FILE = re.compile(r"network\.file|traffic\.\d+\.(file|gravity\.masses)")
#: Keys of links that may be a file, and their other values.
FILES_OF_LINKS = {"trace": TRACES, "course": COURSES}


def read_toml(path: Path) -> dict[str, Any]:
    """Read a scenario file; its paths become absolute, relative to its folder."""
    data = read_toml_file(path)
    if "factors" in data and "traffic" not in data:
        says = "this is a design; `headgate design show` shows it"
        if "responses" in data:
            does = "`headgate experiment check` checks it, and `headgate experiment run` runs it"
            says = f"this is an experiment; {does}"
        raise ScenarioError(str(path), says)
    anchor(data, path.resolve().parent)
    return data


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def anchor(data: dict[str, Any], folder: Path) -> None:
    """Make the paths of a scenario absolute, relative to the folder of its file."""
    for table in [data.get("network"), *_listed(data.get("traffic"))]:
        if isinstance(table, dict) and isinstance(table.get("file"), str):
            table["file"] = str(folder / table["file"])
    for table in _listed(data.get("traffic")):
        model = table.get("gravity") if isinstance(table, dict) else None
        if isinstance(model, dict) and isinstance(model.get("masses"), str):
            model["masses"] = str(folder / model["masses"])
    network = data.get("network")
    links = _listed(network.get("links")) if isinstance(network, Mapping) else ()
    for table in (network, *links):
        anchor_link(table, folder)
    for key in data.keys() & {"network", "traffic"}:
        data[key] = anchor_code(data[key], folder)


def anchor_link(table: Any, folder: Path) -> None:
    """Make the paths of the files of a link absolute, in both directions."""
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
    """Return the value of the key at a dotted path with absolute paths of code."""
    below = not CODE_KEYS.isdisjoint(path.split("."))
    return change_code(value, lambda source: str(folder / source), below=below)


def is_file(path: str) -> bool:
    """Return whether the key at a dotted path is a file of data."""
    return _OF_FILE.fullmatch(path) is not None


def anchor_value(value: Any, folder: Path, path: str) -> Any:
    """Return the value, or values, of the key at a dotted path with absolute paths of files."""
    if isinstance(value, list | tuple):
        return [anchor_value(each, folder, path) for each in value]
    key = path.rpartition(".")[2]
    if isinstance(value, str) and is_file(path):
        return str(folder / value)
    if key in FILES_OF_LINKS and path.startswith("network."):
        return _anchor_file(value, folder, FILES_OF_LINKS[key])
    return anchor_code(value, folder, path)


def change_code(value: Any, change: Callable[[str], str], *, below: bool = False) -> Any:
    """Return a value with changed paths of code.

    Paths of code are texts and keys below one of the `CODE_KEYS`; `below` means that the value is
    there.
    """
    if isinstance(value, Mapping):
        return {
            change(key) if below and is_code(key) else key: change_code(
                part, change, below=below or key in CODE_KEYS
            )
            for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [change_code(part, change, below=below) for part in value]
    return change(value) if below and isinstance(value, str) and is_code(value) else value


def write_toml(data: dict[str, Any], path: Path) -> None:
    """Write nested dicts as TOML."""
    try:
        path.write_text(toml_text(data), encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {explain_os(error)}") from None


def toml_text(data: Mapping[str, Any]) -> str:
    """Return nested dicts as TOML."""
    import tomlkit

    return tomlkit.dumps(_fill(tomlkit.document(), data))


def _fill(table: Any, data: Mapping[str, Any]) -> Any:
    for key, value in data.items():
        table[key] = _item(value)
    return table


def _item(value: Any) -> Any:
    """Return a value for tomlkit; small tables stay on one line."""
    import tomlkit

    if isinstance(value, dict) and len(repr(value)) < _SHORT_LINE:
        line = tomlkit.inline_table()
        line.update(value)
        return line
    if isinstance(value, dict):
        return _fill(tomlkit.table(), value)
    if isinstance(value, list) and value and isinstance(value[0], dict):
        tables = tomlkit.aot()
        for inner in value:
            tables.append(_fill(tomlkit.table(), inner))
        return tables
    return value


#: A frequent mistake, since calls of `headgate.dumbbell` take `flows`.
_FLOWS = "flows"

Tables = Mapping[str, list[type[BaseModel]]]


def reject_misplaced_keys(given: Mapping[str, Any], scenario: type[BaseModel]) -> None:
    """Raise the error of the first key that belongs in another table of a scenario."""
    fields = scenario.model_fields
    tables = {name: list(_models(field.annotation)) for name, field in fields.items()}
    for key in given:
        if key not in tables and (says := _home(str(key), tables)):
            raise at(str(key), says)
    for name in (name for name in tables if tables[name]):
        table = given.get(name)
        for key in table if isinstance(table, Mapping) else ():
            if key in tables and not _has_key(key, tables[name]):
                says = f"{key} belongs to no table; write it above the first [table]"
                raise at(f"{name}.{key}", says)


def tables_with(key: str, scenario: type[BaseModel]) -> list[str]:
    """Return the tables in which a key belongs that is not a key of the scenario itself."""
    fields = scenario.model_fields
    if key in fields or key == EVERY_CCA:
        return []
    return [
        f"{name}.0" if name == "traffic" else name
        for name, field in fields.items()
        if _has_key(key, _models(field.annotation))
    ]


def _home(key: str, tables: Tables) -> str:
    """Return a message about the table of a key that was written above all tables."""
    if key == _FLOWS:
        return 'flows are traffic; write [[traffic]], and below it kind = "flows" and cca = "reno"'
    for name, models in tables.items():
        if _has_key(key, models):
            head = f"[[{name}]]" if name == "traffic" else f"[{name}]"
            return f"this key belongs in the table {head}; write it below that line"
    return ""


def _has_key(key: str, models: Iterable[type[BaseModel]]) -> bool:
    return any(key in model.model_fields for model in models)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models of the type of a field."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
