"""Definitions of columns, and their order in a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import EllipsisType

from headgate.base import catalog


@dataclass(frozen=True)
class Column:
    """Definition of a column. `unit` is "1" for counts and ratios, "" for words."""

    name: str
    unit: str
    definition: str
    formula: str = ""


def arrange(counted: Iterable[str], *items: Column | str | EllipsisType) -> tuple[Column, ...]:
    """Return the columns of a table: ours, the engine's by name, and at `...` all others it counts.

    `counted` names the engine's tables; the first of two definitions of a column applies. A new
    counter appears in its table without a change here.
    """
    known: dict[str, Column] = {}
    for said in (said for table in counted for said in catalog.columns()[table]):
        known.setdefault(said.name, Column(said.name, said.unit, said.definition))
    placed = {item.name if isinstance(item, Column) else item for item in items}
    found: list[Column] = []
    for item in items:
        if isinstance(item, EllipsisType):
            found += [column for name, column in known.items() if name not in placed]
        else:
            found.append(known[item] if isinstance(item, str) else item)
    return tuple(found)
