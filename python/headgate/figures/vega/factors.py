"""Factors and responses: effects, influence, correlations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from headgate.figures.analysis.whole import TableAnalysis
from headgate.figures.plots.palette import SIGNED, STRONG, WEAK
from headgate.figures.vega.style import CELL, GREY, chart, describe, filter_chosen, signed_scale

#: Width of the means of one factor.
MEANS = 120
CERTAINTY = "{'**': 'p < 0.01', '*': 'p < 0.05'}[datum.stars] || 'not shown'"
#: A response in bit/s is read in Mbit/s; its title is a choice of the page.
IN_MBIT = "indexof(title, '(bit/s)') >= 0 ? format(datum.value / 1e6, ',.6~g') : datum.label"
TITLE = "'Mean of ' + replace(title, '(bit/s)', '(Mbit/s)')"
STARS = alt.Scale(domain=["p < 0.01", "p < 0.05"], range=[STRONG, WEAK])


def _factors(whole: TableAnalysis) -> list[str]:
    made = next((one.result for one in whole.of("main-effects") if not one.reason), None)
    return list(made.factors) if made else list(whole.roles.factors)


def _across(whole: TableAnalysis, factors: Sequence[str]) -> alt.X:
    names = [whole.roles.title(name) for name in factors]
    axis = alt.Axis(orient="top", labelAngle=-40)
    return alt.X("factor_title:N", sort=None, title=None, axis=axis, scale=alt.Scale(domain=names))


def _down(whole: TableAnalysis) -> alt.Y:
    names = [whole.roles.title(name) for name in whole.roles.responses]
    return alt.Y("title:N", sort=None, title=None, scale=alt.Scale(domain=names))


@describe("Significance of each factor's effect on each response", "effects", "period")
def effects(whole: TableAnalysis) -> Any:
    """Draw the shown effects of factors on responses, with their signs."""
    base = chart("effects")
    base = base.transform_filter(f"{filter_chosen('period')} && datum.stars !== ''").encode(
        x=_across(whole, _factors(whole)), y=_down(whole)
    )
    faces = base.transform_calculate(
        level="datum.stars === '**' ? 'p < 0.01' : 'p < 0.05'"
    ).mark_rect(cursor="pointer", stroke="#8883").encode(
        color=alt.Color("level:N", title="significance", scale=STARS),
        tooltip=["title:N", "factor_title:N", alt.Tooltip("effect:Q", format="+.3g"),
                 alt.Tooltip("effect_low:Q", title="95 % interval from", format="+.3g"),
                 alt.Tooltip("effect_high:Q", title="to", format="+.3g"),
                 alt.Tooltip("relative_effect:Q", title="relative effect (%)", format=".3g"),
                 alt.Tooltip("highest:N", title="highest with"),
                 alt.Tooltip("lowest:N", title="lowest with"),
                 alt.Tooltip("p:Q", format=".2g"),
                 alt.Tooltip("p_corrected:Q", title="p for all tests (Holm)", format=".2g"),
                 alt.Tooltip("q:Q", format=".2g"),
                 alt.Tooltip("p_one_way:Q", title="p (one-way)", format=".2g")],
    )  # fmt: skip
    signs = base.mark_text(color="white", fontSize=10, aria=False).encode(text="mark:N")
    return alt.layer(faces, signs).properties(width=alt.Step(2.4 * CELL), height=alt.Step(CELL))


@describe(
    "Mean of the chosen response at each level of each factor, with 95 % intervals",
    "level-means",
    "period response",
)
def means(whole: TableAnalysis) -> Any:
    """Draw the means of the chosen response at every level of every factor, with intervals."""
    base = chart("level-means")
    base = base.transform_filter(f"datum.response === response && {filter_chosen('period')}")
    base = base.transform_calculate(certainty=CERTAINTY)
    stars = alt.Scale(domain=["p < 0.01", "p < 0.05", "not shown"], range=[STRONG, WEAK, GREY])
    x = alt.X("level:N", sort=None, title=None, axis=alt.Axis(labelLimit=MEANS))
    colour = alt.Color("certainty:N", title="significance", scale=stars)
    y = alt.Y("mean:Q", title="mean (unit of the response)", scale=alt.Scale(zero=False),
              axis=alt.Axis(labelExpr=IN_MBIT))  # fmt: skip
    shown = ["factor_title:N", "level:N", "mean:Q", "mean_low:Q", "mean_high:Q", "runs:Q"]
    points = base.mark_point(filled=True, size=50, opacity=1).encode(
        x=x, y=y, color=colour, tooltip=shown
    )
    lines = base.transform_filter("datum.joined").mark_line().encode(x=x, y=y, color=colour)
    ends = base.transform_filter("isValid(datum.mean_low)").mark_rule().encode(
        x=x, y=alt.Y("mean_low:Q"), y2="mean_high:Q", color=colour
    )  # fmt: skip
    names = [whole.roles.title(name) for name in _factors(whole)]
    header = alt.Header(labelLimit=MEANS, labelAngle=0)
    across = alt.Facet("factor_title:N", title=None, sort=names, header=header)
    layered = alt.layer(lines, ends, points).properties(width=MEANS, height=220)
    panels = layered.facet(facet=across, columns=len(names)).resolve_scale(x="independent")
    return panels.properties(title=alt.Title(alt.expr(TITLE)))


@describe("Psi of each factor by period and by algorithm", "psi")
def influence(whole: TableAnalysis) -> Any:
    """Draw Psi of each factor, a row per group."""
    factors = whole.of("influence")[0].result.factors
    cells = chart("psi").encode(x=_across(whole, factors), y=alt.Y("of:N", sort=None, title=None))
    faces = cells.mark_rect().encode(
        color=alt.Color("psi:Q", title="Psi", scale=alt.Scale(scheme="viridis", domain=[0, 1]),
                        legend=alt.Legend(format=".0%")),
        tooltip=["of:N", "factor_title:N", alt.Tooltip("psi:Q", format=".0%")],
    )  # fmt: skip
    numbers = cells.mark_text(fontSize=10, aria=False).encode(
        text=alt.Text("psi:Q", format=".0%"),
        color=alt.when("datum.psi > 0.6").then(alt.value("black")).otherwise(alt.value("white")),
    )
    return alt.layer(faces, numbers).properties(width=alt.Step(44), height=alt.Step(20))


@describe("Correlation of each pair of responses", "r", "response")
def correlations(whole: TableAnalysis) -> Any:
    """Draw r of all pairs, responses by the number of their partners."""
    order = [whole.roles.title(name) for name in whole.of("correlations")[0].result.order]
    return (
        chart("r")
        .mark_rect(cursor="pointer")
        .encode(
            x=alt.X("title:N", sort=order, title=None, axis=alt.Axis(labelAngle=-90)),
            y=alt.Y("other_title:N", sort=order, title=None),
            color=alt.Color("r:Q", title="r", scale=signed_scale(SIGNED)),
            tooltip=["title:N", "other_title:N", alt.Tooltip("r:Q", format=".2f"), "kept:N"],
        )
        .properties(width=alt.Step(CELL), height=alt.Step(CELL))
    )  # fmt: skip
