"""Algorithms under conditions: changes, outliers, residuals, clusters, components, ranks."""

from __future__ import annotations

import json
from typing import Any

import altair as alt

from headgate.figures.analysis.clusters import GROUP
from headgate.figures.analysis.phrases import FITS, ConditionNames
from headgate.figures.analysis.whole import TableAnalysis
from headgate.figures.plots.palette import SIGNED, STRONG, VERDICT, Diverging
from headgate.figures.vega.data import NOBODY, describe_conditions, order_conditions
from headgate.figures.vega.style import (
    CELL,
    GREY,
    NONE,
    cca_colour,
    cca_mark,
    chart,
    condition_tips,
    describe,
    filter_chosen,
    signed_scale,
    strong,
)

#: Of a condition in words, the number before them.
NUMBER = "split(datum.label, ':')[0]"
#: Distance of marks from the axis.
AXIS_PAD = 7
#: The size of marks and of what says what they are, and the height of a row of both.
MARK, ROW = 10, 13
HIGH, LOW = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"


def _by_congestion(whole: TableAnalysis, *, marks: bool = False) -> alt.X:
    """Order conditions by congestion, or as in the table.

    If words do not fit, the axis shows numbers, with `marks` of their levels below them.
    """
    names = list(describe_conditions(whole).values())
    if max(map(len, names)) <= FITS:
        # Words fill the space below the axis: the caption says what they are.
        title, axis = None, alt.Axis(labelAngle=-90, labelLimit=320)
    else:
        by = ", by congestion" if whole.roles.congestion else ""
        title, axis = f"number of the condition{by}", alt.Axis(labelExpr=NUMBER)
    if marks and (marked := _mark_levels(whole)):
        title, axis = None, marked
    return alt.X("in_words:N", sort=names, title=title, axis=axis)


def _mark_levels(whole: TableAnalysis) -> alt.Axis | None:
    """Return an axis with marks of levels, unless words fit or rows are too many."""
    order = order_conditions(whole)
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
    return made.encode(
        x=_by_congestion(whole, marks=True),
        y=alt.Y("title:N", sort=None, title=None,
                scale=alt.Scale(domain=[whole.roles.title(r) for r in whole.roles.responses])),
    ).properties(width=alt.Step(CELL), height=alt.Step(CELL))  # fmt: skip


def _change_cells(field: str, title: str, colours: Diverging, directed: bool) -> alt.Chart:
    """Draw the cells of responses with a better direction, or of those without one."""
    known = "!==" if directed else "==="
    made: alt.Chart = (
        chart("changes")
        .transform_filter(f"{filter_chosen('period', 'cca')} && datum.verdict {known} null")
        .mark_rect(cursor="pointer", stroke="#8883", tooltip=True)
        .encode(
            color=alt.when("datum.known").then(
                alt.Color(f"{field}:Q", title=title, scale=signed_scale(colours),
                          legend=alt.Legend(format=".0%")),
            ).otherwise(alt.value(NONE)),
            opacity=strong(),
            tooltip=[*condition_tips(), "title:N", "cca:N", alt.Tooltip("change:Q", format="+.1%"),
                     alt.Tooltip("moves:N", title="10 % or more, beyond chance (1 yes)")],
        )
    )  # fmt: skip
    return made


@describe(
    "Change of each response under each condition, for the chosen algorithm",
    "changes",
    "period algorithm condition",
    ordered=True,
)
def changes(whole: TableAnalysis) -> Any:
    """Draw the change of each response under each condition, for the chosen algorithm."""
    directed = {name in whole.roles.worse for name in whole.roles.responses}
    layers = [
        _grid(_change_cells(field, title, colours, is_directed), whole)
        for is_directed, field, title, colours in (
            (True, "verdict", "better to worse", VERDICT),
            (False, "change", "less to more", SIGNED),
        )
        if is_directed in directed
    ]
    return alt.layer(*layers).resolve_scale(color="independent") if len(layers) > 1 else layers[0]


