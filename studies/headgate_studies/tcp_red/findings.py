"""The findings of the study: functions that its claims name."""

from __future__ import annotations

from typing import Literal

import numpy as np

from headgate.claims import Estimate
from headgate_studies.tcp_red.working_points import (
    FIRST,
    MAX_PACKETS,
    POINTS,
    REMEDY,
    SECOND,
    STATISTICS,
    VIRTUAL_QUEUE,
    Simulations,
    Trace,
)

#: Points of the first simulation as printed: R, S.
POINTS_PRINTED = {
    "A": (0.4022561, 30.0457085),
    "B": (0.4587836, 31.9280144),
    "C": (1.0042246, 29.9731524),
    "D": (0.6625266, 20.3163068),
}
#: Columns of a printed row after its time.
ROW = "WRqxpS"
#: Rows at the ends of a cycle.
ENDS = {"start": 0, "finish": -1}


def as_printed(made: Simulations) -> slice:
    """Return the rows of simulation 2 that the source takes for its cycle: those of the first."""
    first, second = made.program[FIRST], made.program[SECOND]
    shift = second.steady_from - first.steady_from
    return slice(first.cycle.start + shift, first.cycle.stop + shift)


def coordinate(made: Simulations, *, simulation: str, point: str, axis: str) -> Estimate:
    """Give the round trip or the rate at a point of the cycle."""
    found = made.program[simulation].points[point]
    return Estimate(ours=getattr(found, axis), note=f"at {found.t_s:.2f} s")


def period(made: Simulations, *, simulation: str) -> Estimate:
    """Give the time between the first and the last row of the cycle."""
    trace = made.program[simulation]
    said = f"from onset to onset {trace.period_s:.2f} s"
    return Estimate(ours=trace.printed_period_s, note=said)


def time_ab(made: Simulations, *, simulation: str) -> Estimate:
    """Give the time from A to B."""
    return Estimate(ours=made.program[simulation].time_s("A", "B"))


def share_ab(made: Simulations, *, simulation: str) -> Estimate:
    """Give the share of the cycle from A to B."""
    trace = made.program[simulation]
    return Estimate(ours=trace.share_ab, note=f"A to B takes {trace.time_s('A', 'B'):.2f} s")


def summary(made: Simulations, *, simulation: str, column: str, printed: list[float]) -> Estimate:
    """Find the largest distance from the summary of a column as printed."""
    rows = None if simulation == FIRST else as_printed(made)
    ours = made.program[simulation].summary(column, rows)
    said = " ".join(f"{value:.4g}" for value in ours)
    distances = np.abs(ours / np.array(printed) - 1)
    return Estimate(ours=float(np.max(distances)), note=f"ours: {said}")


def ratio(made: Simulations, *, column: str, statistic: Literal["min", "mean"]) -> Estimate:
    """Compare a statistic of the second simulation's cycle with that of the first's."""
    row = STATISTICS.index(statistic)
    first, second = (made.program[name].summary(column)[row] for name in (FIRST, SECOND))
    return Estimate(ours=float(second / first), note=f"{first:.4g} to {second:.4g}")


def spread(
    made: Simulations, *, column: str, by: Literal["quartiles", "deviation"] = "quartiles"
) -> Estimate:
    """Compare the distance of the quartiles, as in a box plot, or the standard deviation."""
    own = [made.program[name] for name in (FIRST, SECOND)]
    boxes = [trace.summary(column)[4] - trace.summary(column)[1] for trace in own]
    deviations = [float(np.std(trace.column(column)[trace.cycle])) for trace in own]
    said = f"quartiles {boxes[0]:.3g} to {boxes[1]:.3g} apart, standard deviation"
    note = f"{said} {deviations[0]:.3g} to {deviations[1]:.3g}"
    first, second = boxes if by == "quartiles" else deviations
    return Estimate(ours=float(second / first), note=note)


def distance_of_row(
    made: Simulations, *, simulation: str, t_s: float, printed: list[float]
) -> Estimate:
    """Find the largest distance from a printed row; p is converted to the average queue."""
    trace = made.program[simulation]
    row = _row_at(trace, t_s)
    ours = {letter: float(trace.column(letter)[row]) for letter in ROW}
    theirs = dict(zip(ROW, printed, strict=True))
    for values in (ours, theirs):
        values["p"] = _average_of(made, simulation, values["p"])
    apart = {letter: ours[letter] / theirs[letter] - 1 for letter in ROW}
    note = ", ".join(f"{letter} {100 * value:+.2g} %" for letter, value in apart.items())
    return Estimate(ours=max(map(abs, apart.values())), note=note)


def distance_of_drops(
    made: Simulations, *, simulation: str, printed: list[list[float]]
) -> Estimate:
    """Find the largest relative distance from printed times and drop probabilities."""
    trace = made.program[simulation]
    apart = {f"{t_s:.2f} s": float(trace.p[_row_at(trace, t_s)] / p - 1) for t_s, p in printed}
    note = ", ".join(f"{name} {100 * value:+.2g} %" for name, value in apart.items())
    return Estimate(ours=max(map(abs, apart.values())), note=note)


def _row_at(trace: Trace, t_s: float) -> int:
    return int(np.argmin(np.abs(trace.t_s - t_s)))


