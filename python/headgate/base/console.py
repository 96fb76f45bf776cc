"""The console of tables and progress bars, which escapes control characters of users' text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Column, Table

from headgate.base.terminal import escape_controls

#: The width between the words of two columns.
GAP = 3


class PlainConsole(Console):
    """A console without markup that escapes control characters, and splits tables too wide."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print objects; a table whose words do not fit becomes several with fewer columns."""
        for one in objects or ("",):
            parts = self._split(one) if isinstance(one, Table) else [one]
            for part in parts:
                super().print(part, **options)

    def _split(self, table: Table) -> list[Table]:
        """Split a table into parts that fit, each with the numbers of its rows."""
        if self._fits(table.columns):
            return [table]
        parts: list[list[Column]] = []
        for column in table.columns:
            wider = [*parts[-1], column] if parts else [column]
            if parts and self._fits(wider):
                parts[-1] = wider
            else:
                parts.append([column])
        made = [_choose_columns(table, part) for part in parts]
        for rest in made[1:]:
            rest.title = None
        return made

    def _fits(self, columns: Sequence[Column]) -> bool:
        """Return whether columns fit, beside the numbers of rows, without a break in a word."""
        widths = [
            max(
                len(word)
                for text in (column.header, *column.cells)
                for word in f"{text} ".split(" ")
            )
            for column in columns
        ]
        return sum(widths) + GAP * (len(widths) + 1) <= self.width

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render, and escape control characters except those of rich itself."""
        for segment in super().render(renderable, options):
            lines = segment.text.split("\n")
            text = segment.text if segment.control else "\n".join(map(escape_controls, lines))
            yield Segment(text, segment.style, segment.control)


def _choose_columns(table: Table, columns: Sequence[Column]) -> Table:
    """Return a table of some columns, after the numbers of its rows."""
    chosen = Table(title=table.title, box=table.box, title_justify=table.title_justify)
    chosen.add_column("row", justify="right")
    for column in columns:
        chosen.add_column(column.header, justify=column.justify, overflow=column.overflow)
    for number, cells in enumerate(zip(*(column.cells for column in columns), strict=True), 1):
        chosen.add_row(str(number), *cells)
    return chosen
