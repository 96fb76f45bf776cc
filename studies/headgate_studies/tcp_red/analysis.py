"""The sentences, the tables and the data of the report."""

import numpy as np

from headgate import Table, Words
from headgate.lab import Listing, Runs
from headgate_studies.tcp_red.working_points import (
    FIRST,
    NAMES,
    PHASES,
    POINTS,
    REMEDY,
    SECOND,
    SIMULATIONS,
    STATISTICS,
    THIRD,
    Numbers,
    Simulations,
    Trace,
    jobs,
)

__all__ = ["jobs", "prepare"]

#: From which threshold on these drop, by the queue itself rather than by its average.
THRESHOLDS = {SECOND: "13.26 packets", THIRD: "7.76 packets"}


def prepare(runs: Runs) -> Simulations:
    """Put the fluid runs beside those by packets; they are made here."""
    return Simulations(runs.setup, runs.results)


def sentences(made: Simulations) -> tuple[str, ...]:
    """Say what was found."""
    listed = (_cycle, _remedies, _round, _equations, _packets, _dctcp)
    return tuple(say(made) for say in listed)


def _cycle(made: Simulations) -> str:
    trace = made.program[FIRST]
    return (
        "One flow over RED oscillates: it is at its best working points, between the least round"
        f" trip (A) and the greatest rate (B), for {100 * trace.share_ab:.1f} % of a cycle only,"
        f" and beyond them, before the first drop, for {100 * trace.share_beyond:.0f} %."
    )


def _remedies(made: Simulations) -> str:
    listed = [f"{_cycle_of(made.program[one])} from {of} on" for one, of in THRESHOLDS.items()]
    return (
        "RED on the queue itself, instead of on its average, shortens the cycle and its swing:"
        f" {', '.join(listed)}, instead of {_cycle_of(made.program[FIRST])}."
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
        "DCTCP at a threshold of 13.26 packets, by packets: the mean queue is"
        f" {dctcp.mean():.1f} packets and its standard deviation {dctcp.std():.1f}; for Reno over"
        f" RED they are {reno.mean():.1f} and {reno.std():.1f}."
    )


def tables(made: Simulations) -> tuple[Listing, ...]:
    """Return every table of the report."""
    return (_points(made), *(_summary(made, name) for name in SIMULATIONS))


def _traces(made: Simulations) -> dict[str, Trace]:
    own = {f"{NAMES[name]}, program": made.program[name] for name in SIMULATIONS}
    own |= {f"{NAMES[name]}, equations": made.exact[name] for name in SIMULATIONS}
    by_packets = (FIRST, SECOND, THIRD)
    return own | {f"{NAMES[name]}, packets": made.packets[name] for name in by_packets}


def _points(made: Simulations) -> Listing:
    rows = []
    for name, trace in _traces(made).items():
        places = [f"{trace.points[p].R:.4f}, {trace.points[p].S:.2f}" for p in POINTS]
        share, wasted = f"{100 * trace.share_ab:.2f}", f"{100 * trace.share_beyond:.1f}"
        rows.append((name, *places, f"{trace.period_s:.2f}", share, wasted))
    return Listing(
        "Working points",
        "Round trip (s) and rate (packets/s) at each point, the period, and the shares of the cycle"
        " (%) from A to B and from B to the onset of drops.",
        ("run", *POINTS, "period (s)", "A to B", "beyond B"),
        rows,
    )


def _summary(made: Simulations, name: str) -> Listing:
    trace = made.program[name]
    rows = [
        (statistic, *(f"{trace.summary(letter)[place]:.4g}" for letter in "WRqS"))
        for place, statistic in enumerate(STATISTICS)
    ]
    return Listing(
        f"Summary of {NAMES[name]}",
        "Over one cycle, solved as the source's program does.",
        ("", "W", "R", "q", "S"),
        rows,
    )


def data(made: Simulations) -> tuple[Table, ...]:
    """Return every trace of the simulations, row by row, with its phase."""
    parts = _traces(made)
    names = list(parts)
    lengths = [len(trace.t_s) for trace in parts.values()]
    columns: dict[str, Words | Numbers] = {
        letter: np.concatenate([trace.column(letter) for trace in parts.values()])
        for letter in ("t_s", "W", "R", "q", "x", "p", "S")
    }
    phase = np.concatenate([trace.phases for trace in parts.values()])
    words: dict[str, Words | Numbers] = {
        "run": Words(np.repeat(np.arange(len(names)), lengths), names),
        "phase": Words(phase, PHASES),
    }
    return (Table("traces", words | columns),)
