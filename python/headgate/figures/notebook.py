"""Results in a notebook: the picture, and the first rows of the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.base.messages import count_others
from headgate.base.progress import in_notebook
from headgate.base.terminal import echo

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


def show_figures(figures: Mapping[str, Figure], folder: Path) -> None:
    """Show pictures below the cell; outside of a notebook save them, and print the paths.

    Raises StoreError if the folder cannot be written.
    """
    if in_notebook():
        from IPython.display import HTML, display

        display(*(HTML(draw_svg(figure)) for figure in figures.values()))
        return
    from headgate.figures.plots.style import save_figure

    for name, figure in figures.items():
        echo(str(save_figure(figure, folder, name)[0]))


def draw_svg(figure: Figure) -> str:
    """Draw a figure as an SVG element, and close it."""
    from matplotlib import pyplot as plt

    from headgate.figures.plots.style import image

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
    rest = f"<p>and {count_others(more, 'row')}</p>" if more else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _cells(row: Mapping[str, Any]) -> Iterator[str]:
    for value in row.values():
        text = _say(value)
        yield f"<td>{escape(text)}</td>"


def _say(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return "" if value != value else f"{value:.4g}"  # noqa: PLR0124 - NaN
