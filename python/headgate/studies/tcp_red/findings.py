"""What the study found, claim by claim."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from headgate.claims import Estimate
from headgate.experiment.runs import NotRunError
from headgate.measures.working_points import POINTS, Trace
from headgate.studies.tcp_red.simulations import (
    FIRST,
    REMEDY,
    SECOND,
    THIRD,
    VIRTUAL_QUEUE,
    Simulations,
)

Make = Callable[[Simulations], Estimate]

#: summary(df.cycle) as the source prints it: least, quartiles with the mean, greatest.
PRINTED = {
    FIRST: {
        "W": (10.99, 17.14, 22.74, 22.05, 27.30, 30.86),
        "R": (0.4023, 0.5797, 0.7564, 0.7350, 0.8996, 1.0042),
        "q": (6.068, 11.390, 16.691, 16.051, 20.988, 24.127),
        "S": (20.32, 30.98, 31.15, 30.00, 31.45, 31.93),
    },
    SECOND: {
        "W": (14.83, 16.34, 18.34, 18.20, 20.06, 21.28),
        "R": (0.5276, 0.5529, 0.6072, 0.6069, 0.6586, 0.6895),
        "q": (9.829, 10.588, 12.215, 12.208, 13.759, 14.684),
        "S": (25.51, 28.78, 31.18, 29.98, 31.48, 31.53),
    },
}
#: Points of the first simulation as printed: R, S.
POINTS_PRINTED = {
    "A": (0.4022561, 30.0457085),
    "B": (0.4587836, 31.9280144),
    "C": (1.0042246, 29.9731524),
    "D": (0.6625266, 20.3163068),
}
PREFIX = {FIRST: "", SECOND: "sim2.", THIRD: "sim3."}


def findings(made: Simulations) -> dict[str, Estimate]:
    """Return the finding of every claim."""
    found: dict[str, Estimate] = {}
    for name, prefix in PREFIX.items():
        found |= {prefix + key: value for key, value in _numbers(made.program[name]).items()}
    for name, printed in PRINTED.items():
        rows = None if name == FIRST else as_printed(made)
        for column, numbers in printed.items():
            key = f"{PREFIX[name]}summary.{column}"
            found[key] = _summary(made.program[name], column, numbers, rows)
    return found | made_of(_OTHERS, made)


def made_of(makers: Mapping[str, Make], made: Simulations) -> dict[str, Estimate]:
    """Return what is found; a finding whose run by packets is missing says so."""
    found: dict[str, Estimate] = {}
    for claim, make in makers.items():
        try:
            found[claim] = make(made)
        except NotRunError as reason:
            found[claim] = Estimate(ours=math.nan, note=str(reason))
    return found


def as_printed(made: Simulations) -> slice:
    """Return the rows of simulation 2 that the source takes for its cycle: those of the first."""
    first, second = made.program[FIRST], made.program[SECOND]
    shift = second.steady_from - first.steady_from
    return slice(first.cycle.start + shift, first.cycle.stop + shift)


def _numbers(trace: Trace) -> dict[str, Estimate]:
    """Return the coordinates of the points, the period and the share between A and B."""
    found = {}
    for letter, point in trace.points.items():
        said = f"at {point.t_s:.2f} s"
        found[f"{letter}.R"] = Estimate(ours=point.R, note=said)
        found[f"{letter}.S"] = Estimate(ours=point.S, note=said)
    said = f"from onset to onset {trace.period_s:.2f} s"
    found["cycle_s"] = Estimate(ours=trace.printed_period_s, note=said)
    found["share_ab"] = Estimate(
        ours=trace.share_ab, note=f"A to B takes {trace.time_s('A', 'B'):.2f} s"
    )
    return found


def _summary(trace: Trace, column: str, printed: tuple[float, ...], rows: slice | None) -> Estimate:
    ours = trace.summary(column, rows)
    said = " ".join(f"{value:.4g}" for value in ours)
    return Estimate(ours=float(np.max(np.abs(ours / printed - 1))), note=f"ours: {said}")


def _ratio(column: str, statistic: int, made: Simulations) -> Estimate:
    """Compare a statistic of the second simulation's cycle with that of the first's."""
    first, second = (made.program[name].summary(column)[statistic] for name in (FIRST, SECOND))
    return Estimate(ours=float(second / first), note=f"{first:.4g} to {second:.4g}")


def _spread(column: str, made: Simulations) -> Estimate:
    """Compare the distance of the quartiles, what a box plot shows."""
    own = [made.program[name] for name in (FIRST, SECOND)]
    boxes = [trace.summary(column)[4] - trace.summary(column)[1] for trace in own]
    deviations = [float(np.std(trace.column(column)[trace.cycle])) for trace in own]
    said = f"quartiles {boxes[0]:.3g} to {boxes[1]:.3g} apart, standard deviation"
    note = f"{said} {deviations[0]:.3g} to {deviations[1]:.3g}"
    return Estimate(ours=float(boxes[1] / boxes[0]), note=note)


def _wasted(made: Simulations) -> Estimate:
    return Estimate(ours=made.program[FIRST].share_beyond)


def _threshold(made: Simulations) -> Estimate:
    return Estimate(ours=made.program[FIRST].points["B"].q)


def _growing(made: Simulations, above: bool) -> Estimate:
    """Share of the rows, W growing on one side of Q0 + Q*, in which S goes as the limit has it."""
    trace = made.program[FIRST]
    own = trace.cycle
    window, rate = np.diff(trace.W[own]) > 0, np.diff(trace.S[own]) > 0
    chosen = window & ((trace.room(VIRTUAL_QUEUE) > 1)[own][:-1] == above)
    return Estimate(ours=float(np.mean(rate[chosen] != above)), note=f"of {chosen.sum()} rows")


def _late(made: Simulations) -> Estimate:
    """Time by which the average comes to the threshold after the queue."""
    trace = made.program[FIRST]
    start = trace.points["A"].row
    threshold = made.setup.settings["simulations"][FIRST]["min_packets"]
    onset = [start + int(np.argmax(own[start:] >= threshold)) for own in (trace.q, trace.x)]
    queue_s, mean_s = (float(trace.t_s[row]) for row in onset)
    return Estimate(ours=mean_s - queue_s, note=f"at {queue_s:.2f} s and {mean_s:.2f} s")


def _remedy(made: Simulations) -> Estimate:
    """Compare the swing of the queue with that of the second simulation, exactly solved."""
    swings = []
    for name in (SECOND, REMEDY):
        low, *_, high = made.exact[name].summary("q")
        swings.append(high - low)
    return Estimate(
        ours=float(swings[1] / swings[0]), note=f"{swings[0]:.3g} to {swings[1]:.3g} packets"
    )


def _remedy_by_packets(made: Simulations) -> Estimate:
    reno, dctcp = (float(made.packets[name].q.std()) for name in (SECOND, REMEDY))
    return Estimate(ours=dctcp / reno, note=f"{reno:.3g} to {dctcp:.3g} packets")


def _digits(made: Simulations) -> Estimate:
    """Compare the printed points with those of the equations."""
    exact = made.exact[FIRST].points
    apart = {
        f"{letter}.{name}": getattr(exact[letter], name) / printed - 1
        for letter, pair in POINTS_PRINTED.items()
        for name, printed in zip("RS", pair, strict=True)
    }
    note = ", ".join(f"{name} {100 * value:+.2g} %" for name, value in apart.items())
    return Estimate(ours=max(map(abs, apart.values())), note=note)


def _tolerance(made: Simulations) -> Estimate:
    """Give the largest relative change of any number when the tolerance is halved."""
    changes = [
        abs(getattr(fine.points[letter], name) / getattr(coarse.points[letter], name) - 1)
        for coarse, fine in zip(made.exact.values(), made.finer.values(), strict=True)
        for letter in POINTS
        for name in "RS"
    ]
    return Estimate(ours=max(changes))


_OTHERS: dict[str, Make] = {
    "w-falls": partial(_ratio, "W", 3),
    "r-falls": partial(_ratio, "R", 3),
    "q-falls": partial(_ratio, "q", 3),
    "least-s-rises": partial(_ratio, "S", 0),
    "s-spread-grows": partial(_spread, "S"),
    "w-spread-falls": partial(_spread, "W"),
    "two-thirds-wasted": _wasted,
    "tmin": _threshold,
    "growth-below": partial(_growing, above=False),
    "growth-above": partial(_growing, above=True),
    "average-late": _late,
    "remedy": _remedy,
    "remedy-dctcp": _remedy_by_packets,
    "digits": _digits,
    "tolerance-halved": _tolerance,
}
