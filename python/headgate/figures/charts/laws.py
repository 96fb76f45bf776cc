"""Laws under conditions: changes, outliers, residuals, clusters, components."""

from __future__ import annotations

import json
from typing import Any

import altair as alt

from headgate.figures.analysis.clusters import GROUP
from headgate.figures.analysis.phrases import FITS, ConditionNames
from headgate.figures.analysis.whole import TableAnalysis
from headgate.figures.charts.data import NOBODY, conditions, in_words
from headgate.figures.charts.style import (
    CELL,
    GREY,
    NONE,
    chart,
    condition_tips,
    filter_chosen,
    finish,
    law_colour,
    law_mark,
    signed_scale,
    strong,
)
from headgate.figures.plots.palette import SIGNED, STRONG, VERDICT, Diverging

#: What a caption says of the order along the axis, where a response tells how congested they are.
ORDERED = "; conditions from the least to the most congested"
#: Of a condition in words, the number before them.
NUMBER = "split(datum.label, ':')[0]"
#: Distance of marks from the axis.
AXIS_PAD = 7
#: The size of marks and of what says what they are, and the height of a row of both.
MARK, ROW = 10, 13
HIGH, LOW = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"


def _say_order(whole: TableAnalysis) -> str:
    return ORDERED if whole.roles.congestion else ""


def _by_congestion(whole: TableAnalysis, *, marks: bool = False) -> alt.X:
    """Lay conditions out from the least to the most congested, or as the table has them.

    Where words do not fit their numbers stand, with `marks` of their levels below them.
    """
    names = list(in_words(whole).values())
    if max(map(len, names)) <= FITS:
        # Words stand under the axis to its very end: the caption says what they are.
        title, axis = None, alt.Axis(labelAngle=-90, labelLimit=320)
    else:
        by = ", by congestion" if whole.roles.congestion else ""
        title, axis = f"number of the condition{by}", alt.Axis(labelExpr=NUMBER)
    if marks and (marked := _mark_levels(whole)):
        title, axis = None, marked
    return alt.X("in_words:N", sort=names, title=title, axis=axis)


def _mark_levels(whole: TableAnalysis) -> alt.Axis | None:
    """Return an axis with marks of each condition's levels, unless words fit or rows are many."""
    order = conditions(whole)
    axis = ConditionNames.of(whole.frame, whole.roles).make_axis(order)
    if not axis.rows:
        return None
    columns = {f"{at}": [f"{at}", *marks.split("\n")] for at, marks in enumerate(axis.names, 1)}
    return alt.Axis(
        labelExpr=f"{json.dumps(columns, ensure_ascii=False)}[{NUMBER}]",
        labelAngle=0,
        labelBaseline="top",
        labelFontSize=MARK,
        labelLineHeight=ROW,
        labelPadding=AXIS_PAD,
        tickSize=0,
        title=["number, by congestion" if whole.roles.congestion else "number", *axis.rows],
        titleAlign="right",
        titleAnchor="start",
        titleBaseline="top",
        titleFontSize=MARK,
        titleLineHeight=ROW,
        titleX=-AXIS_PAD,
        titleY=AXIS_PAD,
    )


def _grid(made: alt.Chart, whole: TableAnalysis) -> alt.Chart:
    """Lay cells out: responses down, conditions across by congestion."""
    return made.encode(
        x=_by_congestion(whole, marks=True),
        y=alt.Y("title:N", sort=None, title=None,
                scale=alt.Scale(domain=[whole.roles.title(r) for r in whole.roles.responses])),
    ).properties(width=alt.Step(CELL), height=alt.Step(CELL))  # fmt: skip


def _change_cells(field: str, title: str, colours: Diverging, directed: bool) -> alt.Chart:
    """Draw the cells of responses that have a better way, or of those that have none."""
    known = "!==" if directed else "==="
    made: alt.Chart = (
        chart("changes")
        .transform_filter(f"{filter_chosen('period', 'law')} && datum.verdict {known} null")
        .mark_rect(cursor="pointer", stroke="#8883", tooltip=True)
        .encode(
            color=alt.when("datum.known").then(
                alt.Color(f"{field}:Q", title=title, scale=signed_scale(colours),
                          legend=alt.Legend(format=".0%")),
            ).otherwise(alt.value(NONE)),
            opacity=strong(),
            tooltip=[*condition_tips(), "title:N", "law:N", alt.Tooltip("change:Q", format="+.1%"),
                     alt.Tooltip("moves:N", title="10 % or more, beyond chance (1 yes)")],
        )
    )  # fmt: skip
    return made


def changes(whole: TableAnalysis) -> dict[str, Any]:
    """Draw the change of each response under each condition, for the law that is chosen."""
    directed = {name in whole.roles.worse for name in whole.roles.responses}
    layers = [
        _grid(_change_cells(field, title, colours, is_directed), whole)
        for is_directed, field, title, colours in (
            (True, "verdict", "better to worse", VERDICT),
            (False, "change", "less to more", SIGNED),
        )
        if is_directed in directed
    ]
    made = alt.layer(*layers).resolve_scale(color="independent") if len(layers) > 1 else layers[0]
    return finish(
        made,
        f"Change of each response under each condition, for the chosen law{_say_order(whole)}",
        "changes",
        "period",
        "law",
        "condition",
    )


