"""Claims of an experiment: what is asked of the table of runs, replicate by replicate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.claims.claim import Claim
from headgate.claims.verdicts import Estimate
from headgate.data.tables import Table
from headgate.experiment import sql
from headgate.experiment.estimates import estimate_mean
from headgate.experiment.sequential import decide

if TYPE_CHECKING:
    from headgate.experiment.tables import MeasuredRuns
    from headgate.stats.sequential import Looks

RUNS, FIXED = "runs", "fixed_"


def estimate(
    claim: Claim, runs: Table, looks: Looks | None = None, *, same: bool = False
) -> Estimate:
    """Ask for a claim's value in each replicate; return the mean with Student's 95 % interval.

    With `looks` it is that of the look that decides the claim, or of the last one; `same` says that
    replicates are one and the same run, so that the first look is as good as the last.
    """
    values = [_ask(claim, _only(runs, replicate)) for replicate in np.unique(runs["replicate"])]
    return estimate_mean(values) if looks is None else decide(claim, values, looks, same=same)


def check(claim: Claim, runs: Table) -> None:
    """Hold a claim to the columns that the table of runs will have. Raises HeadgateError."""
    _ask(claim, runs)


def _ask(claim: Claim, runs: Table) -> float:
    try:
        return sql.number(sql.ask(question(claim), {RUNS: runs}))
    except sql.SqlError as error:
        names = ", ".join(runs.columns)
        raise HeadgateError(f"claims.{claim.id}: {error}; columns of runs are {names}") from None


def is_fixed(claim: Claim, found: MeasuredRuns) -> bool:
    """Say whether the runs that a claim is about are the same in every replicate.

    What a SELECT is about is not known: it may be all of them.
    """
    if found.same or not found.fixed.any() or not claim.where or _is_select(claim):
        return found.same
    conditions, _ = np.nonzero(found.digests)
    runs = found.asked.extended(RUNS, {FIXED: found.fixed[conditions].astype(int)})
    asked = f"SELECT min({FIXED}) FROM {RUNS} WHERE {claim.where}"
    return sql.number(sql.ask(asked, {RUNS: runs})) == 1


def _is_select(claim: Claim) -> bool:
    return claim.value.lstrip().lower().startswith(("select", "with"))


def question(claim: Claim) -> str:
    """Return what is asked: a SELECT as it is, or an expression over the rows that it is about."""
    if _is_select(claim):
        return claim.value
    return f"SELECT {claim.value} FROM {RUNS}" + (f" WHERE {claim.where}" if claim.where else "")


def _only(runs: Table, replicate: int) -> Table:
    rows = np.flatnonzero(runs["replicate"] == replicate)
    return runs.where(rows)