@describe(
    "The outlying algorithm of each response under each condition",
    "outliers",
    "period condition",
    ordered=True,
)
def outliers(whole: TableAnalysis) -> Any:
    """Draw the outlying algorithm of each response and condition."""
    ccas = whole.all_periods.cells.ccas
    base = chart("outliers")
    base = base.transform_filter(filter_chosen("period"))
    faces = base.mark_rect(cursor="pointer", stroke="#8883").encode(
        color=cca_colour(ccas),
        opacity=strong(small="!datum.kept"),
        tooltip=["cca:N", *condition_tips(), "title:N", alt.Tooltip("relative:Q", format="+.1%"),
                 alt.Tooltip("p:Q", format=".2g"),
                 alt.Tooltip("grubbs:Q", title="p of Grubbs' test", format=".2g")],
    )  # fmt: skip
    sides = base.mark_text(fontSize=8, color="white", aria=False).encode(
        text=alt.when("datum.relative > 0").then(alt.value(HIGH)).otherwise(alt.value(LOW))
    )
    return alt.layer(_grid(faces, whole), _grid(sides, whole))


@describe(
    "Residual of each algorithm about the mean of its condition, chosen response",
    "cells",
    "period response condition",
    ordered=True,
)
def residuals(whole: TableAnalysis) -> Any:
    """Draw residuals of the chosen response about each condition's mean."""
    ccas = whole.all_periods.cells.ccas
    return (
        chart("cells")
        .transform_filter(f"datum.response === response && {filter_chosen('period')}")
        .transform_joinaggregate(middle="mean(mean)", groupby=["condition"])
        .transform_calculate(residual="datum.mean - datum.middle")
        .transform_calculate(relative="datum.residual / abs(datum.middle)")
        .mark_point(filled=True, size=45, cursor="pointer")
        .encode(
            x=_by_congestion(whole),
            xOffset=alt.XOffset("cca:N", sort=list(ccas)),
            y=alt.Y("residual:Q", title="residual (unit of the response)"),
            color=cca_colour(ccas),
            shape=cca_mark(ccas),
            opacity=strong(),
            tooltip=["cca:N", *condition_tips(), alt.Tooltip("mean:Q", format=".4g"),
                     alt.Tooltip("residual:Q", format="+.3g"),
                     alt.Tooltip("relative:Q", format="+.1%")],
        )
        .properties(
            width="container", height=260, title=alt.Title(alt.expr("'Residual of ' + title"))
        )
    )  # fmt: skip


@describe(
    "Greatest linkage of the algorithms under each condition",
    "trees",
    "period condition",
    ordered=True,
)
def apart(whole: TableAnalysis) -> Any:
    """Draw the greatest linkage under each condition, and the algorithm that is linked last."""
    ccas = whole.all_periods.cells.ccas
    return (
        chart("trees")
        .transform_filter(filter_chosen("period"))
        .mark_bar(cursor="pointer")
        .encode(
            x=_by_congestion(whole),
            y=alt.Y("greatest:Q", title="greatest linkage (standard deviations)"),
            color=cca_colour(ccas, NOBODY).title("linked last and alone"),
            opacity=strong(),
            tooltip=[*condition_tips(), alt.Tooltip("greatest:Q", format=".3g"),
                     alt.Tooltip("cca:N", title="alone"), "groups:N"],
        )
        .properties(width="container", height=180)
    )  # fmt: skip


@describe(
    "Dendrogram of the algorithms under the chosen condition",
    "links",
    "period condition",
    shown="condition || last",
)
def tree(whole: TableAnalysis) -> Any:  # noqa: ARG001 - the same for every table
    """Draw the dendrogram of the chosen condition; the page chooses the last by default."""
    base = chart("links")
    kept = f"{filter_chosen('period')} && datum.condition === shown"
    # At the top: the names of algorithms are below the axis.
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
        base.transform_filter(f"{kept} && datum.cca !== null")
        .mark_text(angle=270, align="right", dy=0, dx=-6, color="currentColor")
        .encode(x="x:Q", y=alt.datum(0), text="cca:N")
    )
    return alt.layer(lines, names).properties(
        width="container", height=240, title=alt.Title(alt.expr("'Condition ' + where"))
    )


@describe(
    "Algorithms under conditions, first against second principal component",
    "points",
    "period condition",
)
def components(whole: TableAnalysis) -> Any:
    """Draw algorithms under conditions in the plane of the first two components."""
    ccas = whole.all_periods.cells.ccas
    return (
        chart("points")
        .transform_filter(filter_chosen("period"))
        .mark_point(filled=True, size=55, cursor="pointer")
        .encode(
            x=alt.X("component_1:Q", title="first principal component"),
            y=alt.Y("component_2:Q", title="second principal component"),
            color=cca_colour(ccas),
            shape=cca_mark(ccas),
            opacity=strong(),
            tooltip=["cca:N", *condition_tips(), "group:N", "subgroup:N"],
        )
        .properties(width="container", height=380)
    )


