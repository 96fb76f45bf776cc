"""The findings of the study: functions that its claims name."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from headgate.claims import Estimate
from headgate.lab import NotRunError
from headgate_studies.fluid_check.compare import Comparison, Pair, largest_apart
from headgate_studies.fluid_check.faces import RED, RENO, faces, start_s

Holds = Callable[[Pair], bool]

#: The claims' limits: many flows, large windows, a whole buffer, and windows so small that
#: time-outs dominate.
MANY, LARGE, WHOLE, TINY = 50, 10.0, 1.0, 2.0
#: The window of one flow that is smooth, packets; and the buffer that leaves the path idle.
SMOOTH, SHORT = 20.0, 0.25
FAST, VEGAS, STEEP = "fast", "vegas", ("hstcp", "scalable")


def good(pair: Pair) -> bool:
    """Say whether there are many flows with windows that are not small."""
    return pair.cell.flows >= MANY and pair.cell.window >= LARGE


def _good(made: Comparison, *ccas: str) -> list[Pair]:
    return made.choose(
        lambda pair: good(pair) and (not ccas or pair.face.name in ccas),
        f"many flows and large windows of {', '.join(ccas) or 'any algorithm'}",
    )


def _of(made: Comparison, cca: str, holds: Holds) -> list[Pair]:
    return made.choose(lambda pair: pair.face.name == cca and holds(pair), f"what it asks of {cca}")


def _worst(pairs: Sequence[Pair], error: str) -> Estimate:
    value, worst = largest_apart(pairs, error)
    return Estimate(ours=value, note=f"{worst}; {len(pairs)} cells")


def worst_throughput(made: Comparison) -> Estimate:
    """Find the largest error of throughput with many flows and large windows, and each CCA's."""
    worst = _worst(_good(made), "throughput_error")
    by_cca = (
        f"{face.name} {100 * largest_apart(_good(made, face.name), 'throughput_error')[0]:.1f} %"
        for face in faces()
    )
    return worst.model_copy(update={"note": f"{worst.note}; by algorithm {', '.join(by_cca)}"})


def worst_fast_queue(made: Comparison) -> Estimate:
    """Find the largest distance of FAST's queue from n alpha, by packets and by fluid."""
    pairs = _of(made, FAST, lambda pair: pair.cell.window >= LARGE)
    off = {}
    for pair in pairs:
        target = pair.cell.flows * float(pair.face.sender(made.setup, pair.cell)["alpha"])
        for name, measured in (("packets", pair.packets), ("fluid", pair.fluid)):
            off[f"{name}, {pair}"] = abs(measured.queue / target - 1)
    worst = max(off, key=lambda name: off[name])
    return Estimate(ours=off[worst], note=f"by {worst}; {len(pairs)} cells")


def fast_loss(made: Comparison) -> Estimate:
    """Find the largest loss rate of FAST."""
    pairs = _of(made, FAST, lambda pair: pair.cell.window >= LARGE)
    worst = max(pairs, key=lambda pair: pair.packets.loss)
    return Estimate(ours=worst.packets.loss, note=f"{worst}; {len(pairs)} cells")


def vegas_beyond_bounds(made: Comparison) -> Estimate:
    """Find how far Vegas' queue lies outside its bounds."""
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


def median_reno_loss(made: Comparison) -> Estimate:
    """Find the median error of Reno's loss with the round trip of the packets."""
    pairs = _good(made, RENO)
    value, worst = largest_apart(pairs, "cca_loss_error")
    return Estimate(
        ours=_median(pairs, "cca_loss_error"), note=f"at most {value:.2g}, {worst}; {len(pairs)}"
    )


def median_steep_loss(made: Comparison) -> Estimate:
    """Find the larger of those of HSTCP and Scalable TCP."""
    own = {cca: _median(_good(made, cca), "cca_loss_error") for cca in STEEP}
    return Estimate(
        ours=max(own.values()), note=", ".join(f"{cca} {value:.2f}" for cca, value in own.items())
    )


def least_loss_error(made: Comparison) -> Estimate:
    """Find the least error of Reno's loss with a whole buffer."""
    pairs = _of(made, RENO, lambda pair: good(pair) and pair.cell.buffer >= WHOLE)
    least = min(pairs, key=lambda pair: pair.loss_error)
    return Estimate(ours=least.loss_error, note=f"{least}; {len(pairs)} cells")


def worst_over_red(made: Comparison, *, error: str) -> Estimate:
    """Find the largest error over RED with many flows and large windows."""
    return _worst(_good(made, RED), error)


