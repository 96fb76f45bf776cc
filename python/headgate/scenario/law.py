"""Which law a flow obeys: a name of the catalogue, and what differs from its defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import ConfigDict, Field, model_serializer, model_validator

from headgate import catalog
from headgate.as_toml import as_toml
from headgate.scenario.base import Model, also_text_and_params, at


class LawChoice(Model):
    """`"fast"`, or `{name = "fast", alpha = 20}`: parameters are in the catalogue's units."""

    model_config = ConfigDict(json_schema_extra=also_text_and_params)

    written: ClassVar[str] = (
        "one law, such as 'reno' or {name = 'fast', alpha = 20}; more laws need a [[traffic]] each"
    )

    name: str = Field(description="A name or alias of `headgate catalog`.")
    params: dict[str, float | str] = Field(
        default_factory=dict, description="Parameters that differ from the law's defaults."
    )

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, given: Any) -> Any:
        if isinstance(given, str):
            return {"name": given}
        if isinstance(given, Mapping) and "kind" in given and "name" not in given:
            raise at("kind", f"this key is now 'name'; write {{ name = {as_toml(given['kind'])} }}")
        if isinstance(given, Mapping) and "params" not in given:
            params = {key: value for key, value in given.items() if key != "name"}
            return {key: given[key] for key in ("name",) if key in given} | {"params": params}
        return given

    @model_validator(mode="after")
    def _is_in_the_catalogue(self) -> LawChoice:
        law = catalog.law(self.name)
        for name, value in self.params.items():
            law.param(name).check(value)
        object.__setattr__(self, "name", law.name)  # an alias becomes the name
        return self

    @model_serializer
    def _short_form(self) -> Any:
        return {"name": self.name, **self.params} if self.params else self.name

    def plan(self) -> dict[str, Any]:
        """Make the law of the plan."""
        return {"name": self.name, "params": dict(self.params)}
