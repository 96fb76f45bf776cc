"""Claims: the statement of a source and the tolerance for our result.

A tolerance is written before the first run that it judges. It is one of

    ">= 0.75"   "<= 0.10"      bounds on our result
    "+- 0.02"   "+- 5 %"       a distance from the published number
"""

import math
import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

#: The origin of a difference. The source contains an error or omits a decisive fact; an equation or
#: a smaller network omits packet behaviour; or we made a choice or an error.
Origin = Literal["", "source", "model", "ours"]
_TOLERANCE = re.compile(r"(>=|<=|\+-)\s*([0-9.eE+-]+)\s*(%?)")


class Correction(BaseModel):
    """A corrected statement, which is judged like the claim."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    statement: str
    published: float | str
    tolerance: str


class Claim(BaseModel):
    """A statement of a source, with the tolerance for our result; `why` explains a difference."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(description="The name in tables.")
    statement: str = Field(description="The claim as a sentence.")
    source: str = Field("", description="The publication and the place in it.")
    published: float | str = Field("", description="The number or the wording of the source.")
    measure: str = Field("", description="How the number is computed, in words.")
    tolerance: str | None = Field(
        None,
        description="Such as '>= 0.75', '<= 0.1', '+- 0.02' or '+- 5 %' of the published number.",
    )
    missing: str | None = Field(None, description="The missing input, if it cannot be checked.")
    scales: tuple[str, ...] = Field(
        (), description="Scales of a study at which it is judged; otherwise all."
    )
    corrected: Correction | None = Field(None, description="The statement that should replace it.")
    why: str = Field("", description="Why our result differs, with the run that shows it.")
    whose: Origin = Field(
        "", description="The origin of the difference: the source, a model, or our work."
    )
    value: str = Field(
        "", description="SQL over the table `runs` of an experiment, evaluated for each replicate."
    )
    where: str = Field("", description="SQL condition that selects the runs.")

    @field_validator("tolerance")
    @classmethod
    def _is_well_formed(cls, text: str | None) -> str | None:
        if text is not None and not _TOLERANCE.fullmatch(text):
            raise ValueError(f"{text!r} is not a tolerance such as '>= 0.75' or '+- 5 %'")
        return text

    @model_validator(mode="after")
    def _can_be_judged(self) -> "Claim":
        if (self.tolerance is None) == (self.missing is None):
            raise ValueError("a claim needs either a tolerance or the missing input")
        if self.tolerance and self.tolerance.startswith("+-") and isinstance(self.published, str):
            raise ValueError("a tolerance '+-' needs a published number")
        for key in () if self.value else ("source", "published", "measure"):
            if getattr(self, key) == "":
                raise ValueError(f"a claim without a value needs the key {key}")
        return self

    def basis(self) -> str:
        """Return the expression and the condition that decide the number."""
        return " where ".join(part for part in (self.value, self.where) if part)


def read_bounds(tolerance: str, published: float | str) -> tuple[float, float]:
    """Return the least and the largest number within a tolerance."""
    found = _TOLERANCE.fullmatch(tolerance)
    assert found, tolerance  # the model checks it
    sign, bound = found[1], float(found[2])
    if sign == ">=":
        return bound, math.inf
    if sign == "<=":
        return -math.inf, bound
    middle = float(published)
    allowed = bound * abs(middle) / 100 if found[3] else bound
    return middle - allowed, middle + allowed
