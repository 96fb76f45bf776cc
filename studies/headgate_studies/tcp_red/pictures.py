"""The pictures of the study."""

from __future__ import annotations

from headgate.lab import Picture
from headgate_studies.tcp_red import cycle
from headgate_studies.tcp_red.simulations import (
    FIRST,
    NAMES,
    SECOND,
    SIMULATIONS,
    THIRD,
    VIRTUAL_QUEUE,
    Simulations,
)


def pictures(made: Simulations) -> tuple[Picture, ...]:
    """Draw every figure of the report."""
    drawn = (_diagrams, _phases, _changes, _growth, _average, _boxes, _beside)
    return tuple(draw(made) for draw in drawn)


def _diagrams(made: Simulations) -> Picture:
    own = {NAMES[name]: made.program[name] for name in SIMULATIONS}
    return Picture(
        "phase-diagrams",
        "The oscillation of the flow",
        "Rate over round trip, coloured by the drop probability, from the start. A: least round"
        " trip; B: greatest rate; C and D: greatest round trip, least rate. Red: from A to B."
        " Solved as the source's program does; the last has the settings of simulation 2.",
        cycle.phase_diagrams(own),
    )


def _phases(made: Simulations) -> Picture:
    return Picture(
        "phases",
        "Slow start, transient, steady cycle",
        "Rate of simulation 1. Fast is a change of 0.5 packets/s each second or more; the steady"
        " cycle begins at the least rate after the first drops.",
        cycle.phases(made.program[FIRST]),
    )


def _changes(made: Simulations) -> Picture:
    return Picture(
        "changes",
        "From A to B",
        "Changes of window, round trip and rate along the path from A to B of simulation 1: towards"
        " B the window buys round trip, and no more rate.",
        cycle.changes(made.program[FIRST]),
    )


def _growth(made: Simulations) -> Picture:
    return Picture(
        "growth",
        "Where a larger window helps",
        "The cycle of simulation 1 beside the limit W0 < Q0 + Q*. The window passes it at A, and"
        " the rate grows up to B all the same; beyond, two thirds of the cycle, it grows for"
        " nothing.",
        cycle.growth(made.program[FIRST], VIRTUAL_QUEUE),
    )


def _average(made: Simulations) -> Picture:
    chosen = (FIRST, SECOND, THIRD)
    settings = made.setup.settings["simulations"]
    return Picture(
        "average",
        "Queue and moving average",
        "The average reaches the threshold seconds after the queue. In simulations 2 and 3 drops"
        " follow the queue itself; the average is drawn for comparison.",
        cycle.average(
            {NAMES[name]: made.program[name] for name in chosen},
            {NAMES[name]: settings[name]["min_packets"] for name in chosen},
        ),
    )


def _boxes(made: Simulations) -> Picture:
    return Picture(
        "boxes",
        "What the remedies change",
        "Box plots over one cycle of each simulation: quartiles, and whiskers of 1.5 times their"
        " distance.",
        cycle.boxes({NAMES[name]: made.program[name] for name in SIMULATIONS}),
    )


def _beside(made: Simulations) -> Picture:
    own = {
        "by the source's program": made.program[FIRST],
        "by the equations": made.exact[FIRST],
        "by packets": made.packets[FIRST],
        "simulation 2 by packets": made.packets[SECOND],
    }
    return Picture(
        "beside",
        "Program, equations, packets",
        "Simulation 1 in the steps of the source's program, as the equations have it, and by"
        " packets: Reno over RED with the same profile, and with that of simulation 2. A loss cuts"
        " the window at once, so the rate falls at C.",
        cycle.phase_diagrams(own, float(made.exact[FIRST].p.max())),
    )
