"""JSON Schema of a model as editors want it: no titles of keys, defaults as they are written."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

#: What a default of each type is in TOML; others are numbers inside, such as picoseconds.
_WRITTEN: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}


#: What bounds a number inside, and no text.
_BOUNDS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")


class _Plain(GenerateJsonSchema):
    """The generator of pydantic without a title for each key: `Rtt` says nothing beside `rtt`."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Set none."""
        del schema
        return False


def make_plain(model: type[BaseModel], *, by_alias: bool = True) -> dict[str, Any]:
    """Make the schema of a model."""
    made = model.model_json_schema(by_alias=by_alias, schema_generator=_Plain)
    found: dict[str, Any] = _clean(made)
    return {**found, "$defs": found.get("$defs", {})}


def _clean(part: Any) -> Any:
    """Leave out defaults that are not as a user writes them, and bounds of numbers for texts."""
    if isinstance(part, list):
        return [_clean(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {key: _clean(value) for key, value in part.items() if not _is_stray(key, part)}


def _is_stray(key: str, part: dict[str, Any]) -> bool:
    kind = part.get("type")
    if key == "default":
        return not isinstance(part[key], _WRITTEN.get(str(kind), ())) or part[key] == ""
    return kind == "string" and key in _BOUNDS
