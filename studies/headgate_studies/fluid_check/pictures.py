"""The pictures of the study."""

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
#: Range of a factor of losses within which a fluid is right.
LOSS = (1 / WORSE_LOSS - 1, WORSE_LOSS - 1)
#: Name of a picture -> title, caption, the error drawn, the property of its models, right range.
ERRORS = {
    "throughput": (
        "Error of throughput",
        "Fluid over packets less one. Shaded: within 5 %. Marks are buffers.",
        "throughput_error", "", (-WORSE_THROUGHPUT, WORSE_THROUGHPUT),
    ),
    "queue": (
        "Error of the queue",
        "Fluid over packets less one. Shaded: within 20 %. Models of loss-based algorithms at flow"
        " level have no queue. A queue below a hundredth of what fills the path counts as that.",
        "queue_error", "queues", (-WORSE_QUEUE, WORSE_QUEUE),
    ),
    "loss": (
        "Error of loss",
        "Fluid over packets less one. Shaded: from half to twice as much. At flow level the fluid's"
        " round trip is that of the path, without a queue that would lengthen it. Models of delay"
        " and of routers contain no losses.",
        "loss_error", "lossy", LOSS,
    ),
    "cca-loss": (
        "Error of loss, the round trip given",
        "The same with the round trip of the packets, queue included: the rest is the error of the"
        " algorithm's model. Small windows: time-outs. Large windows of HSTCP and Scalable"
        " TCP: an overflow takes many packets at once, and is answered once.",
        "cca_loss_error", "lossy", LOSS,
    ),
}  # fmt: skip


def pictures(made: Comparison) -> tuple[Picture, ...]:
    """Draw every figure of the report."""
    return (_map(made), *(_draw_errors(made, name) for name in ERRORS))


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
        " model without losses: the loss by packets) of each cell. Of cells at one place, the worst"
        " is on top. Rings: the tool warns. Dashed: windows below which it warns for every buffer.",
        error_maps(panels, "rate x round trip (packets)", "flows"),
    )


def _scatter(made: Comparison, face: Face, error: str) -> Scatter:
    own = _own(made, face)
    return Scatter(
        face.name,
        np.array([pair.cell.window for pair in own]),
        np.array([getattr(pair, error) for pair in own]),
        np.array([float(pair.cell.flows) for pair in own]),
        [f"{pair.cell.buffer:g} BDP" for pair in own],
    )


def _draw_errors(made: Comparison, name: str) -> Picture:
    """Draw an error of every model that contains the quantity."""
    title, caption, error, needs, band = ERRORS[name]
    of = [face for face in faces() if not needs or getattr(face, needs)]
    buffers = [f"{size:g} BDP" for size in sorted({pair.cell.buffer for pair in made.pairs})]
    axis = f"error of {'the queue' if name == 'queue' else name.removeprefix('cca-')} (%)"
    figure = errors([_scatter(made, face, error) for face in of], buffers, WINDOW, axis, band)
    return Picture(name, title, caption, figure)
