"""Interactive pictures: Vega-Lite specifications of what an analysis found, without their data.

Data have names (`headgate.figures.vega.data` makes them) and are given to all pictures of a page
at once; so are the choices that filter them: `condition`, `period`, `response`, `cca`, `flows`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headgate.base.optional import require

require("report", "a page of pictures in HTML")  # before what imports Altair

from headgate.figures.analysis.whole import TableAnalysis  # noqa: E402
from headgate.figures.vega.ccas import (  # noqa: E402  # noqa: E402
    apart,
    bars,
    biplots,
    changes,
    components,
    outliers,
    ranks,
    residuals,
    tree,
)
from headgate.figures.vega.factors import correlations, effects, influence, means  # noqa: E402

Spec = dict[str, Any]

#: The pictures of each kind of analysis, by the names that they have on the page.
CHARTS: Mapping[str, Mapping[str, Callable[[TableAnalysis], Spec]]] = {
    "changes": {"changes": changes},
    "main-effects": {"effects": effects, "means": means},
    "influence": {"influence": influence},
    "correlations": {"correlations": correlations},
    "clusters": {"apart": apart, "tree": tree},
    "components": {"components": components},
    "outliers": {"outliers": outliers, "residuals": residuals},
    "biplots": {"biplots": biplots},
    "bars": {"bars": bars},
    "ranks": {"ranks": ranks},
}
