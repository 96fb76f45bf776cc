"""Times that are drawn: their distributions."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from headgate.scenario.base import Model, Time, also_text, at


class Times(Model):
    """Times: fixed, exponential, or Pareto with the given mean."""

    model_config = ConfigDict(json_schema_extra=also_text)

    kind: Literal["fixed", "exponential", "pareto"] = Field(description="Kind of distribution.")
    mean: Time = Field(description="Mean time.")
    shape: float | None = Field(
        None, gt=1, le=1000, description="Pareto's shape; the tail is heavy near 1."
    )

    @model_validator(mode="before")
    @classmethod
    def _from_one_time(cls, given: Any) -> Any:
        """Read `pause = "2 s"` as times that are all the same."""
        return {"kind": "fixed", "mean": given} if isinstance(given, str | int | float) else given

    @model_validator(mode="after")
    def _fits_together(self) -> Times:
        if (self.kind == "pareto") != (self.shape is not None):
            raise at("shape", "a 'pareto' time has a shape, such as 1.5; other times have none")
        if self.kind != "fixed" and self.mean == 0:
            raise at("mean", "the mean of times that are drawn must be above 0 s")
        return self

    def plan(self) -> dict[str, Any]:
        """Make the times of the plan."""
        if self.kind == "fixed":
            return {"kind": "fixed", "ps": self.mean}
        shape = {} if self.shape is None else {"shape": self.shape}
        return {"kind": self.kind, "mean_s": self.mean / 1e12, **shape}
