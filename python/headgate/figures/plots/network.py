"""Networks: links coloured by utilisation, on a map or in the layout of a run."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from headgate.data.topologies import ABILENE
from headgate.figures.plots.map_names import write, write_names
from headgate.figures.plots.palette import EDGE, SIGNED, VERDICT
from headgate.figures.plots.palette import LOAD as LOAD_COLOURS
from headgate.figures.plots.picture import LETTERS, TITLE_IN, WIDTH_IN
from headgate.figures.plots.style import make_axes, use_style
from headgate.figures.spec.drawing import (
    LOAD,
    LOSS_WIDTHS,
    LOSS_WORDS,
    MORE_OR_LESS,
    UTILISATION,
    WORSE_OR_BETTER,
    Map,
    Scale,
    Span,
    classify_loss,
)
from headgate.figures.spec.places import (
    KM_RATIO,
    NAMED_ROUTERS,
    ROW_LIMITS,
    Link,
    Point,
    are_in_a_row,
    halve,
    place_in_cities,
    place_names,
    place_routers,
)

MAP = LinearSegmentedColormap.from_list("load", LOAD_COLOURS)
FULL = Normalize(0, 1)
WIDTHS = {"backbone": 4.0, "lower": 1.5}


@dataclass(frozen=True)
class Stretch:
    """One direction of a link between two routers, and its utilisation (0 to 1)."""

    source: str
    target: str
    utilisation: float


def draw_utilisation_maps(
    panels: Mapping[str, Sequence[Stretch]],
    cities: Mapping[str, tuple[str, float, float]] = ABILENE.cities,
    columns: int = 2,
) -> Figure:
    """Draw a geographic map a panel; `cities`: router -> (name, latitude, longitude).

    A link between cities is split in its middle: each half shows the colour of the direction that
    leaves the near city. Routers below a city surround it, their links show the busier
    direction.
    """
    with use_style():
        rows = -(-len(panels) // columns)
        figure, axes = make_axes(
            rows, columns, (6.2 * columns, 3.5 * rows + 0.2), count=len(panels)
        )
        for ax, (title, stretches) in zip(axes, panels.items(), strict=False):
            _panel(ax, stretches, cities)
            ax.set_title(title)
        colour_bar(figure, axes)
        return figure


def topology(links: Sequence[Link]) -> Figure:
    """Draw routers and the links between them."""
    places = place_routers(links)
    with use_style():
        figure, axes = make_axes(1, 1, (8.2, 2.0 if are_in_a_row(places.values()) else 4.4))
        lines = [(places[a], places[b]) for a, b in links]
        axes[0].add_collection(LineCollection(lines, colors="#888888", linewidths=2.0, zorder=2))
        if len(places) <= NAMED_ROUTERS:
            _name_routers(axes[0], places)
        else:
            axes[0].plot(*zip(*places.values(), strict=True), ".", color="#333333", zorder=4)
        axes[0].set_axis_off()
        axes[0].margins(0.12)
        return figure


def _name_routers(ax: Axes, places: Mapping[str, Point]) -> None:
    """Write each name on the outer side of its router."""
    middle_y = sum(y for _, y in places.values()) / len(places)
    for name, (x, y) in places.items():
        ax.plot(x, y, "o", color="white", markeredgecolor="#333333", markersize=9, zorder=4)
        away = (0, 10) if y >= middle_y else (0, -18)
        write(ax, name, (x, y), away, 8.5)


def _panel(
    ax: Axes, stretches: Sequence[Stretch], cities: Mapping[str, tuple[str, float, float]]
) -> None:
    places = place_in_cities([(s.source, s.target) for s in stretches], cities)
    lower = [s for s in _busier(stretches) if not (s.source in cities and s.target in cities)]
    lines = [(places[s.source], places[s.target]) for s in lower]
    _draw(ax, lines, [s.utilisation for s in lower], WIDTHS["lower"])
    between = [s for s in stretches if s.source in cities and s.target in cities]
    halves = [halve(places[s.source], places[s.target]) for s in between]
    _draw(ax, halves, [s.utilisation for s in between], WIDTHS["backbone"])
    names = place_names(places, cities)
    for name, (title, _, _) in cities.items():
        x, y = places[name]
        ax.plot(x, y, "o", color="white", markeredgecolor="#333333", markersize=6, zorder=4)
        write(ax, title, names[name], (0, -3), 7.5)
    ax.set_aspect(KM_RATIO)
    ax.set_axis_off()
    ax.autoscale_view()


def _busier(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Keep the busier of the two directions of each link."""
    best: dict[frozenset[str], Stretch] = {}
    for stretch in stretches:
        key = frozenset((stretch.source, stretch.target))
        if key not in best or stretch.utilisation > best[key].utilisation:
            best[key] = stretch
    return list(best.values())


def _draw(
    ax: Axes, lines: Sequence[tuple[Point, Point]], values: Sequence[float], width: float
) -> None:
    colours = MAP(FULL(np.asarray(values)))
    ax.add_collection(
        LineCollection(lines, colors=colours, linewidths=width, capstyle="round", zorder=2)
    )


