"""How a group-sequential test spends its error (Lan and DeMets, Biometrika 70, 1983)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from statistics import NormalDist
from typing import Literal

Spending = Literal["obrien-fleming", "pocock"]

_NORMAL = NormalDist()


def _spend_as_obrien_fleming(share: float, alpha: float) -> float:
    """Spend on both sides alike, as on one side at half of alpha."""
    return 4 * _NORMAL.cdf(_NORMAL.inv_cdf(alpha / 4) / math.sqrt(share))


def _spend_as_pocock(share: float, alpha: float) -> float:
    return alpha * math.log(1 + (math.e - 1) * share)


#: The error spent when this share of the largest sample is there, of an error alpha in all.
SPENDING: Mapping[Spending, Callable[[float, float], float]] = {
    "obrien-fleming": _spend_as_obrien_fleming,
    "pocock": _spend_as_pocock,
}
