"""A title that ends with a unit, and figures in it, in the unit that people read them in."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from headgate.base.units import readable

_UNIT = re.compile(r"\(([^()]+)\)$")


def find_readable(title: str, figures: Iterable[float]) -> tuple[float, str]:
    """Return what to multiply the figures by, and the title with the unit that they have then."""
    found = _UNIT.search(title)
    largest = float(np.max(np.abs(np.nan_to_num([*figures])), initial=0.0))
    if found is None:
        return 1.0, title
    factor, unit = readable(found[1], largest)
    return factor, f"{title[: found.start()]}({unit})"
