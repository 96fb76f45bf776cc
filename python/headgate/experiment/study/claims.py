"""Claims of studies: their values, and the texts and keys that several claims share.

A value is SQL over the study's tables, or a function of its Python with arguments:

    value = "SELECT max(loss_rate) FROM delay"
    value = { function = "least", part = "delay", low = 10 }

`[shared]` contains texts that several claims use: `$name` in a text is replaced by the shared text,
or by the argument of that name of the claim's function. `[kinds.NAME]` contains keys that several
claims share; a claim with `kind = "NAME"` adds its other keys.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import reduce
from pathlib import Path
from string import Template
from typing import Any, Literal

import numpy as np
from pydantic import AliasPath, BaseModel, ConfigDict, Field, field_validator

from headgate.base.errors import HeadgateError
from headgate.base.strict import Strict, fit_model
from headgate.claims.claim import Claim
from headgate.claims.verdicts import Estimate
from headgate.data.tables import Table
from headgate.experiment import sql
from headgate.experiment.estimates import estimate_mean, find_largest, find_least
from headgate.experiment.runs import NotRunError
from headgate.experiment.study import files

CLAIMS = "claims.toml"
Interval = Literal["", "seeds"]
Tables = Mapping[str, Table]
_EXTREMES = {"largest": find_largest, "least": find_least}


class Call(BaseModel):
    """A function of the study's Python; all other keys are its arguments."""

    model_config = ConfigDict(extra="allow", frozen=True)

    function: str

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments after the runs."""
        return dict(self.model_extra or {})


class StudyClaim(Claim):
    """A claim of a study, with the query or function that computes its value."""

    call: Call | None = Field(None, validation_alias=AliasPath("value"))
    """The function that computes the value, if it is not SQL."""
    over: Literal["replicates", "all", "largest", "least"] = "replicates"
    """The result of SQL: a number per replicate, one of all runs, or names with values."""
    digits: int = Field(3, ge=1)
    """Digits of the values in the note, for names with values."""
    interval: Interval = ""
    """`seeds`: the interval of the jackknife, which omits each replicate in turn."""

    @field_validator("value", mode="before")
    @classmethod
    def _asked(cls, given: Any) -> Any:
        return "" if isinstance(given, Mapping) else given

    @field_validator("call", mode="before")
    @classmethod
    def _called(cls, given: Any) -> Any:
        return given if isinstance(given, Mapping) else None

    def basis(self) -> str:
        """Return the keys that determine the value: with others, findings are stale."""
        own = {"call", "over", "digits", "interval"}
        found = self.model_dump_json(include=own, exclude_defaults=True)
        return super().basis() + ("" if found == "{}" else found)


class ClaimsFile(Strict):
    """`claims.toml` as a value."""

    shared: dict[str, str] = Field({})
    """Texts by name."""
    kinds: dict[str, dict[str, Any]] = Field({})
    """Keys that all claims of a kind share, by its name."""
    interval: Interval = ""
    """The interval of every claim without this key."""
    claim: list[dict[str, Any]]

    def make(self, row: Mapping[str, Any], file: str) -> StudyClaim:
        """Make one claim from its entry. Raises HeadgateError."""
        place = f"{file}: {row.get('id', 'a claim without id')}"
        whole = {key: given for key, given in row.items() if key != "kind"}
        kind = row.get("kind")
        if kind is not None:
            if not isinstance(kind, str) or kind not in self.kinds:
                known = ", ".join(self.kinds) or "none"
                raise HeadgateError(
                    f"{place}.kind: there is no kind {kind!r}; the kinds are {known}"
                )
            whole = files.merge(self.kinds[kind], whole, place)
        value, texts = whole.get("value"), dict(self.shared)
        if isinstance(value, Mapping):
            texts |= {name: str(argument) for name, argument in value.items()}
        filled = {key: _fill(key, given, texts, place) for key, given in whole.items()}
        return fit_model(StudyClaim, {"interval": self.interval, **filled}, place)


def _fill(key: str, given: Any, texts: Mapping[str, str], place: str) -> Any:
    """Replace names by their texts, except in keys that are no prose."""
    if key in ("id", "value") or not isinstance(given, str):
        return given
    try:
        return Template(given).substitute(texts)
    except KeyError as name:
        known = ", ".join(texts) or "none"
        raise HeadgateError(
            f"{place}.{key}: there is no shared text {name}; shared are {known}"
        ) from None
    except ValueError:
        raise HeadgateError(f"{place}.{key}: write $$ for a $") from None


def read_claims(path: Path) -> list[StudyClaim]:
    """Read a study's `claims.toml`. Raises HeadgateError with the place of a wrong entry."""
    file = fit_model(ClaimsFile, files.read_extended(path), path.name)
    claims = [file.make(row, path.name) for row in file.claim]
    if len({claim.id for claim in claims}) < len(claims):
        raise HeadgateError(f"{path.name}: two claims have the same id")
    return claims


def estimate(claim: StudyClaim, tables: Tables, column: str, replicates: Iterable[int]) -> Estimate:
    """Compute a claim's value; `column` contains the replicate of each row.

    The result is the mean over replicates with Student's 95 % interval, the value of all runs
    together, or one of several named values. Raises HeadgateError.
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
    """Return the tables; raise NotRunError if a table of the claim is missing."""
    missing = sorted(sql.tables_in(claim.value) - tables.keys())
    if missing:
        raise NotRunError(f"there is no table {missing[0]}; the tables are {', '.join(tables)}")
    return tables


def replicates_in(claim: StudyClaim, tables: Tables, column: str) -> list[int]:
    """Return the replicates that all tables of a claim have; `column` contains them.

    A study may repeat some conditions more often than others, in a separate table.
    """
    read = (tables[name] for name in sql.tables_in(claim.value))
    each = [np.unique(table[column]) for table in read if column in table]
    return reduce(np.intersect1d, each).tolist() if each else []


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
            f"gives {len(answer.columns)} columns; over = {claim.over!r} needs a name and a number"
        )
    values = {str(name): math.nan if value is None else float(value) for name, value in answer.rows}
    if not values:
        return Estimate(ours=math.nan, note="no row of the tables is part of this scale")
    return _EXTREMES[claim.over](values, claim.digits)
