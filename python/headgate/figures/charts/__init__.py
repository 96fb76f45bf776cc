"""Interactive pictures: Vega-Lite specifications of what an analysis found, without their data.

Data have names (`headgate.figures.charts.data` makes them) and are given to all pictures of a page
at once; so are the choices that filter them: `condition`, `period`, `response`, `law`, `flows`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headgate.base.optional import require

require("report", "a page of pictures in HTML")  # before what imports Altair

from headgate.figures.analysis.whole import TableAnalysis  # noqa: E402
from headgate.figures.charts.factors import correlations, effects, influence, means  # noqa: E402
from headgate.figures.charts.flows import bars, biplots, ranks  # noqa: E402
from headgate.figures.charts.laws import apart, changes, components, outliers, residuals, tree  # noqa: E402

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
