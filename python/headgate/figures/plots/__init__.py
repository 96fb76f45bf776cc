"""Pictures with Matplotlib: the pictures of a run, and figures of tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from matplotlib.figure import Figure

from headgate.data.tables import Table
from headgate.figures.plots.network import draw_map
from headgate.figures.plots.picture import draw_picture
from headgate.figures.spec.drawing import Drawing, Picture
from headgate.figures.spec.kinds import KINDS
from headgate.figures.spec.run import Run

__all__ = ["draw", "draw_answer", "draw_run"]

#: The most informative pictures of a run, in this order.
ANSWERS = ("throughput", "fct", "topology")


class Tables(Protocol):
    """The drawn result: its tables and its run.json."""

    @property
    def tables(self) -> Mapping[str, Table]:
        """Tables by name."""

    @property
    def meta(self) -> Mapping[str, Any]:
        """The content of run.json."""


def draw_run(result: Tables) -> dict[str, Figure]:
    """Draw every picture that the run's tables have data for, by name."""
    run = Run("", result.tables, result.meta)
    drawn = {kind.name: kind.draw([run]) for kind in KINDS}
    return {name: draw(drawing) for name, drawing in drawn.items() if drawing is not None}


def draw_answer(result: Tables) -> Figure | None:
    """Draw the most informative picture of the run, if its tables have data for any."""
    run = Run("", result.tables, result.meta)
    drawn = (kind.draw([run]) for name in ANSWERS for kind in KINDS if kind.name == name)
    return next((draw(drawing) for drawing in drawn if drawing is not None), None)


def draw(drawing: Drawing) -> Figure:
    """Draw a picture or a map."""
    return draw_picture(drawing) if isinstance(drawing, Picture) else draw_map(drawing)