def mean_one_flow(made: Comparison) -> Estimate:
    """Average the error of throughput of one Reno flow with a short buffer."""
    pairs = _of(made, RENO, lambda pair: pair.cell.flows == 1 and pair.cell.buffer == SHORT)
    each = [pair.throughput_error for pair in pairs]
    said = ", ".join(f"{pair.cell} {error:.3f}" for pair, error in zip(pairs, each, strict=True))
    return Estimate(ours=float(np.mean(each)), note=said)


def worst_one_flow(made: Comparison) -> Estimate:
    """Find the largest error of throughput of one Reno flow with a whole buffer."""

    def chosen(pair: Pair) -> bool:
        cell = pair.cell
        return cell.flows == 1 and cell.buffer >= WHOLE and cell.window >= SMOOTH

    return _worst(_of(made, RENO, chosen), "throughput_error")


def least_tiny_loss(made: Comparison) -> Estimate:
    """Find the least error of Reno's loss for tiny windows."""
    pairs = _of(made, RENO, lambda pair: pair.packets.window < TINY)
    least = min(pairs, key=lambda pair: pair.cca_loss_error)
    return Estimate(ours=least.cca_loss_error, note=f"{least}; {len(pairs)} cells")


def start_ratio(made: Comparison) -> Estimate:
    """Find the least ratio of the times to the full rate over loss-based algorithms."""
    lossy = [face.name for face in faces() if not face.queues]
    own = {cca: later(*made.starts[cca, 1]) for cca in lossy}
    note = ", ".join(f"{cca} {value:.0f}" for cca, value in own.items())
    return Estimate(ours=float(np.min(list(own.values()))), note=note)


def explicit_start_ratio(made: Comparison) -> Estimate:
    """Find the largest ratio of these times over algorithms with explicit feedback."""
    end_s = start_s(made.setup)
    own: dict[str, float] = {}
    late = ""
    for face in faces():
        for flows in made.setup.settings["start"]["flows"] if not face.starts_slowly else ():
            name = f"{face.name} x {flows}"
            packets_s, fluid_s = made.starts[face.name, flows]
            if math.isinf(packets_s):
                late += f", {name} not in the {end_s:g} s of its run (fluid: {fluid_s:.3g} s)"
            if math.isfinite(packets_s) or fluid_s < end_s:
                own[name] = times_apart(min(packets_s, end_s), fluid_s)
    if not own:
        raise NotRunError("no algorithm with explicit feedback has a fluid model")
    said = ", ".join(f"{cca} {value:.2g}" for cca, value in own.items())
    return Estimate(ours=max(own.values()), note=said + late)


def times_apart(one: float, other: float) -> float:
    """Return the larger over the lesser of two times."""
    return max(one / other, other / one)


def later(packets_s: float, fluid_s: float) -> float:
    """Return how many times as long the fluid takes; NaN if packets do not come there."""
    return fluid_s / packets_s if math.isfinite(packets_s) else math.nan


def quiet(made: Comparison) -> list[Pair]:
    """Return the runs without a warning."""
    return made.choose(lambda pair: not pair.warnings, "no warning")


def worst_quiet_throughput(made: Comparison) -> Estimate:
    """Find the largest error of throughput without a warning."""
    return _worst(quiet(made), "throughput_error")


def worst_quiet_queue(made: Comparison) -> Estimate:
    """Find the largest error of a queue without a warning."""
    pairs = made.choose(lambda pair: not pair.warnings and pair.face.queues, "a queue, unwarned")
    return _worst(pairs, "queue_error")


def worst_quiet_loss(made: Comparison) -> Estimate:
    """Find the largest factor between losses without a warning."""
    pairs = made.choose(lambda pair: not pair.warnings and pair.face.lossy, "losses, unwarned")
    worst = max(pairs, key=lambda pair: pair.loss_factor)
    return Estimate(ours=worst.loss_factor, note=f"{worst}; {len(pairs)} cells")


def warning_recall(made: Comparison) -> Estimate:
    """Find the share of the wrong runs with a warning."""
    pairs = made.choose(lambda pair: bool(pair.wrong), "a large error")
    missed = [f"{pair} ({', '.join(pair.wrong)})" for pair in pairs if not pair.warnings]
    said = f"{len(pairs)} runs; not warned of: {'; '.join(missed[:5]) or 'none'}"
    return Estimate(ours=1 - len(missed) / len(pairs), note=said)


def warning_precision(made: Comparison) -> Estimate:
    """Find the share of the runs with a warning that are wrong."""
    pairs = made.choose(lambda pair: bool(pair.warnings), "a warning")
    right = [pair for pair in pairs if not pair.wrong]
    said = (
        f"{len(pairs)} of {len(made.pairs)} runs have a warning, {len(right)} of them for nothing"
    )
    return Estimate(ours=1 - len(right) / len(pairs), note=said)
