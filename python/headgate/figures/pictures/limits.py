"""What part of an axis is shown, so that panels compare and a start does not flatten the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from headgate.figures.pictures.drawing import Level, Numbers, Panel

#: Room for the name of a level above it.
HEADROOM = 1.12
#: A peak of the warm-up so many times as high as all that follows is cut off.
FAR_ABOVE = 2.5
#: What is shown above that which follows.
CUT_AT = 1.4
#: Values that vary by less than this share of the greatest are not shown from zero.
FROM_ZERO_BELOW = 0.5
#: A level that is farther above is left out.
NEAR = 3.0
#: The least share of its greatest value that an axis of values far from zero covers.
LEAST_SPAN = 0.1
CUT = "Peaks during the warm-up are cut off."


def compare(panels: Sequence[Panel], *, zero: bool = True) -> tuple[tuple[Panel, ...], str]:
    """Set the same limits for panels over time; return them, and a note if a peak is cut off."""
    highest, later, lowest = 0.0, 0.0, np.inf
    for panel in panels:
        for line in panel.lines:
            after = line.y[line.x > panel.warmup_s]
            highest = max(highest, _find_max(line.y))
            later = max(later, _find_max(after))
            lowest = min(lowest, float(line.y.min(initial=np.inf)))
    top, said = highest, ""
    if 0 < FAR_ABOVE * later < highest:
        top, said = CUT_AT * later, CUT
    panels = [replace(panel, levels=_keep_near(panel.levels, top)) for panel in panels]
    levels = [float(level.y.max()) for panel in panels for level in panel.levels]
    top = HEADROOM * max(top, *levels, 0.0) or 1.0
    low = 0.0 if zero or not lowest > FROM_ZERO_BELOW * top else lowest - 0.15 * (top - lowest)
    return tuple(replace(panel, y_range=(low, top)) for panel in panels), said


def share_times(panels: Sequence[Panel]) -> tuple[Panel, ...]:
    """Give panels over the same time one range of it, from the first point to the last of all."""
    times = [line.x for panel in panels for line in panel.lines if len(line.x)]
    times += [level.x for panel in panels for level in panel.levels]
    low = min((float(x.min()) for x in times), default=0.0)
    high = max((float(x.max()) for x in times), default=0.0)
    if any(panel.warmup_s for panel in panels):
        low = 0.0
    if len(panels) < 2 or low == high:
        return tuple(panels)
    return tuple(replace(panel, x_range=panel.x_range or (low, high)) for panel in panels)


def _keep_near(levels: Sequence[Level], top: float) -> tuple[Level, ...]:
    """Keep the levels that would not flatten what is compared with them."""
    return tuple(level for level in levels if level.y.min() <= NEAR * max(top, 1e-12))


def _find_max(values: Numbers) -> float:
    return float(values.max(initial=0.0))


def set_limits_around(values: Numbers) -> tuple[float, float]:
    """Return limits around values far from zero, wide enough to see that they are alike."""
    low, high = float(values.min()), float(values.max())
    middle, half = (low + high) / 2, max((high - low) * 0.6, LEAST_SPAN * high / 2)
    return middle - half, middle + half


def set_limits_from_zero(values: Numbers) -> tuple[float, float]:
    """Return limits from zero, or around values that are far from it."""
    high = float(values.max())
    if values.min() > FROM_ZERO_BELOW * high:
        return set_limits_around(values)
    return 0.0, HEADROOM * high