def colour_bar(
    figure: Figure, axes: Sequence[Axes], shrink: float = 0.6, scale: Scale = UTILISATION
) -> None:
    """Put the scale of colours beside maps."""
    colours, norm = find_colours(scale)
    bar = figure.colorbar(
        ScalarMappable(norm, colours),
        ax=list(axes),
        shrink=shrink,
        aspect=30,
        pad=0.01,
        format=ticker.PercentFormatter(1, symbol=" %")
        if scale.palette == LOAD
        else format_points(),
    )
    bar.set_label(scale.title)


def format_points() -> ticker.FuncFormatter:
    """Return the format of changes of shares, in percentage points."""
    return ticker.FuncFormatter(
        lambda change, _: f"{100 * change:+.3g}".replace("-", "\N{MINUS SIGN}") if change else "0"
    )


HEIGHT_IN, ROW_IN = 5.2, 2.6
FEW_SPANS = 12
#: The width of links in a difference, in points.
CHANGED_WIDTH = 5.0
#: Share of the map below which half of a link is too short for values.
SHORTEST = 0.08


def draw_map(drawn: Map) -> Figure:
    """Draw a map in the house style."""
    with use_style():
        figure, (ax,) = make_axes(1, 1, (WIDTH_IN, ROW_IN if drawn.is_row else HEIGHT_IN))
        draw_spans(ax, drawn)
        few = len(drawn.spans) <= FEW_SPANS
        for x, y in drawn.routers.values():
            ax.plot(x, y, "o", color="white", markeredgecolor=EDGE, zorder=4,
                    markersize=9 if few else 5)  # fmt: skip
        if few and drawn.scale.palette == LOAD:
            _write_values(ax, drawn.spans)
        ax.set_axis_off()
        ax.margins(0.06)
        if drawn.is_row:
            ax.set_ylim(ROW_LIMITS)
        if drawn.aspect:
            ax.set_aspect(drawn.aspect)
        colour_bar(figure, [ax], shrink=0.95 if drawn.is_row else 0.6, scale=drawn.scale)
        ax.set_anchor("C")  # a scale of colours would pull a narrow map to its side
        if drawn.scale.palette == LOAD:
            _legend(figure, drawn)
        figure.suptitle(f"{drawn.title}\n", x=0.01, ha="left", fontsize=12, linespacing=1.35)
        caption = "\n".join(textwrap.wrap(drawn.caption, LETTERS))
        figure.supxlabel(caption, x=0.01, ha="left", fontsize=8.5, color="#444444")
        write_names(figure, ax, drawn, 8.5 if few else 7.5)
        return figure


def find_colours(scale: Scale) -> tuple[Colormap, Normalize]:
    """Return the colours of a map, and the norm of the numbers that they show."""
    maps = {MORE_OR_LESS: SIGNED.map, WORSE_OR_BETTER: VERDICT.map}
    return maps.get(scale.palette, MAP), Normalize(scale.low, scale.high)


def choose_width(drawn: Map, span: Span) -> float:
    """Return the width of a link in points: by its loss, or the same for all in a difference."""
    if drawn.scale.palette != LOAD:
        return CHANGED_WIDTH
    return LOSS_WIDTHS[classify_loss(span.loss)][1]


def draw_spans(ax: Axes, drawn: Map, scale: float = 1.0) -> None:
    """Draw the links, those with the most loss on top, each with a dark edge."""
    scale *= drawn.thinness
    ranked = sorted(drawn.spans, key=lambda span: (classify_loss(span.loss), span.utilisation))
    widths = scale * np.array([choose_width(drawn, span) for span in ranked])
    shades, norm = find_colours(drawn.scale)
    colours = shades(norm(np.array([span.shown for span in ranked])))
    lines = [span.ends for span in ranked]
    ax.add_collection(LineCollection(lines, colors=EDGE, linewidths=widths + 0.8 * scale, zorder=2))
    ax.add_collection(LineCollection(lines, colors=colours, linewidths=widths, zorder=2))
    ax.autoscale_view()


def _write_values(ax: Axes, spans: tuple[Span, ...]) -> None:
    """Write utilisation and loss beside each link that is long enough for them."""
    ends = np.array([span.ends for span in spans]).reshape(-1, 2)
    shortest = SHORTEST * float(np.ptp(ends, axis=0).max())
    for span in spans:
        (x0, y0), (x1, y1) = span.ends
        if np.hypot(x1 - x0, y1 - y0) < shortest:
            continue
        said = f"{100 * span.utilisation:.1f} %"
        said += f"\nloses {100 * span.loss:.2g} %" * (span.loss > 0)
        write(ax, said, ((x0 + x1) / 2, (y0 + y1) / 2), (0, 8), 8)


def draw_loss_handles(classes: Iterable[int], scale: float) -> list[Line2D]:
    """Return a line as wide as each class of loss; flat ends leave the words beside it free."""
    return [
        Line2D([], [], color="#777777", linewidth=scale * LOSS_WIDTHS[one][1],
               solid_capstyle="butt")
        for one in classes
    ]  # fmt: skip


def _legend(figure: Figure, drawn: Map) -> None:
    scale = drawn.thinness
    there = sorted({classify_loss(span.loss) for span in drawn.spans})
    handles = draw_loss_handles(there, scale)
    figure.legend(handles, [LOSS_WORDS[i] for i in there], loc="upper left", ncols=len(there),
                  bbox_to_anchor=(0, 1 - TITLE_IN / figure.get_figheight()),
                  borderaxespad=0.2)  # fmt: skip
