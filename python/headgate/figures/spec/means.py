"""Responses of an experiment by factor: means over replicates with intervals, in a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.base.level_order import LevelOrder, level_text
from headgate.base.messages import also
from headgate.base.units import ratio, sizes
from headgate.figures.spec.drawing import Line, Numbers, Panel, Picture
from headgate.figures.spec.facets import AUTOMATIC, CCA, Facets, arrange, find_levels, name_panels
from headgate.figures.spec.looks import Look, find_looks
from headgate.figures.spec.selection import find_readable
from headgate.stats.intervals import are_alike, compute_mean_interval

#: How intervals are drawn.
Intervals = Literal["bars", "bands", "none"]
#: The word that puts responses into the rows of a grid.
RESPONSE = "response"
#: The largest number of lines of one panel, and of labelled levels of an axis.
MOST_LINES, MOST_TICKS = 8, 10
#: An axis is logarithmic if its widest step is this many times as wide as its narrowest.
UNEVEN = 3.0


@dataclass(frozen=True)
class MeasuredTable:
    """One row per run: levels of factors as text, responses as numbers.

    `titles` are those of responses and factors, with units in parentheses. Rows with the same text
    of `replicate` belong together.
    """

    columns: Mapping[str, NDArray[Any]]
    factors: tuple[str, ...]
    responses: tuple[str, ...]
    replicate: str | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    order: LevelOrder = field(default_factory=LevelOrder)

    @property
    def labels(self) -> list[dict[str, str]]:
        """The levels of each row."""
        texts = {name: [level_text(one) for one in self.columns[name]] for name in self.factors}
        rows = zip(*texts.values(), strict=True)
        return [dict(zip(texts, row, strict=True)) for row in rows]

    @property
    def replicates(self) -> list[str]:
        """The replicate of each row."""
        if self.replicate is None:
            return [""] * len(next(iter(self.columns.values())))
        return [level_text(one) for one in self.columns[self.replicate]]

    def title(self, name: str) -> str:
        """Return the title of a response or a factor."""
        return self.titles.get(name) or name.replace("_", " ")


@dataclass(frozen=True)
class MeansLayout:
    """The factors of the axis, of lines and of panels, and the responses; None to choose one."""

    x: str | None = None
    lines: str | None = None
    responses: tuple[str, ...] = ()
    facets: Facets = AUTOMATIC
    intervals: Intervals = "bars"


#: Everything chosen by the number and kind of levels.
CHOSEN = MeansLayout()


def draw_means(table: MeasuredTable, layout: MeansLayout = CHOSEN) -> dict[str, Picture]:
    """Draw the means of each response, by name `means-RESPONSE`.

    With "response" among the rows of the grid, one picture `means` shows all responses. Raises
    HeadgateError if the layout names a factor or response that is not there.
    """
    chosen = _choose_responses(table, layout.responses)
    rows = layout.facets.rows
    if rows is not None and RESPONSE in rows:
        own = tuple(name for name in rows if name != RESPONSE)
        layout = replace(layout, facets=replace(layout.facets, rows=own))
        return {"means": _stack([_draw(table, layout, name) for name in chosen])}
    return {f"means-{name}": _draw(table, layout, name) for name in chosen}


def _choose_responses(table: MeasuredTable, asked: Sequence[str]) -> Sequence[str]:
    for name in asked:
        if name not in table.responses:
            known = ", ".join(table.responses)
            raise HeadgateError(
                f"response: there is no response {name!r}; responses: {known}"
                f"{also(name, table.responses)}"
            )
    return asked or [
        name for name in table.responses if np.isfinite(table.columns[name].astype(float)).any()
    ]


def _stack(pictures: Sequence[Picture]) -> Picture:
    """Put pictures of the same columns one below another."""
    first = pictures[0]
    panels = tuple(panel for picture in pictures for panel in picture.panels)
    titles = "; ".join(picture.title for picture in pictures)
    rows = tuple(name for picture in pictures for name in picture.row_names)
    return replace(first, title=titles, panels=panels, row_names=rows)


@dataclass(frozen=True)
class _Axis:
    """The axis of a factor, with the place of each level."""

    title: str
    places: Mapping[str, float]
    is_quantity: bool
    log: bool = False

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        if not self.is_quantity:
            return tuple((at, level) for level, at in self.places.items())
        if len(self.places) > MOST_TICKS:
            return ()
        return tuple((at, f"{at:.6g}") for at in sorted(self.places.values()))


def _draw(table: MeasuredTable, layout: MeansLayout, response: str) -> Picture:
    labels = table.labels
    levels = find_levels(labels, table.order)
    if not levels:
        raise HeadgateError("means: no factor takes more than one level")
    x, lines = _choose_axes(levels, layout)
    rest = {name: of for name, of in levels.items() if name not in (x, lines)}
    facets = layout.facets.choose(rest)
    grid = arrange(labels, facets, table.order)
    axis = _make_axis(table, x, levels[x])
    names = levels[lines] if lines else [""]
    looks = find_looks(names, are_ccas=lines == CCA)
    values = table.columns[response].astype(float)
    scale, y = find_readable(table.title(response), values)
    cells = [
        _CellLines(labels, table.replicates, scale * values, cell).draw(
            axis, x, lines, looks, layout.intervals
        )
        for cell in grid.cells
    ]
    panels = [Panel("", axis.title, y, of, log="x" * axis.log, ticks=axis.ticks) for of in cells]
    named = table.title(response).partition(" (")[0]
    averaged = [name for name in rest if name not in facets.named]
    return Picture(
        named[:1].upper() + named[1:],
        _describe(table, cells, averaged, lines, layout.intervals),
        _share_range(name_panels(panels, grid)), len(grid.column_names), grid.row_names,
        grid.column_names,
    )  # fmt: skip


def _choose_axes(levels: Mapping[str, Sequence[str]], layout: MeansLayout) -> tuple[str, str]:
    """Return the factor of the axis and that of lines; "" for a single line.

    The axis shows the quantity with most levels; algorithms are lines.
    """
    for option, name in (("x", layout.x), ("lines", layout.lines)):
        if name is not None and name not in levels:
            raise HeadgateError(
                f"{option}: there is no factor {name!r}; factors: {', '.join(levels)}"
                f"{also(name, levels)}"
            )
    taken = (*layout.facets.named, layout.lines)
    free = [name for name in levels if name not in taken] or list(levels)
    known = {name: sizes(levels[name]) is not None for name in levels}
    x = layout.x or min(free, key=lambda n: (n == CCA, not known[n], -len(levels[n])))
    if x in layout.facets.named or (x == layout.lines and x != CCA):
        raise HeadgateError(f"x: {x!r} is used twice; name another factor")
    if layout.lines is not None:
        return x, layout.lines
    others = [n for n in levels if n not in (x, *taken) and len(levels[n]) <= MOST_LINES]
    if CCA in others or (x == CCA):
        return x, CCA
    few = layout.facets.named or len(others) < 2
    return x, max(others, key=lambda n: len(levels[n])) if others and few else ""


def _make_axis(table: MeasuredTable, name: str, levels: Sequence[str]) -> _Axis:
    """Place quantities by size, in the unit of the largest, and words side by side."""
    known = sizes(levels)
    title = table.title(name)
    if known is None or not np.isfinite([*map(float, known)]).all() or len(set(known)) < len(known):
        return _Axis(title, {level: float(at) for at, level in enumerate(levels)}, False)
    unit = levels[int(np.argmax([*map(float, known)]))].partition(" ")[2]
    numbers = [
        float(text) * (ratio(own, unit) or 1.0 if own else 1.0)
        for text, _, own in (level.partition(" ") for level in levels)
    ]
    steps = np.diff(np.sort(numbers))
    log = min(numbers) > 0 and len(steps) > 1 and bool(steps.max() >= UNEVEN * steps.min())
    named = f"{title} ({unit})" if unit and not title.endswith(")") else title
    return _Axis(named, dict(zip(levels, numbers, strict=True)), True, log)


@dataclass(frozen=True)
class _CellLines:
    """The runs of one panel: their levels, replicates and values."""

    labels: Sequence[Mapping[str, str]]
    replicates: Sequence[str]
    values: Numbers
    cell: Sequence[int]

    def draw(
        self, axis: _Axis, x: str, lines: str, looks: Mapping[str, Look], intervals: str
    ) -> tuple[Line, ...]:
        """Draw a line for each level of a factor: a mean with its interval at each place."""
        found = []
        for name, look in looks.items():
            own = [at for at in self.cell if not lines or self.labels[at][lines] == name]
            by_level = {
                level: [at for at in own if self.labels[at][x] == level] for level in axis.places
            }
            places = sorted((at, level) for level, at in axis.places.items() if by_level[level])
            if not places:
                continue
            each = np.array([self.estimate(by_level[level]) for _, level in places])
            at = np.array([place for place, _ in places])
            known = np.isfinite(each[:, 0])
            mean, low, high = each[known].T
            band = None if intervals == "none" or np.array_equal(low, high) else (low, high)
            found.append(Line(
                name, at[known], mean, look, "marked" if axis.is_quantity else "points", band,
                listed=bool(name) and x != lines, bars=intervals == "bars",
            ))  # fmt: skip
        return tuple(found)

    def estimate(self, rows: Sequence[int]) -> tuple[float, float, float]:
        """Return the mean over replicates of means over other conditions, with its interval."""
        groups: dict[str, list[float]] = {}
        for at in rows:
            if np.isfinite(self.values[at]):
                groups.setdefault(self.replicates[at], []).append(float(self.values[at]))
        means = [float(np.mean(of)) for of in groups.values()]
        if len(means) > 1 and are_alike(means):
            return means[0], means[0], means[0]
        return compute_mean_interval(means)


def _describe(
    table: MeasuredTable, cells: Sequence[Sequence[Line]], averaged: Sequence[str], lines: str,
    intervals: str,
) -> str:  # fmt: skip
    replicates = len(set(table.replicates))
    shown = any(line.band is not None for of in cells for line in of)
    form = {"bars": "bars", "bands": "shaded areas"}.get(intervals, "")
    said = ["One run each."]
    if replicates > 1 and shown:
        said = [f"Means over {replicates} replicates; {form} are Student's 95 % intervals."]
    elif replicates > 1:
        said = [f"Means over {replicates} replicates."]
        if intervals != "none":
            said.append("All replicates of a condition give the same value.")
    said += [f"Means also average over {', '.join(averaged)}."] if averaged else []
    said += [f"Lines: {table.title(lines)}."] if lines and lines != CCA else []
    return " ".join(said)


def _share_range(panels: Sequence[Panel]) -> tuple[Panel, ...]:
    """Give all panels one range of y, from zero unless all values are far from it."""
    ends = [end for p in panels for line in p.lines for end in (line.y, *(line.band or ()))]
    if not ends:
        return tuple(panels)
    values = np.concatenate(ends)
    low, high = float(values.min()), float(values.max())
    room = 0.06 * ((high - low) or abs(high) or 1.0)
    bottom = 0.0 if 0 <= low < 0.5 * high else low - room
    return tuple(replace(panel, y_range=(bottom, high + room)) for panel in panels)
