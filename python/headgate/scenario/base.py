"""What all parts of a scenario share: strict frozen models, and quantities written with units."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Annotated, Any, ClassVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from headgate.base import units
from headgate.base.as_toml import as_toml
from headgate.base.strict import check_keys


def _quantity(parse: Callable[[object], Any], write: Callable[[Any], str], example: str) -> Any:
    """Build the pydantic marks of a quantity: text outside, a number inside."""
    return (
        BeforeValidator(parse),
        PlainSerializer(write, return_type=str),
        WithJsonSchema({"type": "string", "examples": [example]}),
    )


def _rising(numbers: tuple[int, ...]) -> tuple[int, ...]:
    if any(one >= other for one, other in itertools.pairwise(numbers)):
        raise PydanticCustomError("rising", "packet numbers must rise; none may come twice", {})
    return numbers


Rate = Annotated[int, *_quantity(units.parse_rate, units.format_rate, "100 Mbit/s")]
"""bit/s, above zero."""
Time = Annotated[int, *_quantity(units.parse_time_ps, units.format_time_ps, "45 ms")]
"""Picoseconds, zero or more."""
Bytes = Annotated[int, *_quantity(units.parse_bytes, units.format_bytes, "1460 B")]
"""Bytes, zero or more."""
Packets = Annotated[Fraction, *_quantity(units.parse_packets, units.format_packets, "10 packets")]
"""Segments, above zero."""
FileSize = Annotated[units.Amount, *_quantity(units.parse_size, str, "100 packets")]
"""Packets or bytes, above zero."""
Buffer = Annotated[units.Amount, *_quantity(units.parse_buffer, str, "1 BDP")]
"""Packets, bytes, time, a multiple of the bandwidth-delay product, or infinite."""
PacketNumbers = Annotated[
    tuple[Annotated[int, Field(ge=1, lt=2**63)], ...], AfterValidator(_rising)
]
"""Numbers of packets, from 1, in order."""
Frequency = Annotated[
    float, *_quantity(units.parse_frequency, units.format_frequency, "500 flows/s")
]
"""Flows a second, above zero."""


class Model(BaseModel):
    """A frozen part of a scenario that refuses what it does not know."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=True, allow_inf_nan=False
    )

    #: What may be written for it, in a sentence.
    written: ClassVar[str] = "a table of keys and values"

    @model_validator(mode="before")
    @classmethod
    def _knows_every_key(cls, given: Any) -> Any:
        if not isinstance(given, Mapping | cls):
            says = f"{as_toml(given)} is not allowed; write {cls.written}"
            raise PydanticCustomError("not_a_table", "{error}", {"error": says})
        check_keys(given, cls)
        return given


def also_text(schema: dict[str, Any]) -> None:
    """Say in the JSON Schema of a model that a string may replace its table."""
    _either(schema, {"type": "string"})


def also_text_and_params(schema: dict[str, Any]) -> None:
    """Say in the JSON Schema of a model that its parameters stand beside its name, or none do."""
    schema["additionalProperties"] = {"type": ["number", "string", "boolean"]}
    also_text(schema)


def also_list(schema: dict[str, Any]) -> None:
    """Say in the JSON Schema of a model that a list may replace its table."""
    _either(schema, {"type": "array"})


def _either(schema: dict[str, Any], short: dict[str, Any]) -> None:
    table = dict(schema)
    schema.clear()
    for key in ("title", "description"):
        if key in table:
            schema[key] = table.pop(key)
    schema["anyOf"] = [short, table]


def at(key: str, sentence: str) -> PydanticCustomError:
    """Make an error about the field `key` of the model at hand."""
    return PydanticCustomError("at", "{sentence}", {"key": key, "sentence": sentence})
