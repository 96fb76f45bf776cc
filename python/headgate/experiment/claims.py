"""Claims of an experiment: values by replicate, and replicates added until all are decided."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field, model_validator

from headgate.base.errors import HeadgateError
from headgate.base.optional import require
from headgate.claims.claim import Claim, read_bounds
from headgate.claims.verdicts import Estimate, lies_within
from headgate.data.tables import Table
from headgate.experiment import sql
from headgate.experiment.estimates import estimate_mean
from headgate.scenario.base import Model, Time, at
from headgate.stats.intervals import are_alike
from headgate.stats.sequential import Spending

if TYPE_CHECKING:
    from headgate.experiment.tables import MeasuredRuns
    from headgate.stats.sequential import Looks

RUNS, FIXED = "runs", "fixed_"
SAME = "decided at once: all replicates are one and the same run, as nothing in it is random"
ALIKE = "all replicates give the same value in different runs, so the spread is unknown"


class Until(Model):
    """`[until]`: replicates are added until every claim is decided, or no more may be."""

    looks: int = Field(4, ge=1, le=20, description="The largest number of looks.")
    first: int = Field(4, ge=2, description="Replicates at the first look.")
    most: int = Field(32, ge=2, description="Replicates at the last look.")
    alpha: float = Field(
        0.05,
        gt=0,
        lt=1,
        description="How often a claim is decided wrongly if the truth is the bound: with 0.05"
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


def estimate(
    claim: Claim, runs: Table, looks: Looks | None = None, *, same: bool = False
) -> Estimate:
    """Compute a claim's value in each replicate; return the mean with Student's 95 % interval.

    With `looks`, the interval is that of the look that decides the claim, or of the last one.
    `same` means that all replicates are the same run, which decides and gives no interval.
    """
    replicates = runs["replicate"]
    values = [
        _ask(claim, runs.where(np.flatnonzero(replicates == one))) for one in np.unique(replicates)
    ]
    if same and len(values) > 1 and np.isfinite(values).all() and are_alike(values):
        found = Estimate(ours=float(values[0]), note=SAME)
    else:
        found = estimate_mean(values) if looks is None else decide(claim, values, looks)
    notes = (found.note, *_count_missing(claim, runs))
    return found.model_copy(update={"note": "; ".join(filter(None, notes))})


def _count_missing(claim: Claim, runs: Table) -> Iterator[str]:
    """Yield how many rows lack a value of a column that a claim reads; SQL leaves these out."""
    rows = _say_condition(claim)
    for name in runs.columns:
        if not re.search(rf"\b{re.escape(name)}\b", claim.value, re.IGNORECASE):
            continue
        ask = f'SELECT count(*) - count("{name}"), count(*) FROM {RUNS}{rows}'
        ((missing, count),) = sql.ask(ask, {RUNS: runs}).rows
        if missing:
            yield f"{name} lacks a value in {missing} of {count} rows, which SQL leaves out"


def check(claim: Claim, runs: Table, levels: Table) -> None:
    """Check a claim against the columns of the future table of runs, and against their levels.

    Raises HeadgateError.
    """
    _ask(claim, runs)
    if not (rows := _say_condition(claim)):
        return
    try:
        kept = sql.number(sql.ask(f"SELECT count(*) FROM {RUNS}{rows}", {RUNS: levels}))
    except sql.SqlError:  # the condition reads responses or replicates too
        return
    if not kept:
        raise HeadgateError(f"claims.{claim.id}.where: {claim.where!r} selects none of the runs")


def _ask(claim: Claim, runs: Table) -> float:
    question = claim.value
    if not _is_select(claim):
        question = f"SELECT {claim.value} FROM {RUNS}{_say_condition(claim)}"
    try:
        return sql.number(sql.ask(question, {RUNS: runs}))
    except sql.SqlError as error:
        names = ", ".join(runs.columns)
        raise HeadgateError(f"claims.{claim.id}: {error}; columns of runs are {names}") from None


def is_fixed(claim: Claim, found: MeasuredRuns) -> bool:
    """Return whether the runs of a claim are the same in every replicate.

    The rows of a SELECT are unknown: they may be all runs.
    """
    rows = _say_condition(claim)
    if found.same or not found.fixed.any() or not rows:
        return found.same
    conditions, _ = np.nonzero(found.digests)
    fixed = np.tile(found.fixed[conditions].astype(int), max(1, len(found.periods)))
    runs = found.asked.extended(RUNS, {FIXED: fixed})
    question = f"SELECT min({FIXED}) FROM {RUNS}{rows}"
    return sql.number(sql.ask(question, {RUNS: runs})) == 1


def _say_condition(claim: Claim) -> str:
    """Return the condition of a claim as the end of a query; "" if it selects by itself."""
    return f" WHERE {claim.where}" if claim.where and not _is_select(claim) else ""


def _is_select(claim: Claim) -> bool:
    return claim.value.lstrip().lower().startswith(("select", "with"))


def decide(claim: Claim, values: Sequence[float], looks: Looks) -> Estimate:
    """Look at a claim as often as `values` allow, up to the first look that decides it.

    `values` contains one number per replicate, in order. Equal values of different runs decide
    nothing, because their spread is unknown.
    """
    reached = [size for size in looks.sizes if size <= len(values)]
    allowed = read_bounds(claim.tolerance or "", claim.published)
    if not reached or not np.isfinite(values[: reached[-1]]).all():
        mean = float(np.mean(values)) if len(values) else math.nan
        return Estimate(ours=mean, note="some replicates have no value", decided=False)
    for number, size in enumerate(reached, 1):
        interval = looks.compute_interval(values[:size])
        if lies_within(interval, allowed) is not None:
            note = f"decided at look {number} of {len(looks.sizes)}, with {size} replicates"
            return Estimate(ours=float(np.mean(values[:size])), ci=interval, note=note)
    seen = values[: reached[-1]]
    mean, ci = float(np.mean(seen)), None if are_alike(seen) else looks.compute_interval(seen)
    note = f"undecided after {len(seen)} replicates{_say_what_would_decide(seen, allowed, looks)}"
    return Estimate(ours=mean, ci=ci, note=note, decided=False)


def _say_what_would_decide(
    values: Sequence[float], allowed: tuple[float, float], looks: Looks
) -> str:
    """Estimate the number of replicates that would decide, with unchanged mean and spread."""
    if are_alike(values):
        return f": {ALIKE}"
    mean, spread = float(np.mean(values)), float(np.std(values, ddof=1))
    distance = min(abs(mean - bound) for bound in allowed if math.isfinite(bound))
    if distance == 0:
        return ": the mean is the bound"
    needed = math.ceil((looks.bounds[-1] * spread / distance) ** 2)
    return f"; some {max(needed, len(values) + 1)} would decide it if mean and spread stay"
