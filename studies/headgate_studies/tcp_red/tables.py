"""The tables of the report, and the data behind it."""

from __future__ import annotations

import numpy as np

from headgate import Table, Words
from headgate.lab import Listing
from headgate_studies.tcp_red.simulations import (
    FIRST,
    NAMES,
    SECOND,
    SIMULATIONS,
    THIRD,
    Simulations,
)
from headgate_studies.tcp_red.working_points import PHASES, POINTS, STATISTICS, Numbers, Trace


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
