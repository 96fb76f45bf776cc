"""Results in a notebook: the picture, and the first rows of the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Rows that a notebook shows.
ROWS = 12


class InNotebook(ABC):
    """A result that a notebook shows."""

    @abstractmethod
    def rows(self) -> Iterable[Mapping[str, Any]]:
        """Yield one flat record a row."""

    @abstractmethod
    def figures(self) -> Mapping[str, Figure]:
        """Draw every picture, by name."""

    def _repr_html_(self) -> str:
        return "".join(map(draw_svg, self.figures().values())) + make_table(self.rows())


class DrawnOnce(InNotebook):
    """A result with one picture."""

    @abstractmethod
    def figure(self) -> Figure:
        """Draw the picture."""

    def figures(self) -> Mapping[str, Figure]:
        """Draw the one picture."""
        return {"": self.figure()}


def draw_svg(figure: Figure) -> str:
    """Draw a figure as an SVG element, and close it."""
    from matplotlib import pyplot as plt

    from headgate.plots.style import image

    text = image(figure, "svg").decode()
    plt.close(figure)
    return text[text.index("<svg") :]


def make_table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Make a table of HTML of the first rows."""
    known = iter(rows)
    first = list(islice(known, ROWS))
    more = sum(1 for _ in known)
    head = "".join(f"<th>{escape(name)}</th>" for name in (first[0] if first else ()))
    body = "".join(f"<tr>{''.join(_cells(row))}</tr>" for row in first)
    rest = f"<p>and {more} more rows</p>" if more else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _cells(row: Mapping[str, Any]) -> Iterator[str]:
    for value in row.values():
        text = _say(value)
        yield f"<td>{escape(text)}</td>"


def _say(value: Any) -> str:
    """Write a number in four digits, and nothing where none is."""
    if not isinstance(value, float):
        return str(value)
    return "" if value != value else f"{value:.4g}"  # noqa: PLR0124 - NaN
