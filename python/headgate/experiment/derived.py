"""Keys of a scenario that follow from the levels of factors, by SQL over these, as `where` is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.base.errors import HeadgateError
from headgate.data.tables import Table
from headgate.experiment import sql
from headgate.scenario.toml import anchor_code

if TYPE_CHECKING:
    from headgate.engine.api import Scenario


def derive(
    scenarios: Sequence[Scenario], keys: Mapping[str, str], levels: Table, folder: Path
) -> list[Scenario]:
    """Return each scenario with the keys that follow from its row of levels.

    Paths of code are relative to the folder. Raises HeadgateError.
    """
    if not keys:
        return list(scenarios)
    columns = [
        anchor_code(_values(path, expression, levels), folder, path)
        for path, expression in keys.items()
    ]
    rows = zip(*columns, strict=True)
    return [
        scenario.varied(dict(zip(keys, row, strict=True)))
        for scenario, row in zip(scenarios, rows, strict=True)
    ]


def _values(path: str, expression: str, levels: Table) -> list[Any]:
    """Return the value of one key for every row."""
    try:
        answer = sql.ask(f"SELECT ({expression}) FROM levels", {"levels": levels})
    except sql.SqlError as error:
        names = ", ".join(levels.columns)
        raise HeadgateError(f"derived.{path}: {error}; its names are {names}") from None
    values = [row[0] for row in answer.rows]
    if len(values) != len(levels) or None in values:
        raise HeadgateError(f"derived.{path}: {expression!r} gives not one value a condition")
    return [float(value) if isinstance(value, Decimal) else value for value in values]
