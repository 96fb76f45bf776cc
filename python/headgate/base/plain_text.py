"""Tables as text: the first rows of the columns that say something, as wide as the terminal."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Rows that are printed.
ROWS = 10
#: Columns of characters where there is no terminal.
WIDTH = 100
_GAP = "  "
#: From here on a number is written without decimals: nobody reads them.
_WHOLE_FROM = 1e5

Columns = Mapping[str, NDArray[Any]]


def format_table(title: str, columns: Columns, rows: int) -> str:
    """Write a title and the first rows; `rows` is how many there are.

    A column with nothing in it is left out. One that is the same in every row stands below the
    table, and so do the names of those that there is no room for.
    """
    width = shutil.get_terminal_size((WIDTH, 24)).columns
    told = {name: column for name, column in columns.items() if not _is_empty(column)}
    same = {name: column[0] for name, column in told.items() if rows > 1 and _is_constant(column)}
    cells = {name: _cells(name, column) for name, column in told.items() if name not in same}
    shown = _that_fit(cells, width)
    lists = {
        f"and {rows - ROWS} more rows": [""] * (rows > ROWS),
        "in every row: ": [f"{name} = {_write(value)}" for name, value in same.items()],
        "more columns: ": list(cells)[len(shown) :],
    }
    table = _lines([cells[name] for name in shown])
    return "\n".join([title, *table, *_notes(lists, width)])


def say_cost(packet_hops: int, cpu_s: float) -> str:
    """Say what runs cost; of few seconds the fraction too."""
    seconds = f"{cpu_s:,.0f}" if cpu_s >= 10 else f"{cpu_s:.2g}"
    return f"{packet_hops:,} packet-hops in {seconds} CPU seconds"


def _is_empty(column: NDArray[Any]) -> bool:
    """Tell whether a column has nothing in any row: no word, or no number."""
    nothing = column == "" if column.dtype.kind == "U" else column != column  # noqa: PLR0124 - NaN
    return bool(len(column)) and bool(nothing.all())


def _is_constant(column: NDArray[Any]) -> bool:
    return bool((column == column[0]).all())


def _cells(name: str, column: NDArray[Any]) -> list[str]:
    """Return the cells of a column, its name first, each as wide as the widest."""
    words = [name, *map(_write, column[:ROWS])]
    width = max(map(len, words))
    is_text = column.dtype.kind == "U"
    return [word.ljust(width) if is_text else word.rjust(width) for word in words]


def _write(value: Any) -> str:
    """Write a word, or a number in five digits; nothing for NaN."""
    if not isinstance(value, np.floating | float):
        return str(value)
    number = float(value)
    if math.isnan(number):
        return ""
    return f"{number:.0f}" if _WHOLE_FROM <= abs(number) < math.inf else f"{number:.5g}"


def _that_fit(cells: Mapping[str, Sequence[str]], width: int) -> list[str]:
    """Return the first columns that fit beside each other, one at least."""
    ends = np.cumsum([len(column[0]) + len(_GAP) for column in cells.values()]) - len(_GAP)
    return list(cells)[: max(1, int((ends <= width).sum()))]


def _lines(columns: Sequence[Sequence[str]]) -> Iterable[str]:
    return (_GAP.join(row).rstrip() for row in zip(*columns, strict=True))


def _notes(lists: Mapping[str, Sequence[str]], width: int) -> Iterable[str]:
    """Write what stands below: each list behind its head, in lines of the width."""
    import textwrap

    for head, items in lists.items():
        if items:
            yield from textwrap.wrap(
                head + ", ".join(items), width, subsequent_indent=_GAP, break_on_hyphens=False
            )
