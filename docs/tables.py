"""Markdown tables of the generated pages."""

from collections.abc import Iterable, Sequence

Row = Sequence[object]


def table(head: Row, rows: Iterable[Row]) -> str:
    """Write a Markdown table; empty without rows."""
    lines = [_row(row) for row in rows]
    return "\n".join([_row(head), _row(["---"] * len(head)), *lines, ""]) if lines else ""


def _row(cells: Row) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def code(text: object) -> str:
    """Format as code; an empty text stays empty."""
    return f"`{text}`" if str(text) else ""
