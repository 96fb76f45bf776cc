"""What all interactive pictures share: choices, colours, sizes, the look on dark and light."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from headgate.figures.plots.palette import LINES, SMALL, STEPS, Diverging, vary

#: The choices of a page, each a signal of every picture; "" stands for all.
#: `last` is the most congested condition, `where` the chosen one, or else the last, in words, and
#: `title` that of the chosen response.
CHOICES = ("condition", "period", "response", "law", "flows", "last", "where", "title")
CELL = 15
#: Text takes the colour of the page around it, so that dark and light are the page's to choose.
INK = "currentColor"
FAINT = "#8886"
#: Lines and marks that are nobody's: at least 3 : 1 against the page, light and dark (WCAG 1.4.11).
GREY = "#888888"
#: What is within chance, on light and on dark.
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
    "legend": {"labelColor": INK, "titleColor": INK, "symbolStrokeColor": INK},
}  # fmt: skip


def chart(data: str) -> alt.Chart:
    """Begin a picture of named data."""
    return alt.Chart(alt.NamedData(name=data))


def filter_chosen(*choices: str) -> str:
    """Return the filter that keeps what is chosen; nothing chosen keeps everything."""
    return " && ".join(f"({name} === '' || datum.{name} === {name})" for name in choices)


def strong(small: str = "false") -> Any:
    """Return an opacity that lets step back conditions that are not chosen, then what is small.

    The first test that holds decides: a condition put into `otherwise` would lose the one before.
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


def law_colour(laws: Sequence[str], none: str = "") -> alt.Color:
    """Colour laws as in every other picture; what is black there has the colour of the text.

    `none` is what stands in a law's place where there is none, in grey.
    """
    tints = [LINES[i % len(LINES)].replace("#000000", INK) for i in range(len(laws))]
    domain, colours = ([*laws, none], [*tints, "#999"]) if none else (list(laws), tints)
    return alt.Color("law:N", title="law", scale=alt.Scale(domain=domain, range=colours))


def law_mark(laws: Sequence[str]) -> alt.Shape:
    """Assign each law a mark, so that colour never carries a meaning alone."""
    marks = (
        "circle",
        "square",
        "triangle-up",
        "diamond",
        "triangle-down",
        "cross",
        "triangle-right",
        "triangle-left",
    )
    chosen_marks = [marks[vary(i, len(marks))] for i in range(len(laws))]
    return alt.Shape("law:N", title="law", scale=alt.Scale(domain=list(laws), range=chosen_marks))


def finish(
    made: alt.TopLevelMixin, described: str, data: str, *filters: str, **params: str
) -> dict[str, Any]:
    """Return the specification of a picture, in the page's look and with all choices.

    `filters` are the choices by which the table of its numbers is filtered too; `params` are
    further signals, by the expression that gives them.
    """
    spec: dict[str, Any] = made.to_dict()
    signals = [{"name": name, "value": ""} for name in CHOICES]
    signals += [{"name": name, "expr": expression} for name, expression in params.items()]
    return spec | {
        "description": described,
        "params": [*spec.get("params", []), *signals],
        "config": CONFIG,
        "usermeta": {"data": data, "filters": list(filters)},
    }
