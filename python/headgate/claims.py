"""Claims: what a source says, what we found, and the verdict that follows from both.

A tolerance is written before the first run that it judges. It is one of

    ">= 0.75"   "<= 0.10"      bounds on what was found
    "+- 0.02"   "+- 5 %"       a distance from the published number
"""

import math
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

ROUNDING = 1e-9
_TOLERANCE = re.compile(r"(>=|<=|\+-)\s*([0-9.eE+-]+)\s*(%?)")


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    DIFFERS = "differs"
    CORRECTED = "corrected"
    NOT_CHECKABLE = "not checkable"
    NOT_RUN = "not run"
    UNDECIDED = "undecided"


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
    why: str = Field("", description="Why ours differs.")
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


class Estimate(BaseModel):
    """What a study found for one claim: the number, and its 95 % confidence interval if any."""

    ours: float
    ci: tuple[float, float] | None = None
    note: str = ""
    decided: bool = True
    """Whether a sequential test has come to an end; its interval then holds one side of a bound."""


class Judged(BaseModel):
    """A claim with its finding and verdict: one row of the table of claims."""

    id: str
    statement: str
    source: str
    published: float | str
    measure: str
    tolerance: str | None
    ours: float | None
    ci: tuple[float, float] | None
    verdict: Verdict
    note: str


def judge(claim: Claim, findings: Mapping[str, Estimate], scale: str) -> Judged:
    """Give the verdict on a claim; `findings` are by claim id."""
    finding = findings.get(claim.id)
    left_out = claim.scales and scale not in claim.scales
    if claim.missing is not None:
        return _row(claim, finding, Verdict.NOT_CHECKABLE, f"missing: {claim.missing}")
    if finding is None or left_out or math.isnan(finding.ours):
        return _row(claim, None, Verdict.NOT_RUN, finding.note if finding else "")
    verdict = _verdict(claim, finding.ours) if finding.decided else Verdict.UNDECIDED
    said = (finding.note, _explanation(claim, verdict))
    return _row(claim, finding, verdict, ". ".join(part for part in said if part))


def _explanation(claim: Claim, verdict: Verdict) -> str:
    if verdict == Verdict.CORRECTED and claim.corrected:
        return claim.corrected.statement
    return claim.why if verdict == Verdict.DIFFERS else ""


def _verdict(claim: Claim, ours: float) -> Verdict:
    if within(ours, claim.tolerance or "", claim.published):
        return Verdict.HOLDS
    instead = claim.corrected
    if instead and within(ours, instead.tolerance, instead.published):
        return Verdict.CORRECTED
    return Verdict.DIFFERS


def within(ours: float, tolerance: str, published: float | str) -> bool:
    """Say whether a number lies within a tolerance."""
    low, high = bounds(tolerance, published)
    slack = ROUNDING * (high - low) / 2 if math.isfinite(high - low) else 0.0
    return low - slack <= ours <= high + slack


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


def _row(claim: Claim, finding: Estimate | None, verdict: Verdict, note: str) -> Judged:
    shared: dict[str, Any] = claim.model_dump(
        include={"id", "statement", "source", "published", "measure", "tolerance"}
    )
    shared["measure"] = shared["measure"] or f"{claim.value}, where {claim.where or 'any'}"
    ours, ci = (finding.ours, finding.ci) if finding else (None, None)
    return Judged(**shared, ours=ours, ci=ci, verdict=verdict, note=note)
