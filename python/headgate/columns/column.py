"""A column, and how the engine's and ours stand in a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import EllipsisType

from headgate import catalog


@dataclass(frozen=True)
class Column:
    """What a column says. `unit` is "1" for counts and ratios, "" for words."""

    name: str
    unit: str
    definition: str
    formula: str = ""


def arrange(counted: Iterable[str], *items: Column | str | EllipsisType) -> tuple[Column, ...]:
    """Give the columns of a table: ours, the engine's by name, and at `...` all others of its own.

    `counted` names what the engine has about it. So a new counter stands in its table unasked.
    """
    known = {
        said.name: Column(said.name, said.unit, said.definition)
        for table in counted
        for said in reversed(catalog.columns()[table])
    }
    placed = {item.name if isinstance(item, Column) else item for item in items}
    others = [column for name, column in _in_order(counted, known) if name not in placed]
    return tuple(_spread(items, known, others))


def _in_order(counted: Iterable[str], known: dict[str, Column]) -> Iterator[tuple[str, Column]]:
    names = dict.fromkeys(said.name for table in counted for said in catalog.columns()[table])
    return ((name, known[name]) for name in names)


def _spread(
    items: Sequence[Column | str | EllipsisType], known: dict[str, Column], others: list[Column]
) -> Iterator[Column]:
    for item in items:
        if isinstance(item, EllipsisType):
            yield from others
        else:
            yield known[item] if isinstance(item, str) else item
