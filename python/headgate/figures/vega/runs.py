"""Interactive pictures of a run: one Vega-Lite specification a panel or map, with its data.

They show what `headgate.figures.spec` gives, as `headgate.figures.plots` does, on white as
there; a dark page takes `DARK` instead. Panels over time list their lines in `usermeta`, for the
player of the page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import altair as alt
import numpy as np

from headgate.figures.plots.palette import (
    BAND_OPACITY,
    CLOUD_OPACITY,
    DARK_GROUND,
    DARK_INK,
    EDGE,
    LOAD,
    ON_DARK,
    OUTAGE,
    OUTAGE_OPACITY,
    SIGNED,
    VERDICT,
    WARMUP,
    WARMUP_OPACITY,
    choose_ink,
)
from headgate.figures.spec.drawing import (
    LOSS_WIDTHS,
    LOSS_WORDS,
    MORE_OR_LESS,
    WORSE_OR_BETTER,
    Drawing,
    Level,
    Line,
    Map,
    Panel,
    Picture,
    classify_loss,
)
from headgate.figures.spec.places import ROW_LIMITS
from headgate.figures.vega.data import to_json_value
from headgate.figures.vega.looks import DASHES, SHAPES
from headgate.figures.vega.style import specify

Spec = dict[str, Any]

HEIGHT, ALONE_HEIGHT, MAP_HEIGHT, ROW_HEIGHT = 190, 340, 560, 190
#: Points that answer to a pointer, visible only if they are few.
HOVER_SIZE, POINT_SIZE, CLOUD_SIZE = 70, 90, 8
TICKS = 10
#: The title of an axis over which the player moves, and the lines whose values it shows.
OVER_TIME, READ = "time (s)", ("line", "thin", "step")
#: A page is wider than a figure, in the points of both.
WIDER = 1.4
CONFIG: Spec = {
    "background": "white",
    "view": {"stroke": None},
    "font": "system-ui, sans-serif",
    "title": {"anchor": "start", "fontSize": 13, "fontWeight": "normal"},
    "axis": {"gridColor": "#DDDDDD", "titleFontWeight": "normal", "labelOverlap": True},
    "legend": {"orient": "top", "labelLimit": 320, "title": None, "columns": 5},
}
_DARK_WORDS = {"labelColor": DARK_INK, "titleColor": DARK_INK}
#: Replacements on a dark page: colours by those on white, and a part of the configuration.
DARK: Spec = {
    "colours": ON_DARK,
    "config": {
        "background": DARK_GROUND,
        "title": {"color": DARK_INK},
        "axis": {
            **_DARK_WORDS, "gridColor": "#39424C", "domainColor": "#888888", "tickColor": "#888888",
        },
        "legend": _DARK_WORDS,
        "text": {"color": DARK_INK},
    },
}  # fmt: skip


def make_specs(drawing: Drawing) -> list[Spec]:
    """Make one specification for each panel of a picture, or for a map."""
    if isinstance(drawing, Map):
        data = Data()
        return [data.finish(partial(_draw_map, drawing, data), drawing.title)]
    height = ALONE_HEIGHT if len(drawing.panels) <= drawing.columns else HEIGHT
    return [_make_spec(drawing, panel, height) for panel in drawing.panels]


def _make_spec(picture: Picture, panel: Panel, height: int) -> Spec:
    data = Data()
    described = ": ".join(filter(None, (picture.title, panel.title)))
    draw = partial(_draw_panel, panel, round(height * panel.tall), data)
    spec = data.finish(draw, described)
    if panel.x != OVER_TIME:
        return spec
    title = ", ".join(filter(None, (panel.y, panel.title.partition(":")[0])))
    return spec | {"usermeta": {"title": title, "unit": panel.y, "readings": data.readings}}


class Data:
    """The rows of one specification by name, added last, because Altair checks every cell."""

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {}
        #: The lines over time whose values the player shows: name, colour, and name of their rows.
        self.readings: list[dict[str, str]] = []

    def add(self, columns: Mapping[str, Iterable[Any]]) -> alt.NamedData:
        """Add rows of numbers with few digits, and return a reference to them."""
        name = f"d{len(self.rows)}"
        every = zip(*columns.values(), strict=True)
        self.rows[name] = [
            dict(zip(columns, map(to_json_value, row), strict=True)) for row in every
        ]
        return alt.NamedData(name=name)

    def finish(self, draw: Callable[[], Any], described: str) -> Spec:
        """Draw, and return the specification with its data and the shared configuration."""
        spec = specify(draw)
        return spec | {"description": described, "config": CONFIG, "datasets": self.rows}


def _draw_panel(panel: Panel, height: int, data: Data) -> Any:
    layers = [*_shade(panel, data)]
    for line in panel.lines:
        layers += _draw_line(panel, line, data)
    layers += [layer for level in panel.levels for layer in _draw_level(panel, level, data)]
    zoom = alt.selection_interval(
        name="zoom", bind="scales", encodings=["x"], zoom="wheel![event.shiftKey]"
    )
    made = alt.layer(*layers).add_params(zoom)
    if panel.right:
        second = _second_scale(panel, *panel.right, data)
        made = alt.layer(made, second).resolve_scale(y="independent")
    return made.properties(width="container", height=height, title=panel.title)


def _x(panel: Panel) -> alt.X:
    scale: dict[str, Any] = {"nice": False}
    if panel.x_range:
        scale["domain"] = list(panel.x_range)
    if panel.reverse_x:
        scale["reverse"] = True
    scale |= {"type": "log"} if "x" in panel.log else {"zero": False}
    axis = alt.Axis(tickCount=TICKS)
    if panel.ticks:
        texts = json.dumps({f"{place:.9g}": text for place, text in panel.ticks})
        named = f"{texts}[format(datum.value, '.9~g')] || ''"
        axis = alt.Axis(values=[place for place, _ in panel.ticks], labelExpr=named)
    return alt.X("x:Q", title=panel.x, scale=alt.Scale(**scale), axis=axis)


def _y(panel: Panel) -> alt.Y:
    scale: dict[str, Any] = {"nice": False}
    if panel.y_range:
        scale["domain"] = list(panel.y_range)
    scale |= {"type": "log"} if "y" in panel.log else {"zero": False}
    return alt.Y("y:Q", title=panel.y, scale=alt.Scale(**scale))


def _colour(panel: Panel) -> alt.Color:
    known = {line.name: choose_ink(line) for line in panel.lines}
    return alt.Color("name:N", scale=_by_name(known), legend=_legend(panel))


def _dash(panel: Panel) -> alt.StrokeDash:
    known = {line.name: DASHES[line.look.dash if line.look else "-"] for line in panel.lines}
    return alt.StrokeDash("name:N", scale=_by_name(known), legend=_legend(panel))


def _shape(panel: Panel) -> alt.Shape:
    known = {line.name: SHAPES[line.look.mark if line.look else "o"] for line in panel.lines}
    return alt.Shape("name:N", scale=_by_name(known), legend=_legend(panel))


def _by_name(known: Mapping[str, Any]) -> alt.Scale:
    return alt.Scale(domain=list(known), range=list(known.values()))


def _legend(panel: Panel) -> alt.Legend | None:
    """List each line once; equal legends of colour, dash and mark merge into one."""
    listed = {line.name: line.style for line in panel.lines if line.listed}
    if not listed:
        return None
    lines = "points" not in listed.values()
    more: dict[str, Any] = {"symbolType": "stroke", "symbolSize": 400} if lines else {}
    return alt.Legend(values=list(listed), symbolOpacity=1, symbolStrokeWidth=2, **more)


def _draw_line(panel: Panel, line: Line, data: Data) -> list[Any]:
    each = line.each or ("",) * len(line.x)
    columns: dict[str, Iterable[Any]] = {
        "x": line.x,
        "y": line.y,
        "name": [line.name] * len(line.x),
        "each": each,
    }
    if panel.right and line.style == "line":
        columns["right"] = panel.right[1] * line.y
    rows = data.add(columns)
    if line.style in READ:
        data.readings.append({"name": line.name, "colour": choose_ink(line), "rows": rows.name})
    base = alt.Chart(rows).encode(x=_x(panel), y=_y(panel), color=_colour(panel))
    shown = [] if line.band is None else [_draw_band(panel, line, data)]
    if line.style == "points":
        size, opacity = (CLOUD_SIZE, CLOUD_OPACITY) if line.is_cloud else (POINT_SIZE, 1)
        points = base.mark_point(filled=True, size=size, opacity=opacity, clip=True)
        if not line.is_cloud:
            points = points.encode(shape=_shape(panel))
        return [*shown, points.encode(tooltip=_tooltip(panel, line))]
    if line.style == "rug":
        ticks = base.mark_point(shape="stroke", angle=90, size=80, strokeWidth=1.5, opacity=1)
        return [*shown, ticks.encode(tooltip=_tooltip(panel, line))]
    thin = line.style == "thin"
    drawn = base.mark_line(
        strokeWidth=0.7 if thin else 1.6, opacity=0.6 if thin else 1, clip=True,
        interpolate="step-after" if line.style == "step" else "linear",
    ).encode(order=alt.Order("at:Q"), strokeDash=_dash(panel))  # fmt: skip
    drawn = drawn.transform_window(at="row_number()")
    if line.style == "marked":
        marks = base.mark_point(filled=True, size=POINT_SIZE, opacity=1, clip=True)
        marks = marks.encode(shape=_shape(panel), tooltip=_tooltip(panel, line))
        return [*shown, drawn, marks]
    hover = base.mark_point(filled=True, size=HOVER_SIZE, opacity=0, clip=True)
    return [*shown, drawn, hover.encode(tooltip=_tooltip(panel, line))]


def _tooltip(panel: Panel, line: Line) -> list[Any]:
    said = [
        alt.Tooltip("name:N", title="what"),
        alt.Tooltip("x:Q", title=panel.x, format=",.5~g"),
        alt.Tooltip("y:Q", title=panel.y, format=",.5~g"),
    ]
    if panel.right and line.style == "line":
        said.append(alt.Tooltip("right:Q", title=panel.right[0], format=",.5~g"))
    return [*said, alt.Tooltip("each:N", title="run")] if line.each else said


def _draw_band(panel: Panel, line: Line, data: Data) -> Any:
    low, high = line.band or (line.y, line.y)
    rows = data.add({"x": line.x, "y": low, "high": high, "name": [line.name] * len(line.x)})
    chart = alt.Chart(rows)
    band = chart.mark_rule(strokeWidth=1.2) if line.bars else chart.mark_area(opacity=BAND_OPACITY)
    return band.encode(x=_x(panel), y=_y(panel), y2="high:Q", color=_colour(panel))


def _shade(panel: Panel, data: Data) -> list[Any]:
    """Draw the warm-up and the outages behind the lines."""
    warmup = [(0.0, panel.warmup_s)] if panel.warmup_s else []
    kinds = {"warm-up": (warmup, WARMUP, WARMUP_OPACITY)}
    kinds["outage"] = (list(panel.outages), OUTAGE, OUTAGE_OPACITY)
    shown = {name: kind for name, kind in kinds.items() if kind[0]}
    grey = alt.Scale(domain=list(shown), range=[colour for _, colour, _ in shown.values()])
    fill = alt.Fill("what:N", scale=grey, legend=alt.Legend(symbolType="square"))
    layers = []
    for name, (spans, _, opacity) in shown.items():
        starts, ends = zip(*spans, strict=True)
        rows = data.add({"x": starts, "end": ends, "what": [name] * len(spans)})
        shade = alt.Chart(rows).mark_rect(opacity=opacity, clip=True)
        said = [
            alt.Tooltip("what:N", title="what"),
            alt.Tooltip("x:Q", title="begins (s)", format=",.5~g"),
            alt.Tooltip("end:Q", title="ends (s)", format=",.5~g"),
        ]
        layers.append(shade.encode(x=_x(panel), x2="end:Q", fill=fill, tooltip=said))
    return layers


def _draw_level(panel: Panel, level: Level, data: Data) -> list[Any]:
    rows = data.add({"x": level.x, "y": level.y, "name": [level.name] * len(level.x)})
    base = alt.Chart(rows).encode(x=_x(panel), y=_y(panel))
    line = base.mark_line(
        color="black", strokeDash=[2, 3], strokeWidth=1.3, interpolate="step-after", clip=True
    )
    last = data.add({"x": level.x[-1:], "y": level.y[-1:], "name": [level.name]})
    text = alt.Chart(last).encode(x=_x(panel), y=_y(panel), text="name:N")
    return [line, text.mark_text(align="right", dy=-7, dx=-3, fontSize=11)]


def _second_scale(panel: Panel, title: str, factor: float, data: Data) -> Any:
    """Draw nothing on a second scale at the right."""
    low, high = panel.y_range or (0.0, 1.0)
    rows = data.add({"x": [0.0, 0.0], "y": [factor * low, factor * high]})
    scale = alt.Scale(domain=[factor * low, factor * high], nice=False)
    y = alt.Y("y:Q", title=title, scale=scale, axis=alt.Axis(orient="right", grid=False))
    return alt.Chart(rows).mark_point(opacity=0, size=0).encode(x=_x(panel), y=y)


def _draw_map(drawn: Map, data: Data) -> Any:
    spans = sorted(drawn.spans, key=lambda span: (classify_loss(span.loss), span.utilisation))
    ends = np.array([span.ends for span in spans])
    columns: dict[str, Iterable[Any]] = {
        "x": ends[:, 0, 0], "y": ends[:, 0, 1], "x2": ends[:, 1, 0], "y2": ends[:, 1, 1],
        "link": [span.link for span in spans],
        "use": [span.utilisation for span in spans],
        "shown": [span.shown for span in spans],
        "loss": [span.loss for span in spans],
        "lost": [LOSS_WORDS[classify_loss(span.loss)] for span in spans],
        "rate": [1e-6 * span.rate_bps for span in spans],
        "wait": [1e3 * span.wait_s for span in spans],
    }  # fmt: skip
    widths = [WIDER * drawn.thinness * width for _, width in LOSS_WIDTHS]
    scale = drawn.scale
    inks = {MORE_OR_LESS: SIGNED.light, WORSE_OR_BETTER: VERDICT.light}.get(scale.palette, LOAD)
    steps = np.linspace(scale.low, scale.high, len(inks)).tolist()
    form = "+.1%" if scale.palette in {MORE_OR_LESS, WORSE_OR_BETTER} else ".0%"
    links = alt.Chart(data.add(columns)).mark_rule(strokeCap="round").encode(
        x=alt.X("x:Q", axis=None, scale=alt.Scale(zero=False, padding=25)),
        y=alt.Y("y:Q", axis=None, scale=_height_scale(drawn)),
        x2="x2:Q", y2="y2:Q",
        color=alt.Color("shown:Q",
                        scale=alt.Scale(domain=steps, range=list(inks), interpolate="rgb"),
                        legend=alt.Legend(title=scale.title, format=form)),
        strokeWidth=alt.StrokeWidth(
            "lost:O", sort=list(LOSS_WORDS),
            scale=alt.Scale(domain=list(LOSS_WORDS), range=widths),
            legend=alt.Legend(title="packets lost", symbolType="stroke", symbolSize=400,
                              columns=4),
        ),
        tooltip=[
            alt.Tooltip("link:N"), alt.Tooltip("shown:Q", title=scale.title, format=form),
            alt.Tooltip("use:Q", title="utilisation", format=".1%"),
            alt.Tooltip("loss:Q", title="packets lost", format=".3~%"),
            alt.Tooltip("rate:Q", title="rate (Mbit/s)", format=",.4~g"),
            alt.Tooltip("wait:Q", title="mean wait (ms)", format=",.3~g"),
        ],
    )  # fmt: skip
    return alt.layer(links, *_draw_routers(drawn, data)).properties(
        width="container", height=ROW_HEIGHT if drawn.is_row else MAP_HEIGHT
    )


def _height_scale(drawn: Map) -> alt.Scale:
    if drawn.is_row:
        return alt.Scale(domain=list(ROW_LIMITS))
    return alt.Scale(zero=False, padding=25)


def _draw_routers(drawn: Map, data: Data) -> list[Any]:
    x, y = np.array(list(drawn.routers.values())).T
    rows = data.add({"x": x, "y": y, "router": list(drawn.routers)})
    dots = alt.Chart(rows).mark_point(filled=True, fill="white", stroke=EDGE, size=60, opacity=1)
    layers: list[Any] = [dots.encode(x="x:Q", y="y:Q", tooltip=["router:N"])]
    if drawn.labels:
        at = np.array([place for _, place in drawn.labels])
        named = data.add({"x": at[:, 0], "y": at[:, 1], "text": [text for text, _ in drawn.labels]})
        text = alt.Chart(named).encode(x="x:Q", y="y:Q", text="text:N")
        layers += [
            text.mark_text(fontSize=11, stroke="white", strokeWidth=3),
            text.mark_text(fontSize=11),
        ]
    return layers
