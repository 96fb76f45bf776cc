"""Keys of a scenario in the wrong table: a sentence says where they belong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel

from headgate.scenario.base import at
from headgate.scenario.toml import EVERY_LAW

#: What people write for traffic: calls of `headgate.dumbbell` have `flows`.
_FLOWS = "flows"

Tables = Mapping[str, list[type[BaseModel]]]


def refuse_strays(given: Mapping[str, Any], scenario: type[BaseModel]) -> None:
    """Raise the error of the first key that belongs into another table of a scenario."""
    fields = scenario.model_fields
    tables = {name: list(_models(field.annotation)) for name, field in fields.items()}
    for key in given:
        if key not in tables and (says := _home(str(key), tables)):
            raise at(str(key), says)
    for name in (name for name in tables if tables[name]):
        _refuse_above(given.get(name), name, tables)


def tables_of(key: str, scenario: type[BaseModel]) -> list[str]:
    """Return the tables into which a key belongs that a scenario itself does not have."""
    fields = scenario.model_fields
    if key in fields or key == EVERY_LAW:
        return []
    return [
        f"{name}.0" if name == "traffic" else name
        for name, field in fields.items()
        if any(key in model.model_fields for model in _models(field.annotation))
    ]


def _home(key: str, tables: Tables) -> str:
    """Say which table a key belongs into that stands above all tables; nothing if none has it."""
    if key == _FLOWS:
        return 'flows are traffic; write [[traffic]], and below it kind = "flows" and law = "reno"'
    for name, models in tables.items():
        if any(key in model.model_fields for model in models):
            head = f"[[{name}]]" if name == "traffic" else f"[{name}]"
            return f"this key belongs in the table {head}; write it below that line"
    return ""


def _refuse_above(table: Any, name: str, tables: Tables) -> None:
    """Refuse a key of the scenario itself that was written below the head of a table."""
    for key in table if isinstance(table, Mapping) else ():
        if key in tables and not any(key in model.model_fields for model in tables[name]):
            says = f"{key} belongs to no table; write it above the first [table]"
            raise at(f"{name}.{key}", says)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models that a field may hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
