"""Tables as text: the first rows of the columns that are not empty, as wide as the terminal."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.messages import count_others

#: Rows that are printed.
ROWS = 10
#: Width in characters if there is no terminal.
WIDTH = 100
_GAP = "  "
#: Numbers from here on are written without decimals.
_WHOLE_FROM = 1e5

Columns = Mapping[str, NDArray[Any]]


def format_table(title: str, columns: Columns, rows: int) -> str:
    """Write a title and the first rows of `rows` rows.

    Empty columns are omitted. Columns with one value are listed below the table, as are the names
    of columns that do not fit.
    """
    width = shutil.get_terminal_size((WIDTH, 24)).columns
    filled = {name: column for name, column in columns.items() if not _is_empty(column)}
    same = {
        n: column[0] for n, column in filled.items() if rows > 1 and (column == column[0]).all()
    }
    cells = {name: _cells(name, column) for name, column in filled.items() if name not in same}
    ends = np.cumsum([len(column[0]) + len(_GAP) for column in cells.values()]) - len(_GAP)
    shown = list(cells)[: max(1, int((ends <= width).sum()))]
    lists = {
        f"and {count_others(rows - ROWS, 'row')}": [""] * (rows > ROWS),
        "in every row: ": [f"{name} = {_write(value)}" for name, value in same.items()],
        "more columns: ": list(cells)[len(shown) :],
    }
    table = [_GAP.join(row).rstrip() for row in zip(*(cells[name] for name in shown), strict=True)]
    return "\n".join([title, *table, *_notes(lists, width)])


def say_cost(packet_hops: int, cpu_s: float) -> str:
    """Return the cost of runs in words; with fractions below 10 s."""
    seconds = f"{cpu_s:,.0f}" if cpu_s >= 10 else f"{cpu_s:.2g}"
    return f"{packet_hops:,} packet-hops in {seconds} CPU seconds"


def _is_empty(column: NDArray[Any]) -> bool:
    """Return whether all rows of a column are empty words or NaN."""
    nothing = column == "" if column.dtype.kind == "U" else column != column  # noqa: PLR0124 - NaN
    return bool(len(column)) and bool(nothing.all())


def _cells(name: str, column: NDArray[Any]) -> list[str]:
    """Return the cells of a column, its name first, all of the same width."""
    words = [name, *map(_write, column[:ROWS])]
    width = max(map(len, words))
    is_text = column.dtype.kind == "U"
    return [word.ljust(width) if is_text else word.rjust(width) for word in words]


def _write(value: Any) -> str:
    """Write a word, or a number with five digits; nothing for NaN."""
    if not isinstance(value, np.floating | float):
        return str(value)
    number = float(value)
    if math.isnan(number):
        return ""
    return f"{number:.0f}" if _WHOLE_FROM <= abs(number) < math.inf else f"{number:.5g}"


def _notes(lists: Mapping[str, Sequence[str]], width: int) -> Iterable[str]:
    """Write the lists below the table, each after its head, wrapped at the width."""
    import textwrap

    for head, items in lists.items():
        if items:
            yield from textwrap.wrap(
                head + ", ".join(items), width, subsequent_indent=_GAP, break_on_hyphens=False
            )
