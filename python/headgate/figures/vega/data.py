"""The data of interactive pictures: named tables of few digits, columns rather than rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from headgate.figures.analysis.clusters import GROUP, Clusters, ClusterTree
from headgate.figures.analysis.main_effects import MainEffects
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.figures.analysis.phrases import phrases
from headgate.figures.analysis.whole import AnalysisResult, TableAnalysis
from headgate.stats.outliers import FILTER_SHARE

Row = dict[str, Any]
#: A column of words is kept as `words` and the place of each row's among them, `at`.
Columns = dict[str, list[Any] | dict[str, list[Any]]]
DIGITS = 5
NOBODY = "no algorithm"


def order_conditions(whole: TableAnalysis) -> list[str]:
    """Return the conditions from the least to the most congested, over all periods.

    The list is empty if a row lacks a label.
    """
    part = whole.all_periods
    return [part.cells.conditions[place] for place in part.order] if part.has_cells else []


def describe_conditions(whole: TableAnalysis) -> dict[str, str]:
    """Return the titles of conditions: a number by congestion, and the levels in words."""
    words = phrases(whole.frame, whole.roles)
    return {
        name: f"{place}: {words[name]}" for place, name in enumerate(order_conditions(whole), 1)
    }


def collect_data(whole: TableAnalysis) -> dict[str, Columns]:
    """Return all data that the pictures of this analysis use."""
    return {name: _columns(rows(whole)) for name, rows in SOURCES.items()}


def _columns(rows: Iterable[Row]) -> Columns:
    found = list(rows)
    names = found[0] if found else ()
    return {name: _column([to_json_value(row.get(name)) for row in found]) for name in names}


def _column(values: list[Any]) -> list[Any] | dict[str, list[Any]]:
    if not all(isinstance(value, str) for value in values):
        return values
    words = {word: place for place, word in enumerate(dict.fromkeys(values))}
    return {"words": list(words), "at": [words[value] for value in values]}


def to_json_value(value: Any) -> Any:
    """Return a value for JSON: few digits, None for NaN and infinities."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None
    return value


def _each(whole: TableAnalysis, kind: str) -> Iterable[tuple[AnalysisResult, str]]:
    """Yield the results of one kind with their periods."""
    return ((one, one.part.period) for one in whole.of(kind) if not one.reason)


def _add_titles(kind: str) -> Callable[[TableAnalysis], Iterable[Row]]:
    """Return a function that yields the rows of a kind with period and title."""

    def rows(whole: TableAnalysis) -> Iterable[Row]:
        for one, period in _each(whole, kind):
            for row in one.rows():
                named = {"title": whole.roles.title(row["response"])} if "response" in row else {}
                yield {**row, **named, "period": period}

    return rows


def _changes(whole: TableAnalysis) -> Iterable[Row]:
    for one, period in _each(whole, "changes"):
        for (cca, condition, response), found in one.result.cells.items():
            yield {
                "cca": cca, "condition": condition, "response": response,
                "title": whole.roles.title(response), "period": period, "change": found.share,
                # The change for the worse, if a direction is worse.
                "verdict": _verdict(whole, response, found.share),
                # A change from zero is infinite: no colour shows it.
                "known": int(found.significant and np.isfinite(found.share)),
                "moves": int(found.matters),
            }  # fmt: skip


def _verdict(whole: TableAnalysis, response: str, share: float) -> float | None:
    way = whole.roles.worse.get(response)
    return None if way is None else share if way == "more" else -share


def _outliers(whole: TableAnalysis) -> Iterable[Row]:
    for one, period in _each(whole, "outliers"):
        found = one.result
        for (condition, response), test in found.outliers(by=found.best).items():
            yield {
                "condition": condition, "response": response, "cca": test.cca,
                "p": test.p_by(found.best),
                "title": whole.roles.title(response), "relative": test.relative,
                "grubbs": test.p, "q": found.q[condition, response], "period": period,
                "kept": int(abs(test.relative) >= FILTER_SHARE),
            }  # fmt: skip


def _cells(whole: TableAnalysis) -> Iterable[Row]:
    for one, _ in _each(whole, "outliers"):
        yield from _cells_of(one.part)


def _cells_of(part: PeriodAnalysis) -> Iterable[Row]:
    grid = part.cells
    for (row, place, column), mean in np.ndenumerate(grid.values):
        yield {
            "cca": grid.ccas[place], "condition": grid.conditions[row],
            "response": grid.responses[column], "mean": mean, "period": part.period,
        }  # fmt: skip


