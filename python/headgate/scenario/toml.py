"""Scenarios as TOML: read, written, keys set by path, and keys in the wrong table rejected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any, get_args

from pydantic import BaseModel

from headgate.base.errors import ScenarioError, StoreError, explain_os
from headgate.base.files import parse_toml, read_toml_file
from headgate.plugin.user_code import is_code
from headgate.scenario.base import at
from headgate.scenario.links.synthetic import COURSES, TRACES

_SHORT_LINE = 80
#: The key of traffic that names its algorithm; without a path, that of all traffic.
EVERY_CCA = "cca"
#: Former keys of traffic for it.
_FORMER = frozenset({"law", "laws", "control"})
#: Keys with texts that may be paths of code.
CODE_KEYS = frozenset({"cca", "queue"})
#: Keys of links that may be a file, and their other values.
FILES_OF_LINKS = {"trace": TRACES, "course": COURSES}
#: Tables that may be one word, and the key of that word.
_SHORT_FORMS = dict.fromkeys(("cca", "queue", "feedback"), "name") | {"transport": "preset"}


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


def change_code(value: Any, change: Callable[[str], str], *, below: bool = False) -> Any:
    """Return a value with changed paths of code.

    Paths of code are texts below one of the `CODE_KEYS`; `below` means that the value is there.
    """
    if isinstance(value, Mapping):
        return {
            key: change_code(part, change, below=below or key in CODE_KEYS)
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


def parse_setting(text: str) -> tuple[str, Any]:
    """Read `key=value` of the command line; a value that is not TOML is a word."""
    key, sign, value = text.partition("=")
    key = key.strip()
    if not sign or not key:
        says = 'is not key=value; write --set network.rate="50 Mbit/s"'
        raise ScenarioError(f"--set {text}", says)
    try:
        return key, parse_toml(f"x = {value}")["x"]
    except TOMLDecodeError:
        return key, value.strip()
    except ValueError as error:
        raise ScenarioError(f"--set {key}", str(error)) from None


def set_key(data: dict[str, Any], key: str, value: Any) -> None:
    """Set the key at a dotted path; numbers index lists, and `cca` sets that of all traffic."""
    _refuse_former(key)
    if key == EVERY_CCA:
        set_cca(data, value)
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


def _refuse_former(key: str) -> None:
    """Refuse a former key of traffic with the one that it is now."""
    steps = key.split(".")
    if steps[0] != "traffic" and len(steps) > 1:
        return
    now = ".".join(EVERY_CCA if step in _FORMER else step for step in steps)
    if now != key:
        raise ScenarioError(key, f"this key is now '{EVERY_CCA}'; write {now}")


def set_cca(data: dict[str, Any], cca: Any) -> None:
    """Set one algorithm for all traffic, of the catalogue or user-defined."""
    traffic = data.get("traffic")
    for item in traffic if isinstance(traffic, list) else ():
        if isinstance(item, dict):
            item[EVERY_CCA] = cca


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
    suggestion = "" if step.isdecimal() else _with_place(items, key, step)
    says = f"'{step}' is not a place in a list of {len(items)}{suggestion}"
    raise ScenarioError(key, says)


def _with_place(items: list[Any], key: str, step: str) -> str:
    """Suggest a key with a number; it replaces a word that is no key of an item."""
    before, _, after = f".{key}.".partition(f".{step}.")
    is_key = any(isinstance(item, Mapping) and step in item for item in items)
    kept = step if is_key or not after.strip(".") else ""
    path = ".".join(filter(None, (before.strip("."), "0", kept, after.strip("."))))
    for_all = f", or {EVERY_CCA} for all traffic" if path.split(".")[-1] == EVERY_CCA else ""
    return f"; write {path} for the first one{for_all}"


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
