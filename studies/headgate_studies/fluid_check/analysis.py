"""The sentences, the tables and the data of the report."""

import math
from contextlib import suppress
from typing import Any

import numpy as np

from headgate import Table, Words
from headgate.lab import Listing, NotRunError, Runs
from headgate_studies.fluid_check.compare import Comparison, Pair, largest_apart
from headgate_studies.fluid_check.faces import APART, GRID, apart, faces, jobs
from headgate_studies.fluid_check.findings import good, later
from headgate_studies.paths import utilisation

__all__ = ["data", "jobs", "prepare", "sentences", "tables"]

ERRORS = ("throughput_error", "queue_error", "loss_error", "cca_loss_error")
MEASURES = ("throughput", "queue", "loss", "window", "rtt_s")


def prepare(runs: Runs) -> Comparison:
    """Make the fluid runs beside those by packets."""
    return Comparison.of(runs)


def sentences(made: Comparison) -> tuple[str, ...]:
    """State the results; sentences without runs at this scale are left out."""
    listed = []
    for say in (_throughput, _step, _queues, _losses, _starts, _warnings):
        with suppress(NotRunError):
            listed.append(say(made))
    return tuple(listed)


def _by_cca(made: Comparison, error: str, has: str = "") -> str:
    listed = []
    for face in faces():
        own = [pair for pair in made.pairs if pair.face == face and good(pair)]
        if own and (not has or getattr(face, has)):
            value, _ = largest_apart(own, error)
            listed.append(f"{face.name} {_percent(value)}")
    if not listed:
        raise NotRunError("no cell combines many flows and large windows")
    return ", ".join(listed)


def _percent(share: float) -> str:
    """Write an error in few digits; how small it is below 0.1 % says nothing more."""
    return f"{100 * share:.3g} %" if share >= 0.001 else "below 0.1 %"


def _throughput(made: Comparison) -> str:
    listed = _by_cca(made, "throughput_error")
    return (
        "With 50 flows or more and windows of 10 packets or more, the fluid's throughput is wrong"
        f" by at most: {listed}."
    )


def _step(made: Comparison) -> str:
    cell = apart(made.setup)
    listed = []
    for face in faces():
        if not face.queues:
            equal = utilisation(made[(GRID, face.name, *cell.key)])
            own = utilisation(made[APART, face.name])
            listed.append(f"{face.name} {100 * equal:.1f} and {100 * own:.1f} %")
    return (
        f"Share of the rate used by {cell}, all round trips equal, and then round trips that"
        f" differ by {100 * made.setup.settings['apart']['spread']:g} % either way:"
        f" {', '.join(listed)}."
    )


def _queues(made: Comparison) -> str:
    listed = _by_cca(made, "queue_error", "queues")
    return f"The queue of models that contain one is wrong there by at most: {listed}."


def _losses(made: Comparison) -> str:
    listed = _by_cca(made, "loss_error", "lossy")
    given = _by_cca(made, "cca_loss_error", "lossy")
    return (
        f"Its losses are wrong there by at most: {listed}. Given the round trip that packets have:"
        f" {given}."
    )


def _starts(made: Comparison) -> str:
    listed = [f"{face.name} {_late(made, face.name)}" for face in faces()]
    return (
        f"One flow's time to 95 % of the rate by fluid, over that by packets: {', '.join(listed)}."
    )


def _late(made: Comparison, cca: str) -> str:
    ratio = later(*made.starts[cca, 1])
    return f"{ratio:.2g}" if math.isfinite(ratio) else "not reached in the run"


def _warnings(made: Comparison) -> str:
    warned = sum(bool(pair.warnings) for pair in made.pairs)
    wrong = sum(bool(pair.wrong) for pair in made.pairs)
    both = sum(bool(pair.wrong and pair.warnings) for pair in made.pairs)
    return (
        f"Of {len(made.pairs)} runs, {wrong} are more than 5 % wrong in throughput, 20 % in"
        f" the queue or twice in losses; the tool warns of {both} of them, and of"
        f" {warned - both} that are right."
    )


def tables(made: Comparison) -> tuple[Listing, ...]:
    """Return every table of the report."""
    return (_list_starts(made), *(_cca(made, face.name) for face in faces()))


def _list_starts(made: Comparison) -> Listing:
    rows: list[tuple[Any, ...]] = [
        (cca, flows, f"{packets_s:.3g}", f"{fluid_s:.3g}")
        for (cca, flows), (packets_s, fluid_s) in made.starts.items()
    ]
    return Listing(
        "Starts",
        "Seconds from the start to 95 % of the rate over a round trip.",
        ("cca", "flows", "packets", "fluid"),
        rows,
    )


def _cca(made: Comparison, name: str) -> Listing:
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
        " with the fluid's round trip set to that of the packets. None: the model lacks the value.",
        (
            "cell", "window", "throughput", "queue", "loss", "throughput", "queue", "loss",
            "loss of the algorithm", "warnings",
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
        "cca": Words.of([pair.face.name for pair in made.pairs]),
        "rate": Words.of([pair.cell.rate for pair in made.pairs]),
    }
    for name in ("rtt_ms", "flows", "buffer", "window", "bdp_packets"):
        columns[name] = _column(getattr(pair.cell, name) for pair in made.pairs)
    for name in MEASURES:
        columns[f"packets_{name}"] = _column(getattr(p.packets, name) for p in made.pairs)
        columns[f"fluid_{name}"] = _column(getattr(p.fluid, name) for p in made.pairs)
    columns["fluid_cca_loss"] = _column(pair.cca_loss for pair in made.pairs)
    for name in ERRORS:
        columns[name] = _column(getattr(pair, name) for pair in made.pairs)
    columns["warnings"] = Words.of(["; ".join(pair.warnings) for pair in made.pairs])
    return (Table("cells", columns),)


def _column(values: Any) -> Any:
    return np.array(list(values), dtype=float)
