"""The answer of the study in plain sentences, each with its numbers."""

from __future__ import annotations

from headgate_studies.tcp_red.simulations import (
    FIRST,
    REMEDY,
    SECOND,
    THIRD,
    Simulations,
)
from headgate_studies.tcp_red.working_points import Trace

#: From which threshold on these drop, by the queue itself rather than by its average.
THRESHOLDS = {SECOND: "13.26 packets", THIRD: "7.76 packets"}


def sentences(made: Simulations) -> tuple[str, ...]:
    """Say what was found."""
    told = (_cycle, _remedies, _round, _equations, _packets, _dctcp)
    return tuple(tell(made) for tell in told)


def _cycle(made: Simulations) -> str:
    trace = made.program[FIRST]
    return (
        "One flow over RED oscillates: it is at its best working points, between the least round"
        f" trip (A) and the greatest rate (B), for {100 * trace.share_ab:.1f} % of a cycle only,"
        f" and beyond them, before the first drop, for {100 * trace.share_beyond:.0f} %."
    )


def _remedies(made: Simulations) -> str:
    told = [f"{_cycle_of(made.program[one])} from {of} on" for one, of in THRESHOLDS.items()]
    return (
        "RED on the queue itself, instead of on its average, shortens the cycle and its swing:"
        f" {', '.join(told)}, instead of {_cycle_of(made.program[FIRST])}."
    )


def _cycle_of(trace: Trace) -> str:
    low, *_, high = trace.summary("q")
    return f"{trace.period_s:.1f} s and {low:.0f} to {high:.0f} packets"


def _round(made: Simulations) -> str:
    own = [made.exact[name].summary("q") for name in (SECOND, REMEDY)]
    before, after = (f"{low:.1f} to {high:.1f}" for low, *_, high in own)
    return (
        "One increment a round trip instead of one a window of ACKs, with RED from 13.26 packets"
        f" on: the queue swings from {after} packets instead of {before}, as the equations have"
        " it. It does not calm the cycle."
    )


def _equations(made: Simulations) -> str:
    ours, theirs = made.exact[FIRST], made.program[FIRST]
    return (
        f"The printed digits carry the error of steps of 0.02 s: the equations have A at"
        f" {ours.points['A'].R:.4f} s, not {theirs.points['A'].R:.4f} s, and a period of"
        f" {ours.period_s:.2f} s, not {theirs.period_s:.2f} s."
    )


def _packets(made: Simulations) -> str:
    trace = made.packets[FIRST]
    low, *_, high = trace.summary("q")
    return (
        "By packets, one Reno flow over such a RED oscillates with a period of"
        f" {trace.period_s:.1f} s and a queue of {low:.0f} to {high:.0f} packets: the fluid has"
        " both right, but not the way down, which a loss takes at once."
    )


def _dctcp(made: Simulations) -> str:
    reno, dctcp = (made.packets[name].q for name in (SECOND, REMEDY))
    return (
        "What DCTCP does at a threshold of 13.26 packets, by packets: the queue has the mean"
        f" {dctcp.mean():.1f} packets and the standard deviation {dctcp.std():.1f}; Reno's over RED"
        f" has {reno.mean():.1f} and {reno.std():.1f}."
    )
