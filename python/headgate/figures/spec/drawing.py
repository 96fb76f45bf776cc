"""The parts of a picture: lines, levels and shades in panels; or links and routers on a map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from headgate.figures.spec.looks import Look
from headgate.figures.spec.places import are_in_a_row

Numbers = NDArray[np.float64]
#: A thin line is one of many; a step keeps its value until the next point; a marked line also shows
#: its points; a rug is a row of ticks.
Style = Literal["line", "thin", "step", "points", "marked", "rug"]
#: The most points that marks distinguish; more points are a cloud of dots.
FEW_POINTS = 200


@dataclass(frozen=True)
class Line:
    """A line or cloud of points of one length; without a look it is a total, grey.

    NaN is a gap. `band` are the lower and the upper edge of an interval at each point: a shaded
    area, or bars if `bars`. `each` are the names of its points.
    """

    name: str
    x: Numbers
    y: Numbers
    look: Look | None = None
    style: Style = "line"
    band: tuple[Numbers, Numbers] | None = None
    each: tuple[str, ...] = ()
    listed: bool = True
    bars: bool = False

    @property
    def is_cloud(self) -> bool:
        """Whether its points are too many for a mark each."""
        return len(self.x) > FEW_POINTS


@dataclass(frozen=True)
class Level:
    """A reference for lines, such as a link's rate: dotted, with its name on it."""

    name: str
    x: Numbers
    y: Numbers


@dataclass(frozen=True)
class Panel:
    """A pair of axes: titles with units, and what is drawn on them.

    `right` is a second scale of the same line: its title, and its units per unit of the left.
    An absent range is that of the data; `tall` is the height in rows. `ticks` are the only places
    of x that are labelled, each with its text. `outages` are the start and the end of times at
    which a link is down.
    """

    title: str
    x: str
    y: str
    lines: tuple[Line, ...]
    levels: tuple[Level, ...] = ()
    warmup_s: float = 0.0
    log: str = ""
    right: tuple[str, float] | None = None
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    reverse_x: bool = False
    tall: float = 1.0
    ticks: tuple[tuple[float, str], ...] = ()
    outages: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Picture:
    """Panels in a grid, row by row; `caption` explains what the axes do not.

    In a grid by factors, rows and columns are named, and a panel without lines is a condition that
    was not run.
    """

    title: str
    caption: str
    panels: tuple[Panel, ...]
    columns: int = 1
    row_names: tuple[str, ...] = ()
    column_names: tuple[str, ...] = ()

    @property
    def is_grid(self) -> bool:
        """Whether factors name its rows or columns."""
        return any((*self.row_names, *self.column_names))


@dataclass(frozen=True)
class Span:
    """One direction of a link on a map, from its near router to the middle or the other end."""

    link: str
    ends: tuple[tuple[float, float], tuple[float, float]]
    utilisation: float
    loss: float
    rate_bps: float
    wait_s: float
    value: float | None = None
    """The number that its colour shows; its utilisation unless given."""

    @property
    def shown(self) -> float:
        """The number that its colour shows."""
        return self.utilisation if self.value is None else self.value


#: Palettes of maps: a load; a change of which neither way is worse; one of which more is worse.
LOAD, MORE_OR_LESS, WORSE_OR_BETTER = "load", "more or less", "worse or better"


@dataclass(frozen=True)
class Scale:
    """The colours of a map: title, palette, and the values of both ends."""

    title: str = "link utilisation"
    palette: str = LOAD
    low: float = 0.0
    high: float = 1.0


#: The colours of a map of loads.
UTILISATION = Scale()
#: The scale of line widths by the least number of links.
THINNER = ((250, 0.35), (60, 0.6), (0, 1.0))


@dataclass(frozen=True)
class Map:
    """A network: links coloured by utilisation and as wide as their loss; routers, and names.

    `aspect` is how much longer one of y is than one of x; None if positions are arbitrary.
    `omitted` is the sentence on links that are not drawn.
    """

    title: str
    caption: str
    spans: tuple[Span, ...]
    routers: Mapping[str, tuple[float, float]]
    labels: tuple[tuple[str, tuple[float, float]], ...]
    aspect: float | None = None
    scale: Scale = UTILISATION
    omitted: str = ""

    @property
    def thinness(self) -> float:
        """The scale of line widths, so that links of large networks do not overlap."""
        return next(scale for least, scale in THINNER if len(self.spans) >= least)

    @property
    def is_row(self) -> bool:
        """Whether all routers are at one height."""
        return are_in_a_row(self.routers.values())


#: Shares of packets lost up to which a link is so wide, in points.
LOSS_WIDTHS = ((0.0, 2.0), (0.001, 4.0), (0.01, 6.5), (1.0, 10.0))
LOSS_WORDS = ("nothing lost", "up to 0.1 %", "up to 1 %", "more than 1 %")


def classify_loss(loss: float) -> int:
    """Return the place of a share of packets lost among `LOSS_WIDTHS`; NaN is nothing."""
    return next((i for i, (most, _) in enumerate(LOSS_WIDTHS) if loss <= most), 0)


Drawing = Picture | Map
#: The text of an empty panel of a grid.
NOT_RUN = "not run"