def _trees(whole: TableAnalysis) -> Iterable[Row]:
    for row in _add_titles("clusters")(whole):
        yield {**row, "cca": row["apart"] or NOBODY}


def _links(whole: TableAnalysis) -> Iterable[Row]:
    for one, period in _each(whole, "clusters"):
        found: Clusters = one.result
        for condition, tree in found.trees.items():
            for row in _segments(tree):
                yield {**row, "condition": condition, "period": period}


def _segments(tree: ClusterTree) -> Iterable[Row]:
    """Yield the lines of a dendrogram; lines that end at a leaf carry its algorithm."""
    from scipy.cluster import hierarchy

    drawn = hierarchy.dendrogram(tree.linkage, no_plot=True)
    for xs, ys in zip(drawn["icoord"], drawn["dcoord"], strict=True):
        grouped = "yes" if ys[1] < GROUP * tree.greatest else "no"
        for a, b in ((0, 1), (1, 2), (3, 2)):
            leaf = ys[a] == 0 and (a, b) != (1, 2)
            cca = tree.ccas[drawn["leaves"][int(xs[a] // 10)]] if leaf else None
            yield {"x": xs[a], "y": ys[a], "x2": xs[b], "y2": ys[b], "grouped": grouped, "cca": cca}


def _effects(whole: TableAnalysis) -> Iterable[Row]:
    for row in _add_titles("main-effects")(whole):
        mark = f"{row['sign']}{row['stars']}"
        yield {**row, "factor_title": whole.roles.title(row["factor"]), "mark": mark}


def _level_means(whole: TableAnalysis) -> Iterable[Row]:
    for one, period in _each(whole, "main-effects"):
        found: MainEffects = one.result
        for row in found.level_rows():
            effect = found.tested(row["factor"], row["response"])
            yield {**row, "factor_title": whole.roles.title(row["factor"]), "stars": effect.stars,
                   "title": whole.roles.title(row["response"]), "period": period,
                   "joined": int(effect.ordered or len(effect.levels) == 2)}  # fmt: skip


def _psi(whole: TableAnalysis) -> Iterable[Row]:
    for one, _ in _each(whole, "influence"):
        for row in one.rows():
            for factor in one.result.factors:
                yield {
                    "of": row["of"],
                    "factor_title": whole.roles.title(factor),
                    "psi": row[factor],
                }


def _r(whole: TableAnalysis) -> Iterable[Row]:
    """Yield both halves of the matrix."""
    for one, _ in _each(whole, "correlations"):
        for row in one.rows():
            ends = row["response"], row["other"]
            for a, b in (ends, ends[::-1]):
                yield {"response": a, "title": whole.roles.title(a), "r": row["r"],
                       "other_title": whole.roles.title(b), "kept": row["kept"]}  # fmt: skip


def _pairs(whole: TableAnalysis) -> Iterable[Row]:
    for one, period in _each(whole, "biplots"):
        shares = {
            (title, row["condition"], row["cca"]): (row["own"], row["other"])
            for title, found in one.part.shares.items()
            for row in found.rows()
        }
        for row in one.rows():
            own, other = shares.get((row["flows"], row["condition"], row["cca"]), (None, None))
            yield {**row, "share_own": own, "share_other": other, "period": period}


def _ranks(whole: TableAnalysis) -> Iterable[Row]:
    for one, period in _each(whole, "ranks"):
        for row in one.result.each():
            yield {**row, "title": whole.roles.title(row["response"]), "period": period}


def _add_words(
    rows: Callable[[TableAnalysis], Iterable[Row]],
) -> Callable[[TableAnalysis], Iterable[Row]]:
    """Return the same rows with each condition also in words."""

    def named(whole: TableAnalysis) -> Iterable[Row]:
        words = describe_conditions(whole) if whole.roles.cca else {}
        for row in rows(whole):
            yield {**row, "in_words": words[row["condition"]]}

    return named


SOURCES: Mapping[str, Callable[[TableAnalysis], Iterable[Row]]] = {
    "changes": _add_words(_changes),
    "cells": _add_words(_cells),
    "outliers": _add_words(_outliers),
    "trees": _add_words(_trees),
    "links": _add_words(_links),
    "points": _add_words(_add_titles("components")),
    "effects": _effects,
    "level-means": _level_means,
    "psi": _psi,
    "r": _r,
    "pairs": _add_words(_pairs),
    "ranks": _add_words(_ranks),
}
