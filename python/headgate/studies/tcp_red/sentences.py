"""The answer of the study in plain sentences, each with its numbers."""

from __future__ import annotations

from headgate.studies.tcp_red.simulations import (
    FIRST,
    NAMES,
    REMEDY,
    SECOND,
    SIMULATIONS,
    Simulations,
)


def sentences(made: Simulations) -> tuple[str, ...]:
    """Say what was found."""
    told = (_cycle, _remedies, _round, _equations, _packets, _dctcp)
    return tuple(tell(made) for tell in told)


def _cycle(made: Simulations) -> str:
    trace = made.program[FIRST]
    return (
        f"Simulation 1 oscillates with a period of {trace.period_s:.2f} s. It is between"
        " the least round trip and"
        f" the greatest rate for {100 * trace.share_ab:.1f} % of that, and beyond, before the first"
        f" drop, for {100 * trace.share_beyond:.0f} %."
    )


def _remedies(made: Simulations) -> str:
    told = []
    for name in SIMULATIONS:
        trace = made.program[name]
        low, *_, high = trace.summary("q")
        rate = trace.summary("S")[0]
        told.append(
            f"{NAMES[name]}: period {trace.period_s:.2f} s, queue {low:.1f} to {high:.1f} packets,"
            f" least rate {rate:.1f} packets/s, {100 * trace.share_ab:.0f} % from A to B"
        )
    return f"{'; '.join(told)}."


def _round(made: Simulations) -> str:
    own = [made.exact[name].summary("q") for name in (SECOND, REMEDY)]
    before, after = (f"{low:.1f} to {high:.1f}" for low, *_, high in own)
    return (
        "One increment a round trip instead of one a window of ACKs, all else as in simulation 2:"
        f" the queue swings from {after} packets instead of {before}, as the equations have it. It"
        " does not calm the cycle."
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
        "What DCTCP does at the threshold of simulation 2, by packets: the queue has the mean"
        f" {dctcp.mean():.1f} packets and the standard deviation {dctcp.std():.1f}; Reno's over RED"
        f" has {reno.mean():.1f} and {reno.std():.1f}."
    )
