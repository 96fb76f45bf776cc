"""Pictures with Matplotlib: the pictures of a run, and figures of tables."""

from __future__ import annotations

from matplotlib.figure import Figure

from headgate.figures.plots.network import draw_map
from headgate.figures.plots.picture import draw_picture
from headgate.figures.spec.drawing import Drawing, Picture
from headgate.figures.spec.kinds import KINDS
from headgate.figures.spec.results import Tables, draw_every_kind
from headgate.figures.spec.run import Run

__all__ = ["draw", "draw_answer", "draw_run"]

#: The most informative pictures of a run, in this order.
ANSWERS = ("throughput", "fct", "topology")


def draw_run(result: Tables) -> dict[str, Figure]:
    """Draw every picture that the run's tables have data for, by name."""
    return {name: draw(drawing) for name, drawing in draw_every_kind(result).items()}


def draw_answer(result: Tables) -> Figure | None:
    """Draw the most informative picture of the run, if its tables have data for any."""
    run = Run("", result.tables, result.meta)
    drawn = (kind.draw([run]) for name in ANSWERS for kind in KINDS if kind.name == name)
    return next((draw(drawing) for drawing in drawn if drawing is not None), None)


def draw(drawing: Drawing) -> Figure:
    """Draw a picture or a map."""
    return draw_picture(drawing) if isinstance(drawing, Picture) else draw_map(drawing)
