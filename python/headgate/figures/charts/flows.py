"""Flows of a law beside TCP flows: biplots, shares, ranks."""

from __future__ import annotations

from typing import Any

import altair as alt

from headgate.figures.analysis.whole import TableAnalysis
from headgate.figures.charts.style import (
    GREY,
    chart,
    condition_tips,
    filter_chosen,
    finish,
    law_colour,
    strong,
)

#: Symbols of no law in the legend.
GREY_SYMBOLS = alt.Legend(symbolFillColor=GREY, symbolStrokeColor=GREY, columns=1)
PANEL = 170
ACROSS = 4
WHOSE = ["flows of the law", "TCP beside them"]


def biplots(whole: TableAnalysis) -> dict[str, Any]:
    """Draw, a panel a law, the throughput of its flows against TCP's beside them."""
    laws = whole.all_periods.cells.laws
    base = chart("pairs")
    base = base.transform_filter(filter_chosen("period", "flows"))
    points = base.mark_point(filled=True, size=45, cursor="pointer").encode(
        x=alt.X("own:Q", title="flows of the law"),
        y=alt.Y("other:Q", title="TCP flows beside them"),
        color=law_colour(laws).legend(None),
        opacity=strong(),
        tooltip=["law:N", *condition_tips(), alt.Tooltip("own:Q", format=".4g"),
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
    panels = made.facet(facet=alt.Facet("law:N", title=None, sort=list(laws)), columns=ACROSS)
    return finish(
        panels,
        "Throughput of each law's flows against TCP's on the same paths",
        "pairs",
        "period",
        "flows",
        "condition",
    )


def bars(whole: TableAnalysis) -> dict[str, Any]:
    """Draw the shares of what is available, the mean over conditions or those of the chosen one."""
    laws = whole.all_periods.cells.laws
    base = chart("pairs")
    made = (
        base.transform_filter(filter_chosen("period", "flows", "condition"))
        .transform_fold(["share_own", "share_other"], as_=["side", "share"])
        .transform_aggregate(share="mean(share)", groupby=["law", "side"])
        .transform_calculate(whose=f"datum.side === 'share_own' ? '{WHOSE[0]}' : '{WHOSE[1]}'")
        .mark_bar()
        .encode(
            x=alt.X("law:N", sort=list(laws), title=None),
            xOffset=alt.XOffset("whose:N", sort=WHOSE),
            y=alt.Y("share:Q", title="share of what is available", axis=alt.Axis(format=".0%")),
            color=law_colour(laws).legend(None),
            opacity=alt.Opacity("whose:N", title="whose", sort=WHOSE,
                                scale=alt.Scale(domain=WHOSE, range=[1, 0.45])),
            tooltip=["law:N", "whose:N", alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(width="container", height=240)
    )  # fmt: skip
    return finish(
        made,
        "Share of what is available: flows of each law, and TCP's beside them",
        "pairs",
        "period",
        "flows",
        "condition",
    )


def ranks(whole: TableAnalysis) -> dict[str, Any]:
    """Draw mean rank against its deviation, over conditions or in the chosen one."""
    laws = whole.all_periods.cells.laws
    made = (
        chart("ranks")
        .transform_filter(filter_chosen("period", "condition"))
        .transform_aggregate(mean="mean(rank)", deviation="stdev(rank)", groupby=["law", "title"])
        .transform_calculate(spread="isValid(datum.deviation) ? datum.deviation : 0")
        .mark_point(filled=True, size=90, opacity=1)
        .encode(
            x=alt.X("mean:Q", title="mean rank (more is better)", scale=alt.Scale(zero=False)),
            y=alt.Y("spread:Q", title="standard deviation of the rank"),
            color=law_colour(laws),
            shape=alt.Shape("title:N", title="throughput of", legend=GREY_SYMBOLS),
            tooltip=["law:N", "title:N", alt.Tooltip("mean:Q", format=".2f"),
                     alt.Tooltip("spread:Q", format=".2f")],
        )
        .properties(width="container", height=300)
    )  # fmt: skip
    return finish(
        made,
        "Mean rank of each law against the standard deviation of its rank",
        "ranks",
        "period",
        "condition",
    )
