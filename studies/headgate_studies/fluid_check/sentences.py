"""The answer of the study in plain sentences, each with its numbers."""

from __future__ import annotations

import math
from contextlib import suppress

from headgate.lab import NotRunError
from headgate_studies.fluid_check.compare import Comparison, largest_apart
from headgate_studies.fluid_check.faces import faces
from headgate_studies.fluid_check.findings import good, later
from headgate_studies.fluid_check.jobs import APART, GRID, apart
from headgate_studies.paths import utilisation


def sentences(made: Comparison) -> tuple[str, ...]:
    """Say what was found; what this scale did not run is left out."""
    told = []
    for tell in (_throughput, _step, _queues, _losses, _starts, _warnings):
        with suppress(NotRunError):
            told.append(tell(made))
    return tuple(told)


def _by_law(made: Comparison, error: str, has: str = "") -> str:
    told = []
    for face in faces():
        own = [pair for pair in made.pairs if pair.face == face and good(pair)]
        if own and (not has or getattr(face, has)):
            value, _ = largest_apart(own, error)
            told.append(f"{face.name} {_percent(value)}")
    if not told:
        raise NotRunError("no cell has many flows and large windows")
    return ", ".join(told)


def _percent(share: float) -> str:
    """Write an error in few digits; how small it is below 0.1 % says nothing more."""
    return f"{100 * share:.3g} %" if share >= 0.001 else "below 0.1 %"


def _throughput(made: Comparison) -> str:
    told = _by_law(made, "throughput_error")
    return (
        "With 50 flows or more and windows of 10 packets or more, the fluid's throughput is wrong"
        f" by at most: {told}."
    )


def _step(made: Comparison) -> str:
    cell = apart(made.setup)
    told = []
    for face in faces():
        if not face.queues:
            equal = utilisation(made[(GRID, face.name, *cell.key)])
            own = utilisation(made[APART, face.name])
            told.append(f"{face.name} {100 * equal:.1f} and {100 * own:.1f} %")
    return (
        f"Share of the rate used by {cell}, all round trips equal, and then round trips that"
        f" differ by {100 * made.setup.settings['apart']['spread']:g} % either way:"
        f" {', '.join(told)}."
    )


def _queues(made: Comparison) -> str:
    told = _by_law(made, "queue_error", "queues")
    return f"Its queue, where the model has one, is wrong there by at most: {told}."


def _losses(made: Comparison) -> str:
    told = _by_law(made, "loss_error", "lossy")
    given = _by_law(made, "law_loss_error", "lossy")
    return (
        f"Its losses are wrong there by at most: {told}. Given the round trip that packets have:"
        f" {given}."
    )


def _starts(made: Comparison) -> str:
    told = [f"{face.name} {_late(made, face.name)}" for face in faces()]
    return f"One flow's time to 95 % of the rate by fluid, over that by packets: {', '.join(told)}."


def _late(made: Comparison, law: str) -> str:
    ratio = later(*made.starts[law, 1])
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
