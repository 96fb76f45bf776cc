"""What claims ask of the tables of a study, in SQL: a number a replicate, or one of many."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.claims.verdicts import Estimate
from headgate.data.tables import Table
from headgate.experiment import sql
from headgate.experiment.estimates import estimate_mean, find_largest, find_least
from headgate.experiment.runs import NotRunError
from headgate.experiment.study.claims import StudyClaim

Tables = Mapping[str, Table]
_EXTREMES = {"largest": find_largest, "least": find_least}


def estimate(claim: StudyClaim, tables: Tables, column: str, replicates: Iterable[int]) -> Estimate:
    """Ask for a claim's value; `column` says of which replicate a row is.

    It is the mean over replicates with Student's 95 % interval, the value of all runs together, or
    one of many values, named.
    Raises HeadgateError.
    """
    try:
        if claim.over in _EXTREMES:
            return _find_extreme(claim, tables)
        if claim.over == "all":
            return Estimate(ours=sql.number(sql.ask(claim.value, tables)))
        return estimate_mean([_ask(claim.value, tables, column, each) for each in replicates])
    except sql.SqlError as error:
        raise HeadgateError(f"claims.{claim.id}: {error}") from None


def require_tables(claim: StudyClaim, tables: Tables) -> Tables:
    """Return the tables that a claim asks; raise NotRunError if one of them is not there."""
    missing = sorted(sql.tables_in(claim.value) - tables.keys())
    if missing:
        raise NotRunError(f"there is no table {missing[0]}; the tables are {', '.join(tables)}")
    return tables


def _ask(question: str, tables: Tables, column: str, replicate: int) -> float:
    chosen = {
        name: table.where(np.flatnonzero(table[column] == replicate)) if column in table else table
        for name, table in tables.items()
    }
    return sql.number(sql.ask(question, chosen))


def _find_extreme(claim: StudyClaim, tables: Tables) -> Estimate:
    answer = sql.ask(claim.value, tables)
    if len(answer.columns) != 2:
        raise sql.SqlError(
            f"gives {len(answer.columns)} columns; for over = {claim.over!r} a name and a number"
            " are asked for"
        )
    values = {str(name): math.nan if value is None else float(value) for name, value in answer.rows}
    if not values:
        return Estimate(ours=math.nan, note="no row of the tables is part of this scale")
    return _EXTREMES[claim.over](values, claim.digits)
