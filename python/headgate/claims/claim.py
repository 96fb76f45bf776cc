"""Claims: what a source says, and the tolerance that ours is held to (`headgate.claims.verdicts`).

A tolerance is written before the first run that it judges. It is one of

    ">= 0.75"   "<= 0.10"      bounds on what was found
    "+- 0.02"   "+- 5 %"       a distance from the published number
"""

import math
import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

#: Where a difference lies: the source slips or leaves out what decides it; an equation or a smaller
#: network leaves out what packets do; a choice or a fault of ours.
Whose = Literal["", "source", "model", "ours"]
_TOLERANCE = re.compile(r"(>=|<=|\+-)\s*([0-9.eE+-]+)\s*(%?)")


class Correction(BaseModel):
    """What should be said instead, judged like the claim itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    statement: str
    published: float | str
    tolerance: str


class Claim(BaseModel):
    """A statement of a source, with the tolerance it is held to; `why` explains a difference."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(description="What it is called in tables.")
    statement: str = Field(description="The claim in a sentence.")
    source: str = Field("", description="Who says so, and where.")
    published: float | str = Field("", description="The number, or the words, of the source.")
    measure: str = Field("", description="How the number is formed, in words.")
    tolerance: str | None = Field(
        None, description="Such as '>= 0.75', '<= 0.1', '+- 0.02' or '+- 5 %' of what is published."
    )
    missing: str | None = Field(None, description="The input for want of which it is not judged.")
    scales: tuple[str, ...] = Field((), description="Scales of a study that it is judged at; all.")
    corrected: Correction | None = Field(None, description="What should be said instead.")
    why: str = Field("", description="Why ours differs, with the run that shows it.")
    whose: Whose = Field(
        "", description="Where the difference lies: in the source, in a model, or in what is ours."
    )
    value: str = Field(
        "", description="SQL over the table `runs` of an experiment, asked replicate by replicate."
    )
    where: str = Field("", description="SQL condition on the runs that it is about.")

    @field_validator("tolerance")
    @classmethod
    def _well_formed(cls, text: str | None) -> str | None:
        if text is not None and not _TOLERANCE.fullmatch(text):
            raise ValueError(f"{text!r} is not a tolerance such as '>= 0.75' or '+- 5 %'")
        return text

    @model_validator(mode="after")
    def _judgeable(self) -> "Claim":
        if (self.tolerance is None) == (self.missing is None):
            raise ValueError("a claim needs a tolerance, or else the input that is missing")
        if self.tolerance and self.tolerance.startswith("+-") and isinstance(self.published, str):
            raise ValueError("a tolerance '+-' needs a published number")
        if not self.value:
            self._require_source()
        return self

    def basis(self) -> str:
        """Return what decides the number: other findings follow from another."""
        return " where ".join(part for part in (self.value, self.where) if part)

    def _require_source(self) -> None:
        """Refuse a statement that says not whose it is, unless it is judged by a value."""
        for key in ("source", "published", "measure"):
            if getattr(self, key) == "":
                raise ValueError(f"a claim without a value needs the key {key}")


def bounds(tolerance: str, published: float | str) -> tuple[float, float]:
    """Return the least and the largest number within a tolerance."""
    found = _TOLERANCE.fullmatch(tolerance)
    assert found, tolerance  # checked when the claim was read
    sign, bound = found[1], float(found[2])
    if sign == ">=":
        return bound, math.inf
    if sign == "<=":
        return -math.inf, bound
    middle = float(published)
    allowed = bound * abs(middle) / 100 if found[3] else bound
    return middle - allowed, middle + allowed
