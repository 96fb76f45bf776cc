"""Small files, which others may have cut short or changed: a record of the right shape, or none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from headgate.base.files import write_bytes

Record = TypeVar("Record")

_shapes: dict[object, TypeAdapter[Any]] = {}


def read_record(kind: Callable[..., Record], path: Path) -> Record | None:
    """Read a record; None where there is none, or what is there has another shape."""
    try:
        record: Record = _shape(kind).validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return record


def write_record(path: Path, record: object, *, durable: bool = False) -> None:
    """Write a record whole or not at all. Raises StoreError."""
    write_bytes(path, _shape(type(record)).dump_json(record), durable=durable)


def _shape(kind: Any) -> TypeAdapter[Any]:
    if kind not in _shapes:
        _shapes[kind] = TypeAdapter(kind)
    return _shapes[kind]
