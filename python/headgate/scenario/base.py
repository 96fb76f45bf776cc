"""The common parts of all scenario models: strictness, quantities, names with parameters."""

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
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from headgate.base import parameters, units
from headgate.base.catalog import Cca
from headgate.base.messages import as_toml
from headgate.base.strict import check_keys


def _quantity(parse: Callable[[object], Any], write: Callable[[Any], str], example: str) -> Any:
    """Return the annotations of a quantity, which is text outside and a number inside."""
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

    #: The allowed forms, for messages.
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
    """Allow a string instead of the table in the JSON Schema of a model."""
    _either(schema, {"type": "string"})


def also_text_and_params(schema: dict[str, Any]) -> None:
    """Allow a string, or parameters next to the name, in the JSON Schema of a model."""
    schema["additionalProperties"] = {"type": ["number", "string", "boolean"]}
    also_text(schema)


def also_list(schema: dict[str, Any]) -> None:
    """Allow a list instead of the table in the JSON Schema of a model."""
    _either(schema, {"type": "array"})


def _either(schema: dict[str, Any], short: dict[str, Any]) -> None:
    table = dict(schema)
    schema.clear()
    for key in ("title", "description"):
        if key in table:
            schema[key] = table.pop(key)
    schema["anyOf"] = [short, table]


def at(key: str, sentence: str) -> PydanticCustomError:
    """Return an error about the field `key` of the current model."""
    return PydanticCustomError("at", "{sentence}", {"key": key, "sentence": sentence})


def move_to(place: str, error: PydanticCustomError) -> PydanticCustomError:
    """Return an error of `at` about the same field below `place`."""
    context = error.context or {}
    return at(f"{place}.{context['key']}", context["sentence"])


class Named(Model):
    """A name of the catalogue, or a table of `name` and parameters.

    A parameter that is a quantity carries a unit, in its value (`target = "5 ms"`) or in its name
    (`target_s = 0.005`).
    """

    model_config = ConfigDict(json_schema_extra=also_text_and_params)

    name: str = Field(description="A name of `headgate catalog`.")
    params: dict[str, bool | float | str] = Field(
        default_factory=dict, description="Parameters that differ from the defaults."
    )

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, given: Any) -> Any:
        if isinstance(given, str):
            return {"name": given}
        if not isinstance(given, Mapping):
            return given
        if "kind" in given and "name" not in given:
            raise at("kind", f"this key is now 'name'; write {{ name = {as_toml(given['kind'])} }}")
        if "params" not in given:
            own = cls._own_keys(given)
            params = {key: value for key, value in given.items() if key not in own}
            return {key: given[key] for key in own if key in given} | {"params": params}
        return given

    @classmethod
    def _own_keys(cls, _given: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the keys that are no parameters."""
        return ("name",)

    @model_serializer
    def _short_form(self) -> Any:
        return {"name": self.name, **self.params} if self.params else self.name

    def read_params(
        self, card: Cca, packets: parameters.Packets, *, are_exact: bool = True
    ) -> dict[str, parameters.Value]:
        """Return the parameters in the units of the card; only exact ones are compared."""
        try:
            read = parameters.read_parameters(card, self.params, packets)
            if are_exact:
                parameters.check_together(card, self.params, read)
            return read
        except parameters.ParameterError as error:
            raise at(error.key, error.sentence) from None
