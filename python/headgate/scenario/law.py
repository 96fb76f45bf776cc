"""Which law a flow obeys: a name of the catalogue, and what differs from its defaults."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field, model_validator

from headgate.base import catalog
from headgate.base.parameters import Value, count_packets
from headgate.scenario.named import Named


class LawChoice(Named):
    """`"fast"`, or `{name = "fast", alpha = 20}`."""

    written: ClassVar[str] = (
        "one law, such as 'reno' or {name = 'fast', alpha = 20}; more laws need a [[traffic]] each"
    )

    name: str = Field(description="A name or alias of `headgate catalog`.")
    params: dict[str, bool | float | str] = Field(
        default_factory=dict, description="Parameters that differ from the law's defaults."
    )

    @model_validator(mode="after")
    def _is_in_the_catalogue(self) -> LawChoice:
        law = catalog.law(self.name)
        self.read_params(law, count_packets)
        object.__setattr__(self, "name", law.name)  # an alias becomes the name
        return self

    def resolve(self) -> dict[str, Value]:
        """Return the parameters of the plan."""
        return self.read_params(catalog.law(self.name), count_packets)

    def plan(self) -> dict[str, Any]:
        """Make the law of the plan."""
        return {"name": self.name, "params": self.resolve()}
