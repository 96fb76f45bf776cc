"""Grids of panels by factors: a row and a column for each level or combination of levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from headgate.base.errors import HeadgateError
from headgate.base.level_order import LevelOrder, level_text
from headgate.base.messages import also
from headgate.figures.spec.drawing import Panel
from headgate.figures.spec.run import Run

#: Labels of a run that name its algorithm and its replicate.
CCA, REPLICATES = "cca", ("seed", "replicate")
#: The largest number of panels unless factors of rows and columns are given, and of levels of one.
MOST_PANELS, MOST_LEVELS = 24, 16

Labels = Mapping[str, str]


@dataclass(frozen=True)
class Facets:
    """The factors whose levels are the rows and the columns of a grid; None to choose them."""

    rows: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None

    @property
    def named(self) -> tuple[str, ...]:
        """All given factors."""
        return (*(self.rows or ()), *(self.columns or ()))

    def without(self, name: str) -> Facets:
        """Return these facets without a row; if no other row is named, rows are chosen."""
        rows = tuple(row for row in self.rows or () if row != name)
        return replace(self, rows=rows or None)

    def check(self, levels: Mapping[str, Sequence[str]]) -> None:
        """Raise HeadgateError unless each is a factor that fits, and is named once."""
        for option, names in (("facet-rows", self.rows), ("facet-columns", self.columns)):
            for name in names or ():
                if name not in levels:
                    known = ", ".join(levels) or "none"
                    raise HeadgateError(
                        f"{option}: there is no factor {name!r}; factors: {known}"
                        f"{also(name, levels)}"
                    )
                if self.named.count(name) > 1:
                    raise HeadgateError(f"{option}: {name!r} is named twice")
                if len(levels[name]) > MOST_LEVELS:
                    raise HeadgateError(
                        f"{option}: {name!r} has {len(levels[name])} levels; a grid shows at most"
                        f" {MOST_LEVELS}"
                    )

    def choose(self, levels: Mapping[str, Sequence[str]]) -> Facets:
        """Return facets that show these factors: the one with most levels across, others down.

        Factors that would make too many panels are left out. Raises HeadgateError.
        """
        self.check(levels)
        free = [name for name in levels if name not in self.named]
        free.sort(key=lambda name: -len(levels[name]))
        fitting: list[str] = []
        panels = _count(levels, self.named)
        for name in free:
            if panels * len(levels[name]) <= MOST_PANELS:
                fitting.append(name)
                panels *= len(levels[name])
        if self.rows is not None and self.columns is not None:
            return self
        if self.columns is not None:
            return replace(self, rows=tuple(fitting))
        if self.rows is not None:
            return replace(self, columns=tuple(fitting))
        return Facets(tuple(fitting[1:]), tuple(fitting[:1]))


def _count(levels: Mapping[str, Sequence[str]], names: Iterable[str]) -> int:
    panels = 1
    for name in names:
        panels *= len(levels[name])
    return panels


#: Rows and columns chosen by the number of levels.
AUTOMATIC = Facets()


@dataclass(frozen=True)
class Grid:
    """The cells of a grid, row by row: names of rows and columns, and the members of each cell."""

    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]

    @property
    def titles(self) -> list[str]:
        """Name each cell by its row and its column."""
        return [
            ", ".join(filter(None, (row, column)))
            for row in self.row_names
            for column in self.column_names
        ]


def arrange(labels: Sequence[Labels], facets: Facets, order: LevelOrder) -> Grid:
    """Put members, given by their labels, into a grid; rows and columns without any are left out.

    Levels are in the order of the experiment; without one, quantities are sorted by size.
    """
    rows, columns = (
        _sort_combinations(labels, names or (), order) for names in (facets.rows, facets.columns)
    )
    cells = [
        tuple(
            at
            for at, one in enumerate(labels)
            if _pick(one, facets.rows or ()) == row and _pick(one, facets.columns or ()) == column
        )
        for row in rows
        for column in columns
    ]
    named = [
        tuple(
            ", ".join(f"{n} {v}" for n, v in zip(names or (), levels, strict=True))
            for levels in combinations
        )
        for names, combinations in ((facets.rows, rows), (facets.columns, columns))
    ]
    return Grid(named[0], named[1], tuple(cells))


def _sort_combinations(
    labels: Sequence[Labels], names: Sequence[str], order: LevelOrder
) -> list[tuple[str, ...]]:
    known = {name: order.sort(name, (one[name] for one in labels if name in one)) for name in names}
    found = {_pick(one, names) for one in labels}
    return sorted(found, key=lambda levels: [
        known[name].index(level) if level in known[name] else -1
        for name, level in zip(names, levels, strict=True)
    ])  # fmt: skip


def _pick(labels: Labels, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(labels.get(name, "") for name in names)


def read_labels(runs: Sequence[Run]) -> list[dict[str, str]]:
    """Return the labels of each run except its replicate, as text."""
    return [
        {
            name: level_text(level)
            for name, level in run.meta.get("labels", {}).items()
            if name not in REPLICATES
        }
        for run in runs
    ]


def find_levels(labels: Sequence[Labels], order: LevelOrder) -> dict[str, list[str]]:
    """Return the levels of each factor that takes several, in their order."""
    names = dict.fromkeys(name for one in labels for name in one)
    levels = {name: order.sort(name, (one.get(name, "") for one in labels)) for name in names}
    return {name: of for name, of in levels.items() if len(of) > 1}


def arrange_runs(runs: Sequence[Run], facets: Facets) -> tuple[Grid, tuple[str, ...]]:
    """Arrange the runs of an experiment by condition; return the grid, and the factors left out.

    Runs without labels are one cell. Raises HeadgateError.
    """
    labels, order = read_labels(runs), runs[0].order
    levels = find_levels(labels, order)
    if CCA not in facets.named:
        levels.pop(CCA, None)
    chosen = facets.choose(levels)
    return arrange(labels, chosen, order), tuple(n for n in levels if n not in chosen.named)


def name_panels(panels: Sequence[Panel], grid: Grid) -> tuple[Panel, ...]:
    """Give each panel the name of its cell, before its own title."""
    return tuple(
        replace(panel, title=": ".join(filter(None, (title, panel.title))))
        for panel, title in zip(panels, grid.titles, strict=True)
    )


def say_combined(factors: Sequence[str]) -> str:
    """State that panels combine all levels of these factors; "" for none."""
    return f" Each panel combines all levels of {', '.join(factors)}." if factors else ""
