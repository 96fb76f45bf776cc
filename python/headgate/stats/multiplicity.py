"""Many tests at once: p-values that allow for their number."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

import numpy as np

Key = TypeVar("Key", bound=Hashable)


def holm(found: Mapping[Key, float]) -> dict[Key, float]:
    """Return each p corrected by Holm (1979): below 5 % one in twenty families holds a false one.

    A p that is NaN is no test; it stays NaN and does not count.
    """
    keys = [key for key, p in found.items() if not np.isnan(p)]
    keys.sort(key=lambda key: found[key])
    corrected, least = dict.fromkeys(found, float("nan")), 0.0
    for place, key in enumerate(keys):
        least = max(least, min(1.0, found[key] * (len(keys) - place)))
        corrected[key] = least
    return corrected


def false_discovery(found: Mapping[Key, float]) -> dict[Key, float]:
    """Return each p corrected by Benjamini and Hochberg (1995); NaN stays NaN and does not count.

    Of what is below 5 %, one in twenty is false on average.
    """
    keys = [key for key, p in found.items() if not np.isnan(p)]
    keys.sort(key=lambda key: found[key], reverse=True)
    corrected, least = dict.fromkeys(found, float("nan")), 1.0
    for place, key in enumerate(keys):
        least = min(least, found[key] * (len(keys) / (len(keys) - place)))
        corrected[key] = least
    return corrected
