"""A column, and how the engine's and ours stand in a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import EllipsisType

from headgate.base import catalog


@dataclass(frozen=True)
class Column:
    """What a column says. `unit` is "1" for counts and ratios, "" for words."""

    name: str
    unit: str
    definition: str
    formula: str = ""


def arrange(counted: Iterable[str], *items: Column | str | EllipsisType) -> tuple[Column, ...]:
    """Return the columns of a table: ours, the engine's by name, and at `...` all others it has.

    `counted` names what the engine has about it; where two have a column, the first defines it.
    So a new counter stands in its table unasked.
    """
    known: dict[str, Column] = {}
    for said in (said for table in counted for said in catalog.columns()[table]):
        known.setdefault(said.name, Column(said.name, said.unit, said.definition))
    placed = {item.name if isinstance(item, Column) else item for item in items}
    others = [column for name, column in known.items() if name not in placed]
    return tuple(_spread(items, known, others))


def _spread(
    items: Sequence[Column | str | EllipsisType], known: dict[str, Column], others: list[Column]
) -> Iterator[Column]:
    for item in items:
        if isinstance(item, EllipsisType):
            yield from others
        else:
            yield known[item] if isinstance(item, str) else item