#: Symbols of no algorithm in the legend.
GREY_SYMBOLS = alt.Legend(symbolFillColor=GREY, symbolStrokeColor=GREY, columns=1)
PANEL = 170
ACROSS = 4
WHOSE = ["flows of the algorithm", "TCP beside them"]


@describe(
    "Throughput of each algorithm's flows against TCP's on the same paths",
    "pairs",
    "period flows condition",
)
def biplots(whole: TableAnalysis) -> Any:
    """Draw, a panel per algorithm, the throughput of its flows against TCP's beside them."""
    ccas = whole.all_periods.cells.ccas
    base = chart("pairs")
    base = base.transform_filter(filter_chosen("period", "flows"))
    points = base.mark_point(filled=True, size=45, cursor="pointer").encode(
        x=alt.X("own:Q", title="flows of the algorithm"),
        y=alt.Y("other:Q", title="TCP flows beside them"),
        color=cca_colour(ccas).legend(None),
        opacity=strong(),
        tooltip=["cca:N", *condition_tips(), alt.Tooltip("own:Q", format=".4g"),
                 alt.Tooltip("other:Q", format=".4g")],
    )  # fmt: skip
    line = (
        base.transform_calculate(most="max(datum.own, datum.other)")
        .transform_aggregate(most="max(most)")
        .transform_calculate(zero="0")
        .mark_rule(strokeDash=[4, 3], color="#888", aria=False)
        .encode(x="zero:Q", y="zero:Q", x2="most:Q", y2="most:Q")
    )
    made = alt.layer(points, line).properties(width=PANEL, height=PANEL)
    return made.facet(facet=alt.Facet("cca:N", title=None, sort=list(ccas)), columns=ACROSS)


@describe(
    "Share of what is available: flows of each algorithm, and TCP's beside them",
    "pairs",
    "period flows condition",
)
def bars(whole: TableAnalysis) -> Any:
    """Draw the shares of what is available, the mean over conditions or those of the chosen one."""
    ccas = whole.all_periods.cells.ccas
    base = chart("pairs")
    return (
        base.transform_filter(filter_chosen("period", "flows", "condition"))
        .transform_fold(["share_own", "share_other"], as_=["side", "share"])
        .transform_aggregate(share="mean(share)", groupby=["cca", "side"])
        .transform_calculate(whose=f"datum.side === 'share_own' ? '{WHOSE[0]}' : '{WHOSE[1]}'")
        .mark_bar()
        .encode(
            x=alt.X("cca:N", sort=list(ccas), title=None),
            xOffset=alt.XOffset("whose:N", sort=WHOSE),
            y=alt.Y("share:Q", title="share of what is available", axis=alt.Axis(format=".0%")),
            color=cca_colour(ccas).legend(None),
            opacity=alt.Opacity("whose:N", title="whose", sort=WHOSE,
                                scale=alt.Scale(domain=WHOSE, range=[1, 0.45])),
            tooltip=["cca:N", "whose:N", alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(width="container", height=240)
    )  # fmt: skip


@describe(
    "Mean rank of each algorithm against the standard deviation of its rank",
    "ranks",
    "period condition",
)
def ranks(whole: TableAnalysis) -> Any:
    """Draw mean rank against its deviation, over conditions or in the chosen one."""
    ccas = whole.all_periods.cells.ccas
    return (
        chart("ranks")
        .transform_filter(filter_chosen("period", "condition"))
        .transform_aggregate(mean="mean(rank)", deviation="stdev(rank)", groupby=["cca", "title"])
        .transform_calculate(spread="isValid(datum.deviation) ? datum.deviation : 0")
        .mark_point(filled=True, size=90, opacity=1)
        .encode(
            x=alt.X("mean:Q", title="mean rank (more is better)", scale=alt.Scale(zero=False)),
            y=alt.Y("spread:Q", title="standard deviation of the rank"),
            color=cca_colour(ccas),
            shape=alt.Shape("title:N", title="response", legend=GREY_SYMBOLS),
            tooltip=["cca:N", "title:N", alt.Tooltip("mean:Q", format=".2f"),
                     alt.Tooltip("spread:Q", format=".2f")],
        )
        .properties(width="container", height=300)
    )  # fmt: skip
