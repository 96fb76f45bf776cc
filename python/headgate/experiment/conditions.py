"""Conditions: the combinations of levels that are run, their names, and keys derived from them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.base import units
from headgate.base.errors import HeadgateError, UnitError
from headgate.base.level_order import LevelOrder, level_text
from headgate.base.messages import as_toml
from headgate.data.tables import Table, Words
from headgate.design.factor import Factor
from headgate.design.factorial import Design
from headgate.experiment import sql
from headgate.plugin.code_files import shorten_path
from headgate.plugin.user_code import is_code, split
from headgate.scenario.keys import UNSET
from headgate.scenario.mixes import is_algorithm, is_mix
from headgate.scenario.toml import anchor_code, is_file

if TYPE_CHECKING:
    from headgate.engine.api import Scenario

Label = str | int | float
#: Keys that name a table.
_HEADS = ("name", "source", "kind", "preset")


def choose(design: Design, where: str) -> Design:
    """Remove the combinations of levels that `where` refuses. Raises HeadgateError."""
    if not where:
        return design
    kept = holds(where, levels_table(design.factors, design.matrix.tolist()))
    matrix = design.matrix[kept]
    for place, factor in enumerate(design.factors):
        if len(np.unique(matrix[:, place])) == 1:
            level = label_levels(factor, matrix[:1, place])[0]
            raise HeadgateError(
                f"where: {where!r} leaves one level of {factor.name}, {as_toml(level)}"
            )
    return replace(design, matrix=matrix, fraction=None)


def holds(where: str, levels: Table) -> list[bool]:
    """Return which rows of levels satisfy a SQL condition. Raises HeadgateError if none does."""
    answer = _ask(where, levels, "where")
    if answer.types[0] != "BOOLEAN":
        raise HeadgateError(f"where: {where!r} is neither true nor false; compare a factor with it")
    kept = [row[0] is True for row in answer.rows]
    if not any(kept):
        raise HeadgateError(f"where: {where!r} leaves no combination of levels")
    return kept


def levels_table(factors: Sequence[Factor], coded: Sequence[Sequence[float]]) -> Table:
    """Return a row for each condition: the levels as text, and quantities also as numbers."""
    return label_table(
        {
            factor.name: label_levels(factor, [row[place] for row in coded])
            for place, factor in enumerate(factors)
        }
    )


def label_table(labels: Mapping[str, Sequence[Label]]) -> Table:
    """Return labels as columns; quantities also become columns of numbers."""
    columns: dict[str, Any] = {}
    for name, each in labels.items():
        columns[name] = column_of(each)
        columns |= quantities(name, each)
    return Table("levels", columns)


def column_of(labels: Sequence[Label]) -> Any:
    """Return labels as a column of numbers, if all are numbers, or of words."""
    if all(isinstance(label, int | float) for label in labels):
        return np.array(labels)
    return Words.of([level_text(label) for label in labels])


def label_levels(factor: Factor, coded: Sequence[float] | Any) -> list[Label]:
    """Return the label of each level, given as a coded value."""
    every = factor.levels or (factor.low, factor.high)
    name_of = _file_name if is_file(factor.setting) else level_name
    names = [name_of(level) for level in every]
    twice = {name for name in names if names.count(name) > 1}
    levels = [factor.level(value) for value in map(float, coded)]
    return [shorten_path(str(one)) if name_of(one) in twice else name_of(one) for one in levels]


def _file_name(level: Any) -> Label:
    return Path(level).name if isinstance(level, str) else level_name(level)


def find_levels(factors: Sequence[Factor], coded: Any) -> dict[str, tuple[Label, ...]]:
    """Return the levels of each factor that occur, in the order of the file.

    Every picture, table and sentence uses this order.
    """
    columns = np.asarray(coded, float).T
    return {
        factor.name: tuple(dict.fromkeys(label_levels(factor, np.unique(column))))
        for factor, column in zip(factors, columns, strict=True)
    }


def order_levels(levels: Mapping[str, Sequence[Label]]) -> LevelOrder:
    """Return the order of levels, in the spelling of tables."""
    return LevelOrder({name: tuple(map(level_text, labels)) for name, labels in levels.items()})


def level_name(level: Any) -> Label:
    """Return a level as a word or a number; code is named by its class."""
    if isinstance(level, bool):
        return str(level).lower()
    if level == UNSET:
        return "unset"
    if shares := list(_shares(level)):
        return " + ".join(f"{_percent(share)} {level_name(cca)}" for cca, share in shares)
    if isinstance(level, Mapping | list | tuple):
        return _name_parts(level)
    if isinstance(level, str) and is_code(level):
        file, name = split(level)
        return name or Path(file).stem
    return level if isinstance(level, int | float) else str(level)


def _name_parts(level: Mapping[str, Any] | Sequence[Any]) -> Label:
    """Return a table as its name and other keys, and a list as the names of its entries."""
    if not isinstance(level, Mapping):
        return ", ".join(str(level_name(part)) for part in level) or "none"
    head = next((level[key] for key in _HEADS if key in level), "")
    rest = [f"{key}={level_name(part)}" for key, part in level.items() if part != head]
    if not head:
        return " ".join(rest)
    return f"{level_name(head)}({', '.join(rest)})" if rest else level_name(head)


def _shares(level: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the algorithms of a mix with their shares; nothing if the level is no mix."""
    if not is_mix(level):
        return
    if isinstance(level, Mapping):
        yield from level.items() if all(map(is_algorithm, level)) else ()
    else:
        yield from ((part.get("cca"), part["share"]) for part in level)


