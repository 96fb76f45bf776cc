"""Conditions along an axis: by their names, or by a row of marks for each factor below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

#: Letters of a condition's name that stands aslant; a longer one stands upright.
SLANTED = 24
#: The height that a letter of a name takes, aslant and upright, and that of a row of marks.
SLANTED_IN, UPRIGHT_IN, ROW_IN = 0.04, 0.065, 0.15
#: Distance of marks from the axis, and of what they say from its end.
PAD_POINTS, LEFT_POINTS = 4.0, 7.0
MARKS: dict[str, Any] = {"fontsize": 8, "linespacing": 1.25}


@dataclass(frozen=True)
class ConditionAxis:
    """Names of conditions; with `rows`, a name is its marks one below another, a row each."""

    names: Sequence[str]
    rows: Sequence[str] = ()

    @property
    def height_in(self) -> float:
        """The height that the axis takes below its picture, in inches."""
        if self.rows:
            return ROW_IN * len(self.rows)
        letter_in = UPRIGHT_IN if _is_upright(self.names) else SLANTED_IN
        return letter_in * max(map(len, self.names))

    def reorder(self, order: Sequence[int]) -> ConditionAxis:
        """Return the axis of those conditions, in that order."""
        return ConditionAxis([self.names[place] for place in order], self.rows)


def draw_conditions(  # noqa: PLR0913 - each is a choice of its own
    ax: Axes,
    axis: ConditionAxis,
    *,
    shift: float = 0.0,
    step: int = 1,
    top: bool = False,
    first: bool = True,
) -> None:
    """Name every `step`-th of the places 0, 1, ... of an axis, shifted by `shift`.

    The `first` panel of a row says what the rows of marks are.
    """
    places = np.arange(0, len(axis.names), step)
    named = list(axis.names[::step])
    if top:
        ax.xaxis.tick_top()
    if not axis.rows:
        ax.set_xticks(places + shift, named, fontsize=8, **_turn(named, top))
        return
    ax.set_xticks(places + shift, named, **MARKS)
    ax.tick_params(axis="x", pad=PAD_POINTS, length=0)
    if first:
        _say_rows(ax, axis.rows, top)


def _turn(names: Sequence[str], top: bool) -> dict[str, Any]:
    """Stand long names upright."""
    if _is_upright(names):
        return {"rotation": 90, "ha": "center"}
    return {"rotation": 40, "ha": "left" if top else "right"}


def _is_upright(names: Sequence[str]) -> bool:
    return max(map(len, names)) > SLANTED


def _say_rows(ax: Axes, rows: Sequence[str], top: bool) -> None:
    ax.annotate(
        "\n".join(rows),
        xy=(0, 1 if top else 0),
        xycoords="axes fraction",
        xytext=(-LEFT_POINTS, PAD_POINTS if top else -PAD_POINTS),
        textcoords="offset points",
        ha="right",
        va="bottom" if top else "top",
        annotation_clip=False,
        **MARKS,
    )
