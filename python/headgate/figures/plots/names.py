"""Names beside points, moved apart so that each can be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from headgate.figures.plots.panels import PT_PER_IN
from headgate.figures.spec.looks import GREY

#: The size of a name in points, the width of its letters and the height of its line over that.
SIZE, LETTER, LINE = 8.0, 0.68, 1.25
#: The distance of a name from its point, and the steps by which it moves away, in points.
NEAR, STEP, STEPS = 4.0, 9.0, 24
#: The part of a figure that its axes fill before they are laid out, at the least.
FILLED = 0.75


def name_points(
    ax: Axes, points: Mapping[str, tuple[float, float]], *, beside: bool = False
) -> None:
    """Write a name at each point: up and to the left of it, or up and right or down and left.

    A name that would touch another one moves away from its point, and a line leads back. The
    limits of the axes must be final; their size is a lower estimate, so that nothing is laid out.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    grid = ax.get_subplotspec()
    shape = grid.get_gridspec().get_geometry() if grid is not None else (1, 1)
    size_pt = FILLED * PT_PER_IN * figure.get_size_inches() / np.array(shape[::-1])
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    taken: list[Bbox] = []
    for name, (x, y) in sorted(points.items(), key=lambda one: -one[1][0]):
        at = size_pt * ((x - left) / (right - left), (y - low) / (high - low))
        for offset, style in _list_places(beside=beside):
            box = _measure(name, at + offset, style)
            if not any(box.overlaps(other) for other in taken):
                break
        taken.append(box)
        led = {"arrowstyle": "-", "color": GREY, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 2}
        is_away = float(np.hypot(*offset)) > NEAR + STEP
        ax.annotate(name, (x, y), xytext=tuple(offset), textcoords="offset points", fontsize=SIZE,
                    arrowprops=led if is_away else None, **style)  # fmt: skip


def _list_places(*, beside: bool) -> Iterator[tuple[np.ndarray, dict[str, Any]]]:
    """Yield offsets in points and alignments, the nearest first."""
    right = {"ha": "left", "va": "bottom"}
    left = {"ha": "right", "va": "bottom"}
    below = {"ha": "right", "va": "top"}
    for step in range(STEPS):
        away = STEP * step
        if beside:
            yield np.array([NEAR + away, 2.0 + away]), right
            yield np.array([-NEAR - away, -2.0 - away]), below
        else:
            yield np.array([-NEAR, 3.0 + away]), left


def _measure(name: str, at: np.ndarray, style: Mapping[str, Any]) -> Bbox:
    """Return the box of a name, in points from the corner of the axes."""
    wide, high = LETTER * SIZE * len(name), LINE * SIZE
    x = at[0] - (wide if style["ha"] == "right" else 0.0)
    y = at[1] - (high if style["va"] == "top" else 0.0)
    return Bbox.from_bounds(float(x), float(y), wide, high)
