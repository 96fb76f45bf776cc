"""Names of routers on a map: beside their routers, clear of each other and within the figure."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox, BboxBase

from headgate.figures.plots.panels import PT_PER_IN
from headgate.figures.spec.drawing import Map
from headgate.figures.spec.places import Point

#: The distance of a name from its router in points, and the steps by which it moves away.
NEAR_PT, STEPS = 5.0, (1.0, 1.8, 3.0)
#: The radius of a router, in points.
ROUTER_PT = 3.0
#: Points on a link that are searched for below a name.
SAMPLES = 40
#: The costs of a name that is cut or overlaps another, hides a router or crosses a link, and of one
#: place further down the list of places.
CUT, OVERLAP, HIDE, CROSS, FURTHER = 1000.0, 300.0, 100.0, 3.0, 1.0

#: An offset in points, and the alignments of the name.
Place = tuple[tuple[float, float], str, str]


def write(  # noqa: PLR0913 - place and alignment of a name
    ax: Axes,
    text: str,
    at: Point,
    offset: tuple[float, float],
    size: float,
    *,
    ha: str = "center",
    va: str = "baseline",
) -> Annotation:
    """Write a name in a map, readable over its lines."""
    return ax.annotate(
        text,
        at,
        xytext=offset,
        textcoords="offset points",
        ha=ha,
        va=va,
        fontsize=size,
        color="#222222",
        zorder=5,
        path_effects=[patheffects.withStroke(linewidth=2.5, foreground="white")],
    )


def write_names(figure: Figure, ax: Axes, drawn: Map, size_pt: float) -> None:
    """Write each name in the place of least cost; everything else is in its final place."""
    if not drawn.labels:
        return
    figure.draw_without_rendering()
    pixel_pt = figure.dpi / PT_PER_IN
    routers = ax.transData.transform(list(drawn.routers.values()))
    links = _sample_links(ax, drawn)
    middle = float(np.median([y for _, y in drawn.routers.values()]))
    taken: list[Bbox] = []
    for text, place in sorted(drawn.labels, key=lambda label: (-label[1][1], label[1][0])):
        at = drawn.routers.get(text, place)
        places = (
            _list_places(above=at[1] >= middle) if text in drawn.routers else _list_below(size_pt)
        )
        best: tuple[float, Annotation, Bbox] | None = None
        for number, (offset, ha, va) in enumerate(places):
            name = write(ax, text, at, offset, size_pt, ha=ha, va=va)
            name.set_in_layout(False)
            box = name.get_window_extent()
            cost = FURTHER * number + _weigh(box, figure.bbox, taken, routers, links, pixel_pt)
            if best is None or cost < best[0]:
                if best is not None:
                    best[1].remove()
                best = (cost, name, box)
            else:
                name.remove()
            if cost <= FURTHER * number:
                break
        assert best is not None
        taken.append(best[2])


def _list_places(*, above: bool) -> Iterator[Place]:
    """Yield the places around a router: on its outer side, at its sides, then further away."""
    for step in STEPS:
        away = NEAR_PT * step
        up: Place = ((0.0, away), "center", "bottom")
        down: Place = ((0.0, -away), "center", "top")
        yield from (up, down) if above else (down, up)
        yield (away, 0.0), "left", "center"
        yield (-away, 0.0), "right", "center"
        slant = 0.7 * away
        yield (slant, slant), "left", "bottom"
        yield (-slant, slant), "right", "bottom"
        yield (slant, -slant), "left", "top"
        yield (-slant, -slant), "right", "top"


def _list_below(size_pt: float) -> Iterator[Place]:
    """Yield the given place of a name, and places some lines below it."""
    for line in range(4):
        yield (0.0, -2.0 - line * size_pt), "center", "baseline"


def _sample_links(ax: Axes, drawn: Map) -> np.ndarray:
    """Return points on all links, in pixels."""
    ends = np.array([span.ends for span in drawn.spans]).reshape(-1, 2, 2)
    along = np.linspace(0, 1, SAMPLES)[:, None, None]
    points = ends[None, :, 0] * (1 - along) + ends[None, :, 1] * along
    return np.asarray(ax.transData.transform(points.reshape(-1, 2))).reshape(SAMPLES, -1, 2)


def _weigh(  # noqa: PLR0913, PLR0917 - all that a name may disturb
    box: Bbox, page: BboxBase, taken: list[Bbox], routers: np.ndarray, links: np.ndarray,
    pixel_pt: float,
) -> float:  # fmt: skip
    """Return how much a name in this box would disturb."""
    is_cut = box.x0 < page.x0 or box.x1 > page.x1 or box.y0 < page.y0 or box.y1 > page.y1
    hides = _count_inside(box.padded(ROUTER_PT * pixel_pt), routers)
    inside = (links >= (box.x0, box.y0)) & (links <= (box.x1, box.y1))
    crossed = int(inside.all(axis=-1).any(axis=0).sum())
    overlaps = sum(box.overlaps(other) for other in taken)
    return float(CUT * is_cut + OVERLAP * overlaps + HIDE * hides + CROSS * crossed)


def _count_inside(box: Bbox, points: np.ndarray) -> int:
    inside = (points >= (box.x0, box.y0)) & (points <= (box.x1, box.y1))
    return int(inside.all(axis=-1).sum())
