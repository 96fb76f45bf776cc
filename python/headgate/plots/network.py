"""Maps of a network whose links are coloured by their utilisation."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib import patheffects, ticker
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure

from headgate.plots.style import subplots, use_style

if TYPE_CHECKING:
    from networkx import Graph

MAP = LinearSegmentedColormap.from_list("load", mpl.colormaps["YlOrRd"](np.linspace(0.18, 1, 64)))
FULL = Normalize(0, 1)
RING_DEGREES = 1.9
NEXT_RADIUS = 0.55
WIDEST_FAN = 0.75 * math.pi
CROWDED_DEGREES = 4.0
FEW_LINKS = 12
NAMED_ROUTERS = 40
WIDTHS = {"backbone": 4.0, "lower": 1.5}
KM_RATIO = 1.28  # one degree of latitude is so much longer than one of longitude at 38.5 degrees N

Point = tuple[float, float]


@dataclass(frozen=True)
class Stretch:
    """One direction of a link between two routers, and how busy it is (0 to 1)."""

    source: str
    target: str
    utilisation: float


def utilisation_maps(
    panels: Mapping[str, Sequence[Stretch]],
    cities: Mapping[str, tuple[str, float, float]],
    columns: int = 2,
) -> Figure:
    """Draw a geographic map a panel; `cities`: router -> (name, latitude, longitude).

    A link between cities is split in its middle: each half has the colour of the direction that
    leaves the near city. Routers below a city stand round it, their links show the busier
    direction.
    """
    with use_style():
        rows = -(-len(panels) // columns)
        figure, axes = subplots(rows, columns, (6.2 * columns, 3.5 * rows + 0.2))
        for ax, (title, stretches) in zip(axes, panels.items(), strict=False):
            _panel(ax, stretches, cities)
            ax.set_title(title)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        _colour_bar(figure, axes)
        return figure


def topology(links: Sequence[tuple[str, str]]) -> Figure:
    """Draw routers and the links between them, placed as in `network_map`."""
    places = _place_routers(links)
    with use_style():
        figure, axes = subplots(1, 1, (8.2, 2.0 if _are_in_a_row(places) else 4.4))
        lines = [(places[a], places[b]) for a, b in links]
        axes[0].add_collection(LineCollection(lines, colors="#888888", linewidths=2.0, zorder=2))
        if len(places) <= NAMED_ROUTERS:
            _name_routers(axes[0], places)
        else:
            axes[0].plot(*zip(*places.values(), strict=True), ".", color="#333333", zorder=4)
        axes[0].set_axis_off()
        axes[0].margins(0.12)
        return figure


def _place_routers(links: Iterable[tuple[str, str]]) -> dict[str, Point]:
    """Place routers in a row if they are a chain, else by the lengths of their paths."""
    import networkx as nx

    graph = nx.Graph(links)
    row = _row(graph)
    return _in_a_row(row) if row else dict(nx.kamada_kawai_layout(graph))


def _are_in_a_row(places: Mapping[str, Point]) -> bool:
    return len({y for _, y in places.values()}) == 1


def network_map(stretches: Sequence[Stretch]) -> Figure:
    """Draw any network, routers placed by the lengths of their paths (Kamada and Kawai 1989)."""
    places = _place_routers((s.source, s.target) for s in stretches)
    row = _are_in_a_row(places)
    with use_style():
        figure, axes = subplots(1, 1, (8.2, 2.0 if row else 4.4))
        halves = [_half(places[s.source], places[s.target]) for s in stretches]
        _draw(axes[0], halves, [s.utilisation for s in stretches], WIDTHS["backbone"])
        _name_routers(axes[0], places)
        _name_values(axes[0], halves, stretches)
        axes[0].set_axis_off()
        axes[0].margins(0.12)
        _colour_bar(figure, axes, shrink=1.0 if row else 0.6)
        return figure


def _row(graph: "Graph[str]") -> list[str]:
    """Return the routers of a chain from one end to the other; nothing if it is no chain."""
    ends = [name for name, links in graph.degree if links == 1]
    is_chain = len(ends) == 2 and graph.number_of_edges() == len(graph) - 1
    if not is_chain or max(links for _, links in graph.degree) > 2:
        return []
    from networkx import shortest_path

    path: list[str] = shortest_path(graph, *sorted(ends))
    return path


def _in_a_row(routers: Sequence[str]) -> dict[str, Point]:
    return {name: (float(i), 0.0) for i, name in enumerate(routers)}


def _name_routers(ax: Axes, places: Mapping[str, Point]) -> None:
    """Write each name on the side of its router that looks away from the others."""
    middle_y = sum(y for _, y in places.values()) / len(places)
    for name, (x, y) in places.items():
        ax.plot(x, y, "o", color="white", markeredgecolor="#333333", markersize=9, zorder=4)
        away = (0, 10) if y >= middle_y else (0, -18)
        _write(ax, name, (x, y), away, 8.5)


def _name_values(
    ax: Axes, halves: Sequence[tuple[Point, Point]], stretches: Sequence[Stretch]
) -> None:
    """Write each utilisation on its half of the link."""
    if len(stretches) > FEW_LINKS:
        return
    for ((x0, y0), (x1, y1)), stretch in zip(halves, stretches, strict=True):
        middle = (x0 + x1) / 2, (y0 + y1) / 2
        text = f"{100 * stretch.utilisation:.1f} %"
        box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "linewidth": 0}
        said = ax.text(*middle, text, ha="center", va="center", fontsize=8, zorder=3, bbox=box)
        said.set_in_layout(False)


def _write(ax: Axes, text: str, at: Point, offset: tuple[float, float], size: float) -> None:
    ax.annotate(
        text,
        at,
        xytext=offset,
        textcoords="offset points",
        ha="center",
        fontsize=size,
        color="#222222",
        zorder=5,
        path_effects=[patheffects.withStroke(linewidth=2.5, foreground="white")],
    )


def _panel(
    ax: Axes, stretches: Sequence[Stretch], cities: Mapping[str, tuple[str, float, float]]
) -> None:
    places = _places(stretches, cities)
    lower = [s for s in _busier(stretches) if not (s.source in cities and s.target in cities)]
    lines = [(places[s.source], places[s.target]) for s in lower]
    _draw(ax, lines, [s.utilisation for s in lower], WIDTHS["lower"])
    between = [s for s in stretches if s.source in cities and s.target in cities]
    halves = [_half(places[s.source], places[s.target]) for s in between]
    _draw(ax, halves, [s.utilisation for s in between], WIDTHS["backbone"])
    for name, (title, _, _) in cities.items():
        x, y = places[name]
        ax.plot(x, y, "o", color="white", markeredgecolor="#333333", markersize=6, zorder=4)
        _write(ax, title, (x, y), (0, 29 if _crowded_below(name, cities) else -34), 7.5)
    ax.set_aspect(KM_RATIO)
    ax.set_axis_off()
    ax.autoscale_view()


def _crowded_below(name: str, cities: Mapping[str, tuple[str, float, float]]) -> bool:
    """Say whether a city has another one close to its south, where its name would stand."""
    _, lat, lon = cities[name]
    return any(
        0 < lat - other_lat < CROWDED_DEGREES and abs(lon - other_lon) < CROWDED_DEGREES
        for _, other_lat, other_lon in cities.values()
    )


def _places(
    stretches: Iterable[Stretch], cities: Mapping[str, tuple[str, float, float]]
) -> dict[str, Point]:
    """Put cities at longitude and latitude, and what hangs below a router in a fan around it."""
    fans = _Fans({name: (lon, lat) for name, (_, lat, lon) in cities.items()}, stretches)
    for city in cities:
        fans.open(city, (0.0, 2 * math.pi), RING_DEGREES)
    return fans.places


class _Fans:
    """Places routers in fans around the router above them."""

    def __init__(self, places: dict[str, Point], stretches: Iterable[Stretch]) -> None:
        self.places = places
        self.children: dict[str, list[str]] = {}
        for child, parent in sorted({(s.source, s.target) for s in stretches if _is_up(s)}):
            if child not in places:
                self.children.setdefault(parent, []).append(child)

    def open(self, parent: str, sector: tuple[float, float], radius: float) -> None:
        """Place all routers below `parent` within a sector of angles."""
        own = self.children.get(parent, [])
        sizes = [1 + len(self.children.get(child, ())) for child in own]
        angle, share = sector[0], (sector[1] - sector[0]) / max(1, sum(sizes))
        for child, size in zip(own, sizes, strict=True):
            middle = angle + share * size / 2
            self.places[child] = self._at(parent, middle, radius)
            half = min(share * size, WIDEST_FAN) / 2
            self.open(child, (middle - half, middle + half), radius * NEXT_RADIUS)
            angle += share * size

    def _at(self, parent: str, angle: float, radius: float) -> Point:
        x, y = self.places[parent]
        return x + KM_RATIO * radius * math.cos(angle), y + radius * math.sin(angle)


def _is_up(stretch: Stretch) -> bool:
    return len(stretch.target) < len(stretch.source)


def _busier(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Keep, of the two directions of each link, the busier one."""
    best: dict[frozenset[str], Stretch] = {}
    for stretch in stretches:
        key = frozenset((stretch.source, stretch.target))
        if key not in best or stretch.utilisation > best[key].utilisation:
            best[key] = stretch
    return list(best.values())


def _half(near: Point, far: Point) -> tuple[Point, Point]:
    return near, ((near[0] + far[0]) / 2, (near[1] + far[1]) / 2)


def _draw(
    ax: Axes, lines: Sequence[tuple[Point, Point]], values: Sequence[float], width: float
) -> None:
    colours = MAP(FULL(np.asarray(values)))
    ax.add_collection(
        LineCollection(lines, colors=colours, linewidths=width, capstyle="round", zorder=2)
    )


def _colour_bar(figure: Figure, axes: Sequence[Axes], shrink: float = 0.6) -> None:
    bar = figure.colorbar(
        ScalarMappable(FULL, MAP),
        ax=list(axes),
        shrink=shrink,
        aspect=30,
        pad=0.01,
        format=ticker.PercentFormatter(1),
    )
    bar.set_label("link utilisation")
