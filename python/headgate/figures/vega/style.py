"""The shared parts of interactive pictures: choices, colours, sizes, dark and light looks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any

import altair as alt
from altair.utils.schemapi import debug_mode

from headgate.figures.analysis.whole import TableAnalysis
from headgate.figures.plots.palette import SMALL, STEPS, Diverging
from headgate.figures.spec.looks import BLACK, find_looks
from headgate.figures.vega.looks import SHAPES

#: The choices of a page, each a signal of every picture; "" means all.
#: `last` is the most congested condition, `where` the chosen one, or else the last, in words, and
#: `title` that of the chosen response.
CHOICES = ("condition", "period", "response", "cca", "flows", "last", "where", "title")
CELL = 15
#: The order of conditions, if a response measures congestion.
ORDERED = "; conditions from the least to the most congested"
#: Text takes the colour of the page around it, so that dark and light are the page's to choose.
INK = "currentColor"
FAINT = "#8886"
#: Lines and marks of no algorithm: at least 3 : 1 against the page, light and dark (WCAG 1.4.11).
GREY = "#888888"
#: Within chance, on light and on dark.
NONE = "#8882"
#: How much of its colour keeps what is not chosen.
AWAY = 0.15
CONFIG: dict[str, Any] = {
    "background": None,
    "view": {"stroke": None},
    "font": "system-ui, sans-serif",
    "title": {"color": INK, "anchor": "start", "fontSize": 13},
    "axis": {
        "labelColor": INK, "titleColor": INK, "domainColor": GREY, "tickColor": GREY,
        "gridColor": FAINT, "labelLimit": 260, "titleFontWeight": "normal",
    },
    "header": {"labelColor": INK, "titleColor": INK},
    "legend": {
        "labelColor": INK, "titleColor": INK, "symbolStrokeColor": INK, "labelLimit": 320,
    },
}  # fmt: skip


def specify(draw: Callable[[], Any]) -> dict[str, Any]:
    """Return the specification of a picture without Altair's checks, which tests do.

    Altair checks every part when it is made, and again in each whole that contains it.
    """
    with debug_mode(False):
        spec: dict[str, Any] = draw().to_dict(validate=False)
    return spec


def chart(data: str) -> alt.Chart:
    """Return an empty chart of named data."""
    return alt.Chart(alt.NamedData(name=data))


def filter_chosen(*choices: str) -> str:
    """Return the filter that keeps the chosen values; no choice keeps everything."""
    return " && ".join(f"({name} === '' || datum.{name} === {name})" for name in choices)


def strong(small: str = "false") -> Any:
    """Return an opacity that fades conditions that are not chosen, then small values.

    The first true test decides: a condition in `otherwise` would replace the one before.
    """
    away = alt.when(f"!({filter_chosen('condition')})").then(alt.value(AWAY))
    return away.when(small).then(alt.value(SMALL)).otherwise(alt.value(1.0))


def condition_tips() -> list[alt.Tooltip]:
    """Name a condition in words, and by its code."""
    return [alt.Tooltip("in_words:N", title="condition"), alt.Tooltip("condition:N", title="code")]


def signed_scale(colours: Diverging) -> alt.Scale:
    """Return the colours of changes or correlations, as in the pictures beside the page."""
    places = [2 * place / (STEPS - 1) - 1 for place in range(STEPS)]
    return alt.Scale(domain=places, range=list(colours.light), clamp=True)


def cca_colour(ccas: Sequence[str], none: str = "") -> alt.Color:
    """Colour algorithms as in every other picture; black becomes the colour of the text.

    `none` is the grey entry for no algorithm.
    """
    tints = [look.colour.replace(BLACK, INK) for look in find_looks(ccas, are_ccas=True).values()]
    domain, colours = ([*ccas, none], [*tints, "#999"]) if none else (list(ccas), tints)
    return alt.Color("cca:N", title="cca", scale=alt.Scale(domain=domain, range=colours))


def cca_mark(ccas: Sequence[str]) -> alt.Shape:
    """Assign each algorithm a mark, so that colour never carries a meaning alone."""
    shapes = [SHAPES[look.mark] for look in find_looks(ccas, are_ccas=True).values()]
    return alt.Shape("cca:N", title="cca", scale=alt.Scale(domain=list(ccas), range=shapes))


def describe(
    described: str, data: str, filters: str = "", *, ordered: bool = False, **params: str
) -> Callable[[Callable[[TableAnalysis], Any]], Callable[[TableAnalysis], dict[str, Any]]]:
    """Turn a function that draws a picture into one that returns its specification.

    The specification contains the page's look and all choices. `filters` are the choices that also
    filter the table of its numbers. If `ordered`, the description states the order of conditions.
    `params` are further signals by name, each with its expression.
    """

    def wrap(draw: Callable[[TableAnalysis], Any]) -> Callable[[TableAnalysis], dict[str, Any]]:
        @wraps(draw)
        def make(whole: TableAnalysis) -> dict[str, Any]:
            spec = specify(partial(draw, whole))
            signals = [{"name": name, "value": ""} for name in CHOICES]
            signals += [{"name": name, "expr": expression} for name, expression in params.items()]
            order = ORDERED if ordered and whole.roles.congestion else ""
            return spec | {
                "description": f"{described}{order}",
                "params": [*spec.get("params", []), *signals],
                "config": CONFIG,
                "usermeta": {"data": data, "filters": filters.split()},
            }

        return make

    return wrap