def outliers(whole: TableAnalysis) -> dict[str, Any]:
    """Draw which law is the outlier in each response and condition."""
    laws = whole.all_periods.cells.laws
    base = chart("outliers")
    base = base.transform_filter(filter_chosen("period"))
    faces = base.mark_rect(cursor="pointer", stroke="#8883").encode(
        color=law_colour(laws),
        opacity=strong(small="!datum.kept"),
        tooltip=["law:N", *condition_tips(), "title:N", alt.Tooltip("relative:Q", format="+.1%"),
                 alt.Tooltip("p:Q", format=".2g"),
                 alt.Tooltip("grubbs:Q", title="p of Grubbs' test", format=".2g")],
    )  # fmt: skip
    sides = base.mark_text(fontSize=8, color="white", aria=False).encode(
        text=alt.when("datum.relative > 0").then(alt.value(HIGH)).otherwise(alt.value(LOW))
    )
    made = alt.layer(_grid(faces, whole), _grid(sides, whole))
    return finish(
        made,
        f"The outlying law of each response under each condition{_say_order(whole)}",
        "outliers",
        "period",
        "condition",
    )


def residuals(whole: TableAnalysis) -> dict[str, Any]:
    """Draw residuals of the chosen response about each condition's mean."""
    laws = whole.all_periods.cells.laws
    points = (
        chart("cells")
        .transform_filter(f"datum.response === response && {filter_chosen('period')}")
        .transform_joinaggregate(middle="mean(mean)", groupby=["condition"])
        .transform_calculate(residual="datum.mean - datum.middle")
        .transform_calculate(relative="datum.residual / abs(datum.middle)")
        .mark_point(filled=True, size=45, cursor="pointer")
        .encode(
            x=_by_congestion(whole),
            xOffset=alt.XOffset("law:N", sort=list(laws)),
            y=alt.Y("residual:Q", title="residual (unit of the response)"),
            color=law_colour(laws),
            shape=law_mark(laws),
            opacity=strong(),
            tooltip=["law:N", *condition_tips(), alt.Tooltip("mean:Q", format=".4g"),
                     alt.Tooltip("residual:Q", format="+.3g"),
                     alt.Tooltip("relative:Q", format="+.1%")],
        )
        .properties(
            width="container", height=260, title=alt.Title(alt.expr("'Residual of ' + title"))
        )
    )  # fmt: skip
    return finish(
        points,
        f"Residual of each law about the mean of its condition, chosen response{_say_order(whole)}",
        "cells",
        "period",
        "response",
        "condition",
    )


def apart(whole: TableAnalysis) -> dict[str, Any]:
    """Draw how far apart the laws are under each condition, and which is linked last and alone."""
    laws = whole.all_periods.cells.laws
    bars = (
        chart("trees")
        .transform_filter(filter_chosen("period"))
        .mark_bar(cursor="pointer")
        .encode(
            x=_by_congestion(whole),
            y=alt.Y("greatest:Q", title="greatest linkage (standard deviations)"),
            color=law_colour(laws, NOBODY).title("linked last and alone"),
            opacity=strong(),
            tooltip=[*condition_tips(), alt.Tooltip("greatest:Q", format=".3g"),
                     alt.Tooltip("law:N", title="alone"), "groups:N"],
        )
        .properties(width="container", height=180)
    )  # fmt: skip
    return finish(
        bars,
        f"Greatest linkage of the laws under each condition{_say_order(whole)}",
        "trees",
        "period",
        "condition",
    )


def tree(whole: TableAnalysis) -> dict[str, Any]:  # noqa: ARG001 - the same for every table
    """Draw the dendrogram of the chosen condition; the page chooses the last where none is."""
    base = chart("links")
    kept = f"{filter_chosen('period')} && datum.condition === shown"
    # At the top: below the axis stand the laws.
    legend = alt.Legend(title=f"below {GROUP:.0%} of the greatest", orient="top")
    lines = base.transform_filter(kept).mark_rule(strokeWidth=2).encode(
        x=alt.X("x:Q", axis=None, scale=alt.Scale(padding=20)),
        x2="x2:Q",
        y=alt.Y("y:Q", title="distance (standard deviations)"),
        y2="y2:Q",
        color=alt.Color("grouped:N", legend=legend,
                        scale=alt.Scale(domain=["yes", "no"], range=[STRONG, GREY])),
    )  # fmt: skip
    names = (
        base.transform_filter(f"{kept} && datum.law !== null")
        .mark_text(angle=270, align="right", dy=0, dx=-6, color="currentColor")
        .encode(x="x:Q", y=alt.datum(0), text="law:N")
    )
    made = alt.layer(lines, names).properties(
        width="container", height=240, title=alt.Title(alt.expr("'Condition ' + where"))
    )
    return finish(
        made,
        "Dendrogram of the laws under the chosen condition",
        "links",
        "period",
        "condition",
        shown="condition || last",
    )


def components(whole: TableAnalysis) -> dict[str, Any]:
    """Draw laws under conditions in the plane of the first two components."""
    laws = whole.all_periods.cells.laws
    points = (
        chart("points")
        .transform_filter(filter_chosen("period"))
        .mark_point(filled=True, size=55, cursor="pointer")
        .encode(
            x=alt.X("component_1:Q", title="first principal component"),
            y=alt.Y("component_2:Q", title="second principal component"),
            color=law_colour(laws),
            shape=law_mark(laws),
            opacity=strong(),
            tooltip=["law:N", *condition_tips(), "group:N", "subgroup:N"],
        )
        .properties(width="container", height=380)
    )
    return finish(
        points,
        "Laws under conditions, first against second principal component",
        "points",
        "period",
        "condition",
    )
