"""The pictures of the study."""

from collections.abc import Sequence

import numpy as np

from headgate import fluid
from headgate.lab import Picture
from headgate_studies.fluid_check.compare import (
    WORSE_LOSS,
    WORSE_QUEUE,
    WORSE_THROUGHPUT,
    Comparison,
    Pair,
)
from headgate_studies.fluid_check.error_plots import ErrorMap, Scatter, error_maps, errors
from headgate_studies.fluid_check.faces import Face, faces

WINDOW = "window per flow that fills the path (packets)"
#: Errors within which a fluid is right.
THROUGHPUT = (-WORSE_THROUGHPUT, WORSE_THROUGHPUT)
QUEUE = (-WORSE_QUEUE, WORSE_QUEUE)
LOSS = (1 / WORSE_LOSS - 1, WORSE_LOSS - 1)


def pictures(made: Comparison) -> tuple[Picture, ...]:
    """Draw every figure of the report."""
    drawn = (_map, _throughput, _queue, _loss, _law_loss)
    return tuple(draw(made) for draw in drawn)


def _own(made: Comparison, face: Face) -> list[Pair]:
    return [pair for pair in made.pairs if pair.face == face]


def worst(pair: Pair) -> float:
    """Return the worst error of throughput, queue (if it matters) and loss that there is."""
    queue = pair.queue_error if pair.queue_matters else np.nan
    loss = pair.loss_error if pair.face.lossy else pair.packets.loss
    return float(np.nanmax(np.abs([pair.throughput_error, queue, loss])))


def _map(made: Comparison) -> Picture:
    panels = []
    for face in faces():
        own, least = _own(made, face), fluid.compute_least_window(face.card)
        panels.append(
            ErrorMap(
                face.name,
                np.array([pair.cell.bdp_packets for pair in own]),
                np.array([float(pair.cell.flows) for pair in own]),
                np.array([worst(pair) for pair in own]),
                np.array([bool(pair.warnings) for pair in own]),
                {f"{least:g} packets a flow": least},
            )
        )
    return Picture(
        "map",
        "Largest errors of the fluid models",
        "The worst error of throughput, queue (if 2 % of the round trip or more) and loss (for a"
        " model without losses: the loss by packets) of each cell. Of cells at one place, the worst is"
        " on top. Rings: the tool warns. Dashed: windows below which it warns for every buffer.",
        error_maps(panels, "rate x round trip (packets)", "flows"),
    )


def _scatter(made: Comparison, error: str, of: Sequence[Face]) -> list[Scatter]:
    panels = []
    for face in of:
        own = _own(made, face)
        panels.append(
            Scatter(
                face.name,
                np.array([pair.cell.window for pair in own]),
                np.array([getattr(pair, error) for pair in own]),
                np.array([float(pair.cell.flows) for pair in own]),
                [_buffer(pair) for pair in own],
            )
        )
    return panels


def _buffer(pair: Pair) -> str:
    return f"{pair.cell.buffer:g} BDP"


def _buffers(made: Comparison) -> list[str]:
    return [f"{size:g} BDP" for size in sorted({pair.cell.buffer for pair in made.pairs})]


def _throughput(made: Comparison) -> Picture:
    panels = _scatter(made, "throughput_error", faces())
    return Picture(
        "throughput",
        "Error of throughput",
        "Fluid over packets less one. Shaded: within 5 %. Marks are buffers.",
        errors(panels, _buffers(made), WINDOW, "error of throughput (%)", THROUGHPUT),
    )


def _queue(made: Comparison) -> Picture:
    has = [face for face in faces() if face.queues]
    panels = _scatter(made, "queue_error", has)
    return Picture(
        "queue",
        "Error of the queue",
        "Fluid over packets less one. Shaded: within 20 %. Models of loss laws at flow level have"
        " no queue. A queue below a hundredth of what fills the path counts as that.",
        errors(panels, _buffers(made), WINDOW, "error of the queue (%)", QUEUE),
    )


def _loss(made: Comparison) -> Picture:
    has = [face for face in faces() if face.lossy]
    panels = _scatter(made, "loss_error", has)
    return Picture(
        "loss",
        "Error of loss",
        "Fluid over packets less one. Shaded: from half to twice as much. At flow level the fluid's"
        " round trip is that of the path, without a queue that would lengthen it. Models of delay"
        " and of routers contain no losses.",
        errors(panels, _buffers(made), WINDOW, "error of loss (%)", LOSS),
    )


def _law_loss(made: Comparison) -> Picture:
    has = [face for face in faces() if face.lossy]
    panels = _scatter(made, "law_loss_error", has)
    return Picture(
        "law-loss",
        "Error of loss, the round trip given",
        "The same with the round trip of the packets, queue included: the rest is the error of the"
        " algorithm's model. Small windows: time-outs. Large windows of HSTCP and Scalable"
        " TCP: an overflow takes many packets at once, and is answered once.",
        errors(panels, _buffers(made), WINDOW, "error of loss (%)", LOSS),
    )
