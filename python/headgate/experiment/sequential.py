"""Claims that are looked at again until each is decided (`headgate.stats.sequential`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field, model_validator

from headgate.base.optional import require
from headgate.claims.claim import Claim, read_bounds
from headgate.claims.verdicts import Estimate, lies_within
from headgate.scenario.base import Model, Time, at
from headgate.stats.sequential import Spending

if TYPE_CHECKING:
    from headgate.stats.sequential import Looks

SAME = "decided at once: all replicates are one and the same run, as nothing in it is random"
ALIKE = "all have the same value in different runs, which says nothing of the spread"


class Until(Model):
    """`[until]`: replicates are added until every claim is decided, or no more may be."""

    looks: int = Field(4, ge=1, le=20, description="How often one looks, at most.")
    first: int = Field(4, ge=2, description="Replicates at the first look.")
    most: int = Field(32, ge=2, description="Replicates at the last look.")
    alpha: float = Field(
        0.05,
        gt=0,
        lt=1,
        description="How often a claim is decided wrongly where the truth is the bound: with 0.05"
        " about 5 % of the time, for normally distributed means.",
    )
    spending: Spending = Field(
        "obrien-fleming", description="How alpha is spent: little at first, or as pocock does."
    )
    budget: Time | None = Field(
        None, gt=0, description="CPU time that all runs together may take, such as '2 h'."
    )

    @model_validator(mode="after")
    def _grows(self) -> Until:
        if self.most < self.first:
            raise at("most", f"{self.most} is less than the {self.first} of the first look")
        return self

    def plan(self) -> Looks:
        """Return the looks. Raises MissingLibraryError."""
        require("analysis", "until")
        from headgate.stats.sequential import plan_looks

        return plan_looks(self.most, self.looks, self.first, self.alpha, self.spending)


def decide(claim: Claim, values: Sequence[float], looks: Looks, *, same: bool = False) -> Estimate:
    """Look at a claim as often as there are values for, up to the first look that decides it.

    `values` has one number a replicate, in their order; `same` says that all are one and the same
    run. Values that are alike in different runs decide nothing: their spread is not known.
    """
    from headgate.stats.intervals import are_alike

    reached = [size for size in looks.sizes if size <= len(values)]
    allowed = read_bounds(claim.tolerance or "", claim.published)
    if not reached or not np.isfinite(values[: reached[-1]]).all():
        mean = float(np.mean(values)) if len(values) else math.nan
        return Estimate(ours=mean, note="some replicates have no value", decided=False)
    if same and are_alike(values):
        return Estimate(ours=float(values[0]), note=SAME)
    for number, size in enumerate(reached, 1):
        interval = looks.compute_interval(values[:size])
        if lies_within(interval, allowed) is not None:
            said = f"decided at look {number} of {len(looks.sizes)}, with {size} replicates"
            return Estimate(ours=float(np.mean(values[:size])), ci=interval, note=said)
    return _leave_open(values[: reached[-1]], allowed, looks)


def _leave_open(values: Sequence[float], allowed: tuple[float, float], looks: Looks) -> Estimate:
    """Say what the last look saw, and what would decide."""
    from headgate.stats.intervals import are_alike

    mean = float(np.mean(values))
    if are_alike(values):
        said = f"undecided after {len(values)} replicates: {ALIKE}"
        return Estimate(ours=mean, note=said, decided=False)
    said = _say_what_would_decide(values, allowed, looks)
    return Estimate(ours=mean, ci=looks.compute_interval(values), note=said, decided=False)


def _say_what_would_decide(
    values: Sequence[float], allowed: tuple[float, float], looks: Looks
) -> str:
    """Say how many replicates would do, if mean and spread stay as they are."""
    mean, spread = float(np.mean(values)), float(np.std(values, ddof=1))
    distance = min(abs(mean - bound) for bound in allowed if math.isfinite(bound))
    if distance == 0:
        return f"undecided after {len(values)} replicates: the mean is the bound"
    needed = math.ceil((looks.bounds[-1] * spread / distance) ** 2)
    return (
        f"undecided after {len(values)} replicates; some {max(needed, len(values) + 1)} would"
        " decide it if mean and spread stay"
    )
