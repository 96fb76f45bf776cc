"""The small tables of a run as people read them: headings with units, cells of four digits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headgate.data.measures.summary import busiest, by_law
from headgate.data.tables import Table

#: Ports that a table has, and those of what is printed of a result.
MOST_PORTS, FEW_PORTS = 12, 4
_GAP = "  "


@dataclass(frozen=True)
class Heading:
    """What stands over a column, its unit, and what its figures are multiplied by."""

    name: str
    unit: str = ""
    scale: float = 1

    def __str__(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name


_HEADINGS = {
    "mean_goodput_bps": Heading("goodput", "Mbit/s", 1e-6),
    "mean_fct_receiver_s": Heading("completion", "s"),
    "utilisation": Heading("utilisation", "%", 100.0),
    "loss_rate": Heading("dropped", "%", 100.0),
    "link_loss_rate": Heading("lost on link", "%", 100.0),
    "mean_queue_packets": Heading("mean queue", "packets"),
    "max_queue_packets": Heading("max queue", "packets"),
    "timeouts": Heading("time-outs"),
}


@dataclass(frozen=True)
class Shown:
    """One table: its title, its headings, and its cells as text."""

    title: str
    heads: tuple[Heading, ...]
    rows: tuple[tuple[str, ...], ...]

    def records(self) -> Iterator[dict[str, str]]:
        """Yield each row, by what stands over it."""
        return (dict(zip(map(str, self.heads), row, strict=True)) for row in self.rows)

    def __str__(self) -> str:
        above = [(head.name, head.unit) for head in self.heads]
        columns = [
            (*head, *cells) for head, cells in zip(above, zip(*self.rows, strict=True), strict=True)
        ]
        widths = [max(map(len, column)) for column in columns]
        lines = zip(*columns, strict=True)
        return "\n".join([self.title, *(_align(line, widths) for line in lines)])


def _align(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Set words at the left, and numbers under one another."""
    first, *rest = zip(cells, widths, strict=True)
    numbers = (cell.rjust(width) for cell, width in rest)
    return _GAP.join(("", first[0].ljust(first[1]), *numbers)).rstrip()


def show_run(
    tables: Mapping[str, Table], meta: Mapping[str, Any], ports: int = MOST_PORTS
) -> tuple[Shown, ...]:
    """Return flows by law and the busiest ports; a table without rows is left out."""
    since = _say_since(meta)
    every = {"Flows by law": by_law(tables), "Busiest ports": busiest(tables, ports)}
    return tuple(_show(f"{title}{since}", rows) for title, rows in every.items() if rows)


def _say_since(meta: Mapping[str, Any]) -> str:
    """Say from when on figures count."""
    warmup = meta.get("scenario", {}).get("measure", {}).get("warmup", "0 s")
    return "" if warmup == "0 s" else f", after the warm-up of {warmup}"


def _show(title: str, rows: Sequence[Mapping[str, Any]]) -> Shown:
    heads = tuple(_HEADINGS.get(name, Heading(name)) for name in rows[0])
    cells = (
        tuple(_cell(value, head.scale) for value, head in zip(row.values(), heads, strict=True))
        for row in rows
    )
    return Shown(title, heads, tuple(cells))


def _cell(value: Any, scale: float) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return "" if value != value else f"{value * scale:.4g}"  # noqa: PLR0124 - NaN: there is none