def _average_of(made: Simulations, simulation: str, p: float) -> float:
    """Return the average queue at which RED drops with `p`; the largest without drops."""
    low = made.setup.settings["simulations"][simulation]["min_packets"]
    return float(low + p * (MAX_PACKETS - low))


def time_of(made: Simulations, *, event: str) -> Estimate:
    """Give the time of a point of the first simulation, or of its cycle's first or last row."""
    trace = made.program[FIRST]
    return Estimate(ours=_time_of(trace, trace.cycle, event))


def time_as_printed(made: Simulations, *, event: str, near_s: float) -> Estimate:
    """Give the same of the second in the source's rows, whole periods away from what is nearest."""
    trace = made.program[SECOND]
    found_s = _time_of(trace, as_printed(made), event)
    periods = round((near_s - found_s) / trace.period_s)
    return Estimate(ours=found_s + periods * trace.period_s, note=f"at {found_s:.2f} s")


def _time_of(trace: Trace, rows: slice, event: str) -> float:
    times_s = trace.t_s[rows]
    if event in ENDS:
        return float(times_s[ENDS[event]])
    letter, most = POINTS[event]
    own = trace.column(letter)[rows]
    return float(times_s[np.argmax(own) if most else np.argmin(own)])


def gain_beyond_b(made: Simulations) -> Estimate:
    """Share of the rows from B to the onset of drops in which a larger window helped."""
    trace = made.program[FIRST]
    rows = slice(trace.points["B"].row, trace.cycle.stop + 1)
    grows, faster, longer = (np.diff(own[rows]) for own in (trace.W, trace.S, trace.R))
    helped = (grows > 0) & ((faster > 0) | (longer < 0))
    return Estimate(ours=float(np.mean(helped[grows > 0])), note=f"of {(grows > 0).sum()} rows")


def share_beyond(made: Simulations) -> Estimate:
    """Give the share of the cycle from B to the onset of drops."""
    return Estimate(ours=made.program[FIRST].share_beyond)


def queue_at_b(made: Simulations) -> Estimate:
    """Give the queue at B of the first simulation, and that of the row which the source takes."""
    trace = made.program[FIRST]
    point = trace.points["B"]
    taken = trace.steady_from + point.row - trace.cycle.start
    note = (
        f"the source's row is that of {trace.t_s[taken]:.2f} s, with {trace.q[taken]:.2f} packets"
    )
    return Estimate(ours=point.q, note=note)


def growth(made: Simulations, *, above: bool) -> Estimate:
    """Share of the rows, W growing on one side of Q0 + Q*, in which S goes as the limit has it."""
    trace = made.program[FIRST]
    own = trace.cycle
    window, rate = np.diff(trace.W[own]) > 0, np.diff(trace.S[own]) > 0
    chosen = window & ((trace.room(VIRTUAL_QUEUE) > 1)[own][:-1] == above)
    return Estimate(ours=float(np.mean(rate[chosen] != above)), note=f"of {chosen.sum()} rows")


def delay_of_average(made: Simulations) -> Estimate:
    """Return the time by which the average reaches the threshold after the queue."""
    trace = made.program[FIRST]
    start = trace.points["A"].row
    threshold = made.setup.settings["simulations"][FIRST]["min_packets"]
    onset = [start + int(np.argmax(own[start:] >= threshold)) for own in (trace.q, trace.x)]
    queue_s, mean_s = (float(trace.t_s[row]) for row in onset)
    return Estimate(ours=mean_s - queue_s, note=f"at {queue_s:.2f} s and {mean_s:.2f} s")


def swing_by_rounds(made: Simulations) -> Estimate:
    """Compare the swing of the queue with that of the second simulation, exactly solved."""
    swings = []
    for name in (SECOND, REMEDY):
        low, *_, high = made.exact[name].summary("q")
        swings.append(high - low)
    return Estimate(
        ours=float(swings[1] / swings[0]), note=f"{swings[0]:.3g} to {swings[1]:.3g} packets"
    )


def deviation_of_dctcp(made: Simulations) -> Estimate:
    """Compare the deviation of DCTCP's queue with Reno's, by packets."""
    reno, dctcp = (float(made.packets[name].q.std()) for name in (SECOND, REMEDY))
    return Estimate(ours=dctcp / reno, note=f"{reno:.3g} to {dctcp:.3g} packets")


def distance_of_printed(made: Simulations) -> Estimate:
    """Compare the printed points with those of the equations."""
    exact = made.exact[FIRST].points
    apart = {
        f"{letter}.{name}": getattr(exact[letter], name) / printed - 1
        for letter, pair in POINTS_PRINTED.items()
        for name, printed in zip("RS", pair, strict=True)
    }
    note = ", ".join(f"{name} {100 * value:+.2g} %" for name, value in apart.items())
    return Estimate(ours=max(map(abs, apart.values())), note=note)


def change_by_tolerance(made: Simulations) -> Estimate:
    """Give the largest relative change of any number when the tolerance is halved."""
    changes = [
        abs(getattr(fine.points[letter], name) / getattr(coarse.points[letter], name) - 1)
        for coarse, fine in zip(made.exact.values(), made.finer.values(), strict=True)
        for letter in POINTS
        for name in "RS"
    ]
    return Estimate(ours=max(changes))
