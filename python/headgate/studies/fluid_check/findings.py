"""What the study found, claim by claim."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from headgate.claims import Estimate
from headgate.experiment.runs import NotRunError
from headgate.studies.fluid_check.compare import Comparison, Pair, largest_apart
from headgate.studies.fluid_check.faces import RED, RENO, faces

Make = Callable[[Comparison], Estimate]
Holds = Callable[[Pair], bool]

#: What the claims take for many flows, windows that are not small, a whole buffer, and windows
#: that live by time-outs.
MANY, LARGE, WHOLE, TINY = 50, 10.0, 1.0, 2.0
#: The window of one flow that is smooth, packets; and the buffer that leaves the path idle.
SMOOTH, SHORT = 20.0, 0.25
FAST, VEGAS, STEEP = "fast", "vegas", ("hstcp", "scalable")


def findings(made: Comparison) -> dict[str, Estimate]:
    """Return the finding of every claim; one whose runs are missing says so."""
    found: dict[str, Estimate] = {}
    for claim, make in _MAKERS.items():
        try:
            found[claim] = make(made)
        except NotRunError as reason:
            found[claim] = Estimate(ours=math.nan, note=str(reason))
    return found


def good(pair: Pair) -> bool:
    """Say whether there are many flows with windows that are not small."""
    return pair.cell.flows >= MANY and pair.cell.window >= LARGE


def _good(made: Comparison, *laws: str) -> list[Pair]:
    return made.choose(
        lambda pair: good(pair) and (not laws or pair.face.name in laws),
        f"many flows and large windows of {', '.join(laws) or 'any law'}",
    )


def _of(made: Comparison, law: str, holds: Holds) -> list[Pair]:
    return made.choose(lambda pair: pair.face.name == law and holds(pair), f"what it asks of {law}")


def _worst(pairs: Sequence[Pair], error: str) -> Estimate:
    value, where = largest_apart(pairs, error)
    return Estimate(ours=value, note=f"{where}; {len(pairs)} cells")


def _throughput_many(made: Comparison) -> Estimate:
    worst = _worst(_good(made), "throughput_error")
    by_law = (
        f"{face.name} {100 * largest_apart(_good(made, face.name), 'throughput_error')[0]:.1f} %"
        for face in faces()
    )
    return worst.model_copy(update={"note": f"{worst.note}; by law {', '.join(by_law)}"})


def _fast_queue(made: Comparison) -> Estimate:
    return _worst(_of(made, FAST, lambda pair: pair.cell.window >= LARGE), "queue_error")


def _fast_no_loss(made: Comparison) -> Estimate:
    pairs = _of(made, FAST, lambda pair: pair.cell.window >= LARGE)
    worst = max(pairs, key=lambda pair: pair.packets.loss)
    return Estimate(ours=worst.packets.loss, note=f"{worst}; {len(pairs)} cells")


def _vegas_queue(made: Comparison) -> Estimate:
    pairs = _good(made, VEGAS)
    low, high = (float(pairs[0].face.card.param(name).default) for name in ("alpha", "beta"))

    def outside(pair: Pair) -> float:
        own = pair.packets.queue / pair.cell.flows
        return max(1 - own / low, own / high - 1, 0.0)

    worst = max(pairs, key=outside)
    own = worst.packets.queue / worst.cell.flows
    return Estimate(ours=outside(worst), note=f"{own:.2f} packets a flow for {worst}")


def _median(pairs: Sequence[Pair], error: str) -> float:
    return float(np.median([abs(getattr(pair, error)) for pair in pairs]))


def _reno_loss(made: Comparison) -> Estimate:
    pairs = _good(made, RENO)
    value, where = largest_apart(pairs, "law_loss_error")
    return Estimate(
        ours=_median(pairs, "law_loss_error"), note=f"at most {value:.2g}, {where}; {len(pairs)}"
    )


def _highspeed_loss(made: Comparison) -> Estimate:
    own = {law: _median(_good(made, law), "law_loss_error") for law in STEEP}
    return Estimate(
        ours=max(own.values()), note=", ".join(f"{law} {value:.2f}" for law, value in own.items())
    )


def _no_queue(made: Comparison) -> Estimate:
    pairs = _of(made, RENO, lambda pair: good(pair) and pair.cell.buffer >= WHOLE)
    least = min(pairs, key=lambda pair: pair.loss_error)
    return Estimate(ours=least.loss_error, note=f"{least}; {len(pairs)} cells")


def _red_queue(made: Comparison) -> Estimate:
    return _worst(_good(made, RED), "queue_error")


def _red_loss(made: Comparison) -> Estimate:
    return _worst(_good(made, RED), "loss_error")


def _one_flow(made: Comparison) -> Estimate:
    pairs = _of(made, RENO, lambda pair: pair.cell.flows == 1 and pair.cell.buffer == SHORT)
    each = [pair.throughput_error for pair in pairs]
    said = ", ".join(f"{pair.cell} {error:.3f}" for pair, error in zip(pairs, each, strict=True))
    return Estimate(ours=float(np.mean(each)), note=said)


def _one_flow_full(made: Comparison) -> Estimate:
    def chosen(pair: Pair) -> bool:
        cell = pair.cell
        return cell.flows == 1 and cell.buffer >= WHOLE and cell.window >= SMOOTH

    return _worst(_of(made, RENO, chosen), "throughput_error")


def _tiny_loss(made: Comparison) -> Estimate:
    pairs = _of(made, RENO, lambda pair: pair.packets.window < TINY)
    least = min(pairs, key=lambda pair: pair.law_loss_error)
    return Estimate(ours=least.law_loss_error, note=f"{least}; {len(pairs)} cells")


def _start(made: Comparison) -> Estimate:
    lossy = [face.name for face in faces() if not face.queues]
    own = {law: later(*made.starts[law, 1]) for law in lossy}
    return Estimate(
        ours=min(own.values()), note=", ".join(f"{law} {value:.0f}" for law, value in own.items())
    )


def _start_explicit(made: Comparison) -> Estimate:
    ratios = {
        f"{face.name} x {flows}": later(*made.starts[face.name, flows])
        for face in faces()
        if not face.starts_slowly
        for flows in made.setup.settings["start"]["flows"]
    }
    own = {law: max(ratio, 1 / ratio) for law, ratio in ratios.items() if ratio > 0}
    if not own:
        raise NotRunError("no law whose routers speak has a fluid model")
    never = "".join(f", {law} never by packets" for law in ratios if law not in own)
    said = ", ".join(f"{law} {value:.2g}" for law, value in own.items())
    return Estimate(ours=max(own.values()), note=said + never)


def later(packets_s: float, fluid_s: float) -> float:
    """Return how many times as long the fluid takes; NaN if packets never come there."""
    return fluid_s / packets_s if math.isfinite(packets_s) else math.nan


def quiet(made: Comparison) -> list[Pair]:
    """Return the runs without a warning."""
    return made.choose(lambda pair: not pair.warnings, "no warning")


def _quiet_throughput(made: Comparison) -> Estimate:
    return _worst(quiet(made), "throughput_error")


def _quiet_queue(made: Comparison) -> Estimate:
    pairs = made.choose(lambda pair: not pair.warnings and pair.face.queues, "a queue, unwarned")
    return _worst(pairs, "queue_error")


def _quiet_loss(made: Comparison) -> Estimate:
    pairs = made.choose(lambda pair: not pair.warnings and pair.face.lossy, "losses, unwarned")
    worst = max(pairs, key=lambda pair: pair.loss_factor)
    return Estimate(ours=worst.loss_factor, note=f"{worst}; {len(pairs)} cells")


def _warned(made: Comparison) -> Estimate:
    pairs = made.choose(lambda pair: bool(pair.wrong), "a large error")
    missed = [f"{pair} ({', '.join(pair.wrong)})" for pair in pairs if not pair.warnings]
    said = f"{len(pairs)} runs; not warned of: {'; '.join(missed[:5]) or 'none'}"
    return Estimate(ours=1 - len(missed) / len(pairs), note=said)


def _loud(made: Comparison) -> Estimate:
    pairs = made.choose(lambda pair: bool(pair.warnings), "a warning")
    right = [pair for pair in pairs if not pair.wrong]
    said = (
        f"{len(pairs)} of {len(made.pairs)} runs have a warning, {len(right)} of them for nothing"
    )
    return Estimate(ours=1 - len(right) / len(pairs), note=said)


_MAKERS: dict[str, Make] = {
    make.__name__.strip("_").replace("_", "-"): make
    for make in (
        _throughput_many, _fast_queue, _fast_no_loss, _vegas_queue, _reno_loss, _highspeed_loss,
        _no_queue, _red_queue, _red_loss, _one_flow, _one_flow_full, _tiny_loss, _start,
        _start_explicit, _quiet_throughput, _quiet_queue, _quiet_loss, _warned, _loud,
    )
}  # fmt: skip
