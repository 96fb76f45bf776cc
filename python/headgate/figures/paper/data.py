"""The caption and the plotted data of a figure, as files beside it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO

from headgate.figures.spec.drawing import Drawing, Line, Map, Panel, Picture

#: The columns of the data of a picture. `x_level` is the text of a labelled place of x.
COLUMNS = (
    "row", "column", "panel", "line", "x_axis", "x", "x_level", "y_axis", "y", "low", "high",
)  # fmt: skip
#: The columns of the data of a map; a change is that of the number which colours show.
MAP_COLUMNS = (
    "link", "x", "y", "x_end", "y_end", "shown", "utilisation", "loss", "rate_bps", "mean_wait_s",
)  # fmt: skip


def write_csv(drawing: Drawing) -> str:
    """Return all drawn points as CSV: one row per point of a line, or per direction of a link."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if isinstance(drawing, Map):
        writer.writerow(MAP_COLUMNS)
        writer.writerows(_list_spans(drawing))
    else:
        writer.writerow(COLUMNS)
        writer.writerows(_list_points(drawing))
    return out.getvalue()


def _list_spans(drawing: Map) -> Iterator[tuple[object, ...]]:
    for span in drawing.spans:
        (x, y), (x_end, y_end) = span.ends
        numbers = (x, y, x_end, y_end, span.shown, span.utilisation, span.loss, span.rate_bps,
                   span.wait_s)  # fmt: skip
        yield span.link, *(float(number) for number in numbers)


def _list_points(picture: Picture) -> Iterator[tuple[object, ...]]:
    for place, panel in enumerate(picture.panels):
        row, column = name_cell(picture, place)
        for line in panel.lines:
            for point in _list_line(panel, line):
                yield row, column, panel.title, *point
        for level in panel.levels:
            for x, y in zip(level.x.tolist(), level.y.tolist(), strict=True):
                yield row, column, panel.title, level.name, panel.x, x, "", panel.y, y, "", ""


def name_cell(picture: Picture, place: int) -> tuple[str, str]:
    """Return the names of the row and the column of a panel in a grid; "" outside of one."""
    if not picture.is_grid:
        return "", ""
    row, column = divmod(place, picture.columns)
    return picture.row_names[row], picture.column_names[column]


def _list_line(panel: Panel, line: Line) -> Iterator[tuple[object, ...]]:
    lows, highs = line.band or (None, None)
    for at, (x, y) in enumerate(zip(line.x.tolist(), line.y.tolist(), strict=True)):
        level = next((text for place, text in panel.ticks if place == x), "")
        low = "" if lows is None else float(lows[at])
        high = "" if highs is None else float(highs[at])
        yield line.name, panel.x, x, level, panel.y, y, low, high


def write_caption(drawing: Drawing) -> str:
    """Return the caption: the title, that of a lone panel, and what the figure does not show."""
    titles = [drawing.title]
    if isinstance(drawing, Picture) and len(drawing.panels) == 1:
        titles.append(drawing.panels[0].title)
    named = ": ".join(filter(None, titles))
    return " ".join(filter(None, (f"{named}.", drawing.caption))) + "\n"
