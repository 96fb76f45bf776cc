"""What a law and a device of a port share in a scenario: a name, and parameters beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field, model_serializer, model_validator

from headgate.base.as_toml import as_toml
from headgate.base.catalog import Law
from headgate.base.parameters import (
    Packets,
    ParameterError,
    Value,
    check_together,
    read_parameters,
)
from headgate.scenario.base import Model, also_text_and_params, at


class Named(Model):
    """A name of the catalogue, or a table of `name` and parameters.

    A parameter that is a quantity has a unit, in its value (`target = "5 ms"`) or in its name
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
            params = {key: value for key, value in given.items() if key != "name"}
            return {key: given[key] for key in ("name",) if key in given} | {"params": params}
        return given

    @model_serializer
    def _short_form(self) -> Any:
        return {"name": self.name, **self.params} if self.params else self.name

    def read_params(
        self, card: Law, packets: Packets, *, are_exact: bool = True
    ) -> dict[str, Value]:
        """Return the parameters by the names of the card, numbers in its units.

        They are compared with one another once they are exact.
        """
        try:
            read = read_parameters(card, self.params, packets)
            if are_exact:
                check_together(card, self.params, read)
            return read
        except ParameterError as error:
            raise at(error.key, error.sentence) from None
