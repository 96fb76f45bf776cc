"""The difference of two runs on the map of their network: use and loss of each link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.figures.spec.drawing import MORE_OR_LESS, WORSE_OR_BETTER, Map, Scale, Span
from headgate.figures.spec.ports import draw_topology
from headgate.figures.spec.results import Tables
from headgate.figures.spec.run import Run


def draw_difference(result: Tables, other: Tables) -> dict[str, Map]:
    """Draw the change of use from another result to this one, and that of loss if there is any.

    The drawings are called "use" and "loss". Raises HeadgateError if the results lack links, or if
    their links differ.
    """
    return subtract_runs(
        Run("this result", result.tables, result.meta), Run("the other", other.tables, other.meta)
    )


def subtract_runs(run: Run, other: Run) -> dict[str, Map]:
    """Draw the changes from another run to this one, which captions call by their names."""
    first, second = draw_topology([run]), draw_topology([other])
    if first is None or second is None:
        lacking = run if first is None else other
        raise HeadgateError(f"minus: {lacking.name} lacks links between routers")
    before = {span.link: span for span in second.spans}
    own = {span.link for span in first.spans}
    if own != before.keys():
        link = min(own ^ before.keys())
        owner, lacking = (run, other) if link in own else (other, run)
        raise HeadgateError(
            f"minus: the link {link} of {owner.name} is not in {lacking.name};"
            " compare runs of one network"
        )
    drawn = {"use": _subtract(first, before, lambda span: span.utilisation, "use", MORE_OR_LESS)}
    losses = _subtract(first, before, lambda span: span.loss, "loss", WORSE_OR_BETTER)
    if any(span.value for span in losses.spans):
        drawn["loss"] = losses
    names = f"{run.name} minus {other.name}"
    return {name: replace(one, title=f"Change of {name}: {names}") for name, one in drawn.items()}


def _subtract(
    drawn: Map, before: dict[str, Span], read: Callable[[Span], float], name: str, palette: str
) -> Map:
    changes = np.array([read(span) - read(before[span.link]) for span in drawn.spans])
    changes = np.nan_to_num(changes)
    spans = tuple(
        replace(span, value=float(change))
        for span, change in zip(drawn.spans, changes, strict=True)
    )
    most = float(np.abs(changes).max()) or 0.01
    scale = Scale(f"change of {name} (percentage points)", palette, -most, most)
    at = int(np.abs(changes).argmax())
    largest = f"Largest change: {spans[at].link}, {_write_points(changes[at])}."
    said = "Each half of a link shows the direction that leaves the nearer router."
    caption = f"{said} {largest if changes.any() else 'Nothing changes.'} {drawn.omitted}".strip()
    return replace(drawn, spans=spans, scale=scale, caption=caption)


def _write_points(change: float) -> str:
    return f"{100 * change:+.2g} percentage points".replace("-", "\N{MINUS SIGN}")
