"""The tables of the report, and the data behind it."""

from __future__ import annotations

from typing import Any

import numpy as np

from headgate import Table, Words
from headgate.lab import Listing
from headgate_studies.fluid_check.compare import Comparison, Pair
from headgate_studies.fluid_check.faces import faces

ERRORS = ("throughput_error", "queue_error", "loss_error", "law_loss_error")
MEASURES = ("throughput", "queue", "loss", "window", "rtt_s")


def tables(made: Comparison) -> tuple[Listing, ...]:
    """Return every table of the report."""
    return (_starts(made), *(_law(made, face.name) for face in faces()))


def _starts(made: Comparison) -> Listing:
    rows: list[tuple[Any, ...]] = [
        (law, flows, f"{packets_s:.3g}", f"{fluid_s:.3g}")
        for (law, flows), (packets_s, fluid_s) in made.starts.items()
    ]
    return Listing(
        "Starts",
        "Seconds from the start to 95 % of the rate over a round trip.",
        ("law", "flows", "packets", "fluid"),
        rows,
    )


def _law(made: Comparison, name: str) -> Listing:
    own = [pair for pair in made.pairs if pair.face.name == name]
    rows = [
        (
            str(pair.cell),
            f"{pair.cell.window:.3g}",
            *(_both(pair, measure) for measure in ("throughput", "queue", "loss")),
            *(_per_cent(getattr(pair, error)) for error in ERRORS),
            len(pair.warnings),
        )
        for pair in own
    ]
    return Listing(
        name,
        "Packets / fluid, and the error of the fluid in per cent; the last error is that of losses"
        " where the fluid's round trip is that of the packets. None: the model has none.",
        (
            "cell", "window", "throughput", "queue", "loss", "throughput", "queue", "loss",
            "loss of the law", "warnings",
        ),
        rows,
    )  # fmt: skip


def _both(pair: Pair, measure: str) -> str:
    fluid = getattr(pair.fluid, measure)
    said = "none" if np.isnan(fluid) else f"{fluid:.3g}"
    return f"{getattr(pair.packets, measure):.3g} / {said}"


def _per_cent(error: float) -> str:
    return "none" if np.isnan(error) else f"{100 * error:+.3g}"


def data(made: Comparison) -> tuple[Table, ...]:
    """Return every cell with both faces, their errors and what the tool warned of."""
    columns: dict[str, Any] = {
        "law": Words.of([pair.face.name for pair in made.pairs]),
        "rate": Words.of([pair.cell.rate for pair in made.pairs]),
    }
    for name in ("rtt_ms", "flows", "buffer", "window", "bdp_packets"):
        columns[name] = _column(getattr(pair.cell, name) for pair in made.pairs)
    for name in MEASURES:
        columns[f"packets_{name}"] = _column(getattr(p.packets, name) for p in made.pairs)
        columns[f"fluid_{name}"] = _column(getattr(p.fluid, name) for p in made.pairs)
    columns["fluid_law_loss"] = _column(pair.law_loss for pair in made.pairs)
    for name in ERRORS:
        columns[name] = _column(getattr(pair, name) for pair in made.pairs)
    columns["warnings"] = Words.of(["; ".join(pair.warnings) for pair in made.pairs])
    return (Table("cells", columns),)


def _column(values: Any) -> Any:
    return np.array(list(values), dtype=float)
