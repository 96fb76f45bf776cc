"""Conditions: the combinations of levels of a design that make sense, and what they are called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

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

Label = str | int | float
#: Keys that say what a table is.
_HEADS = ("name", "source", "kind", "preset")


def choose(design: Design, where: str) -> Design:
    """Leave out the combinations of levels that a condition refuses. Raises HeadgateError."""
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
    """Say which rows of levels a condition lets pass, one at least. Raises HeadgateError."""
    try:
        answer = sql.ask(f"SELECT ({where}) FROM levels", {"levels": levels})
    except sql.SqlError as error:
        names = ", ".join(levels.columns)
        raise HeadgateError(f"where: {error}; its names are {names}") from None
    if answer.types[0] != "BOOLEAN":
        raise HeadgateError(f"where: {where!r} is neither true nor false; compare a factor with it")
    kept = [row[0] is True for row in answer.rows]
    if not any(kept):
        raise HeadgateError(f"where: {where!r} leaves no combination of levels")
    return kept


def levels_table(factors: Sequence[Factor], coded: Sequence[Sequence[float]]) -> Table:
    """Return a row a condition: levels in their own words, quantities as numbers beside them."""
    return label_table(
        {
            factor.name: label_levels(factor, [row[place] for row in coded])
            for place, factor in enumerate(factors)
        }
    )


def label_table(labels: Mapping[str, Sequence[Label]]) -> Table:
    """Return labels as columns, quantities as numbers beside them."""
    columns: dict[str, Any] = {}
    for name, each in labels.items():
        columns[name] = column_of(each)
        columns |= quantities(name, each)
    return Table("levels", columns)


def column_of(labels: Sequence[Label]) -> Any:
    """Return labels as a column: numbers as such, anything else as words."""
    if all(isinstance(label, int | float) for label in labels):
        return np.array(labels)
    return Words.of([level_text(label) for label in labels])


def label_levels(factor: Factor, coded: Sequence[float] | Any) -> list[Label]:
    """Return what the levels at coded values are called, one by one."""
    every = factor.levels or (factor.low, factor.high)
    names = [level_name(level) for level in every]
    twice = {name for name in names if names.count(name) > 1}
    return [_label(factor.level(c), twice) for c in map(float, coded)]


def find_levels(factors: Sequence[Factor], coded: Any) -> dict[str, tuple[Label, ...]]:
    """Return the levels of each factor that conditions have, in the order of the file.

    Every picture, table and sentence takes its order from here.
    """
    columns = np.asarray(coded, float).T
    return {
        factor.name: tuple(dict.fromkeys(label_levels(factor, np.unique(column))))
        for factor, column in zip(factors, columns, strict=True)
    }


def order_levels(levels: Mapping[str, Sequence[Label]]) -> LevelOrder:
    """Return the order of levels, as tables write them."""
    return LevelOrder({name: tuple(map(level_text, labels)) for name, labels in levels.items()})


def _label(level: Any, twice: set[Label]) -> Label:
    name = level_name(level)
    return shorten_path(str(level)) if name in twice else name


def level_name(level: Any) -> Label:
    """Return a level as a word or a number: code by its name."""
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, Mapping):
        head = next((level[key] for key in _HEADS if key in level), "")
        rest = [f"{key}={level_name(part)}" for key, part in level.items() if part != head]
        return f"{level_name(head)}({', '.join(rest)})" if rest else level_name(head)
    if isinstance(level, str) and is_code(level):
        file, name = split(level)
        return name or Path(file).stem
    return level if isinstance(level, int | float) else str(level)


def quantities(name: str, labels: Sequence[Label]) -> dict[str, Any]:
    """Return levels that are quantities of one kind as a column of numbers, `rtt_s`."""
    return {f"{name}_{unit}": np.array(sizes) for unit, sizes in _sizes(labels).items()}


def _sizes(labels: Sequence[Label]) -> dict[str, list[float]]:
    """Return quantities as numbers by their unit; nothing where they are none."""
    texts = [str(label) for label in labels]
    for unit, parse, one in _KINDS:
        try:
            return {unit: [parse(text) * one for text in texts]}
        except UnitError:
            continue
    words = {text.partition(" ")[2] for text in texts}
    known = units.sizes(texts)
    if known is None or len(words) > 1 or words == {""}:
        return {}
    return {re.sub(r"\W+", "_", words.pop()).strip("_").lower(): [float(size) for size in known]}


_KINDS = (
    ("s", units.parse_time_ps, 1e-12),
    ("bps", units.parse_rate, 1.0),
    ("bytes", units.parse_bytes, 1.0),
)
