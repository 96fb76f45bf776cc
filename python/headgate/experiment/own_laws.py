"""Where a law of the user's own stands among those of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.data.tables import Table
from headgate.experiment.runnable import Analysis, Listing
from headgate.figures.analysis.roles import Roles

TITLE = "Where your law stands"
COLUMNS = (
    "response", "law", "mean", "place", "best law", "best mean", "worst law", "worst mean",
)  # fmt: skip
Means = Mapping[str, float]


def place_own(whole: Analysis, own: Sequence[str]) -> tuple[list[str], list[Listing]]:
    """Say in a sentence a law, and in a table, how it compares with the study's laws."""
    names = ", ".join(own)
    said = [f"{names}: beside the study's own laws in tables and pictures; no claim is about it."]
    if whole.roles is None or whole.roles.law is None or not whole.data:
        return said, []
    rows = list(_rank(whole.data[0], whole.roles, own))
    said += [_sum_up(law, [row for row in rows if row[1] == law]) for law in own]
    caption = (
        "Means over all conditions, periods and replicates. Places count from the best of all laws;"
        " responses of which neither way is worse have none."
    )
    return said, [Listing(TITLE, caption, COLUMNS, rows)]


def _rank(table: Table, roles: Roles, own: Sequence[str]) -> list[tuple[object, ...]]:
    """Make a row for each response and own law."""
    laws = table[roles.law or "law"]
    rows: list[tuple[object, ...]] = []
    for response in (name for name in roles.responses if name in roles.worse):
        means = _means(laws, table[response])
        order = sorted(means, key=means.__getitem__, reverse=roles.worse[response] == "less")
        for law in (law for law in own if law in means):
            best, worst = order[0], order[-1]
            place = f"{order.index(law) + 1} of {len(order)}"
            title = roles.title(response)
            rows.append((title, law, means[law], place, best, means[best], worst, means[worst]))
    return rows


def _means(laws: NDArray[np.str_], values: NDArray[np.float64]) -> Means:
    """Return the mean of each law that has a number at all."""
    found = {str(law): values[(laws == law) & np.isfinite(values)] for law in np.unique(laws)}
    return {law: float(own.mean()) for law, own in found.items() if len(own)}


def _sum_up(law: str, rows: Sequence[tuple[object, ...]]) -> str:
    best = sum(row[4] == law for row in rows)
    worst = sum(row[6] == law for row in rows)
    of = f"of {len(rows)} responses"
    return f"{law}: the best mean of all laws in {best} {of}, the worst in {worst}."