def _percent(share: Any) -> str:
    """Return a share in percent, or a mistake as it is, which the scenario refuses."""
    is_number = isinstance(share, int | float) and not isinstance(share, bool)
    return f"{100 * share:.6g} %" if is_number else str(share)


def quantities(name: str, labels: Sequence[Label]) -> dict[str, Any]:
    """Return quantities of one kind as a column of numbers such as `rtt_s`; else nothing."""
    texts = [str(label) for label in labels]
    for unit, parse, one in _KINDS:
        try:
            return {f"{name}_{unit}": np.array([parse(text) * one for text in texts])}
        except UnitError:
            continue
    words = {text.partition(" ")[2] for text in texts}
    known = units.sizes(texts)
    if known is None or len(words) > 1 or words == {""}:
        return {}
    unit = re.sub(r"\W+", "_", words.pop()).strip("_").lower()
    return {f"{name}_{unit}": np.array([float(size) for size in known])}


_KINDS = (
    ("s", units.parse_time_ps, 1e-12),
    ("bps", units.parse_rate, 1.0),
    ("bytes", units.parse_bytes, 1.0),
)


def derive(
    scenarios: Sequence[Scenario], keys: Mapping[str, str], levels: Table, folder: Path
) -> list[Scenario]:
    """Return each scenario with the keys that SQL computes from its row of levels.

    Paths of code are relative to the folder. Raises HeadgateError.
    """
    if not keys:
        return list(scenarios)
    columns = [
        anchor_code(_compute_key(path, expression, levels), folder, path)
        for path, expression in keys.items()
    ]
    return [
        scenario.varied(dict(zip(keys, row, strict=True)))
        for scenario, row in zip(scenarios, zip(*columns, strict=True), strict=True)
    ]


def _compute_key(path: str, expression: str, levels: Table) -> list[Any]:
    values = [row[0] for row in _ask(expression, levels, f"derived.{path}").rows]
    if len(values) != len(levels) or None in values:
        raise HeadgateError(
            f"derived.{path}: {expression!r} does not give one value for each condition"
        )
    return [float(value) if isinstance(value, Decimal) else value for value in values]


def _ask(expression: str, levels: Table, place: str) -> sql.Answer:
    try:
        return sql.ask(f"SELECT ({expression}) FROM levels", {"levels": levels})
    except sql.SqlError as error:
        names = ", ".join(levels.columns)
        raise HeadgateError(f"{place}: {error}; its names are {names}") from None
