"""The pictures of a run as Matplotlib's figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from matplotlib.figure import Figure

from headgate.data.tables import Table
from headgate.figures.pictures.drawing import Drawing, Picture
from headgate.figures.pictures.kinds import KINDS
from headgate.figures.pictures.run import Run
from headgate.figures.plots.map import draw_map
from headgate.figures.plots.picture import draw_picture

#: What says most of a run, if it has data for it, in this order.
ANSWERS = ("throughput", "fct", "topology")


class Tables(Protocol):
    """What is drawn: the tables of a result, and its run.json."""

    @property
    def tables(self) -> Mapping[str, Table]:
        """Tables by name."""

    @property
    def meta(self) -> Mapping[str, Any]:
        """What run.json says."""


def draw_run(result: Tables) -> dict[str, Figure]:
    """Draw every picture that the run's tables have data for, by name."""
    run = Run("", result.tables, result.meta)
    drawn = {kind.name: kind.draw([run]) for kind in KINDS}
    return {name: draw(drawing) for name, drawing in drawn.items() if drawing is not None}


def draw_answer(result: Tables) -> Figure | None:
    """Draw the one picture that says most of the run, if its tables have data for any."""
    run = Run("", result.tables, result.meta)
    drawn = (kind.draw([run]) for name in ANSWERS for kind in KINDS if kind.name == name)
    return next((draw(drawing) for drawing in drawn if drawing is not None), None)


def draw(drawing: Drawing) -> Figure:
    """Draw a picture or a map."""
    return draw_picture(drawing) if isinstance(drawing, Picture) else draw_map(drawing)
