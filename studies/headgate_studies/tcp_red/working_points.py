"""The simulations, and how a flow and its queue oscillate: phases, cycle, working points.

A trace describes one flow over one link, by packets or by a fluid model: window W, round trip R,
rate S = W/R, queue q, its moving average x, drop probability p.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate import HeadgateError, Scenario, Table, dumbbell, fluid
from headgate.lab import Job, Key, Runs, Setup, key_by_labels

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
PHASES = ("slow start", "transient", "steady cycle")
#: The four points: the column, and whether the point is at its least or greatest value.
POINTS: Mapping[str, tuple[str, bool]] = {
    "A": ("R", False),
    "B": ("S", True),
    "C": ("R", True),
    "D": ("S", False),
}
#: Growth of the rate from which a slope is "high", packets/s each second: between the rows that
#: the source prints as low (0.47) and as high (0.80).
HIGH_SLOPE = 0.5
_COLUMNS = ("t_s", "W", "R", "q", "x", "p")
STATISTICS = ("min", "1st quartile", "median", "mean", "3rd quartile", "max")
MODEL = "tcp-red"
#: The source's two simulations, the correct result of its argument, and its last remedy.
FIRST, SECOND, THIRD, REMEDY = SIMULATIONS = ("1", "2", "3", "remedy")
NAMES = {
    FIRST: "simulation 1",
    SECOND: "simulation 2",
    THIRD: "simulation 3",
    REMEDY: "once a round trip",
}
#: The model's own, as its card has them: slow-start threshold, packets; rate, packets/s.
SSTHRESH, RATE = 10.0, 30.0
#: The average queue from which RED drops all.
MAX_PACKETS = 60.0
#: Q* = D C, packets.
VIRTUAL_QUEUE = 0.2 * RATE
#: By this time the losses of slow start by packets have ended.
PACKETS_FROM_S = 40.0


@dataclass(frozen=True)
class Point:
    """A working point: when, the round trip, and the rate."""

    t_s: float
    R: float
    S: float
    q: float
    row: int


@dataclass(frozen=True)
class Trace:
    """One flow and its queue over time, at equal distances."""

    t_s: Numbers
    W: Numbers
    R: Numbers
    q: Numbers
    x: Numbers
    p: Numbers
    ssthresh: float

    @classmethod
    def of(cls, series: Table, flow: str, link: str, ssthresh: float = np.nan) -> Trace:
        """Read the series of a run; without `ssthresh` slow start ends with the first loss.

        In a packet run p is the share of the packets since the row before that was dropped, and x
        what its discipline shows of itself.
        """
        own = series.where((series["of"] == "flow") & (series["name"] == flow))
        port = series.where((series["of"] == "port") & (series["name"] == link))
        _, of_flow, of_port = np.intersect1d(own["t_s"], port["t_s"], return_indices=True)
        if not len(of_flow):
            raise HeadgateError(f"series: has no rows of both flow {flow!r} and link {link!r}")
        own, port = own.where(of_flow), port.where(of_port)
        known = np.isfinite(own["srtt_s"]) & (own["srtt_s"] > 0)
        own, port = own.where(known), port.where(known)
        return cls(
            t_s=own["t_s"],
            W=own["cwnd_packets"],
            R=own["srtt_s"],
            q=np.asarray(port["queue_packets"], float),
            x=port["gauge"],
            p=_drop_probability(own, port),
            ssthresh=ssthresh,
        )

    def after(self, t_s: float) -> Trace:
        """Leave out what was before, such as the losses of a slow start."""
        kept = self.t_s >= t_s
        own = {name: self.column(name)[kept] for name in _COLUMNS}
        return Trace(**own, ssthresh=self.ssthresh)

    @property
    def S(self) -> Numbers:  # noqa: N802 - the field's letter
        """The rate, packets/s."""
        return self.W / self.R

    @cached_property
    def onsets(self) -> NDArray[np.int64]:
        """Rows before one with drops, if there were none for a round trip."""
        drops = self.p > 0
        last_s = np.maximum.accumulate(np.where(drops, self.t_s, -np.inf))
        quiet = self.t_s - last_s >= self.R
        return np.flatnonzero(quiet[:-1] & drops[1:])

    @cached_property
    def steady_from(self) -> int:
        """The row at which the steady cycle begins: the least rate after the first loss."""
        if len(self.onsets) < 2:
            raise HeadgateError("the trace has no cycle: drops do not begin twice")
        first, second = self.onsets[:2]
        return int(first + np.argmin(self.S[first:second]))

    @cached_property
    def phases(self) -> NDArray[np.int64]:
        """The place in `PHASES` of every row."""
        above = np.flatnonzero(self.ssthresh <= self.W)
        left = above[0] if len(above) else self.onsets[0] if len(self.onsets) else len(self.t_s)
        rows = np.arange(len(self.t_s))
        return np.where(rows < left, 0, np.where(rows < self.steady_from, 1, 2))

    @cached_property
    def slopes(self) -> tuple[Mask, Mask]:
        """Whether the rate grows to the next row, and whether by much; the last row as before."""
        slope = np.diff(self.S) / np.diff(self.t_s)
        slope = np.append(slope, slope[-1])
        return slope > 0, np.abs(slope) >= HIGH_SLOPE

    @cached_property
    def cycle(self) -> slice:
        """Rows of the first whole steady cycle, from one onset of drops to the next."""
        own = self.onsets[self.onsets >= self.steady_from]
        if len(own) < 2:
            raise HeadgateError("the trace has no whole cycle in its steady state; run it longer")
        return slice(int(own[0]), int(own[1]))

    @property
    def period_s(self) -> float:
        """Time from one onset to the next."""
        return float(self.t_s[self.cycle.stop] - self.t_s[self.cycle.start])

    @property
    def printed_period_s(self) -> float:
        """Time between the first and the last row of the cycle, as the source has it."""
        return float(self.t_s[self.cycle.stop - 1] - self.t_s[self.cycle.start])

    @cached_property
    def points(self) -> dict[str, Point]:
        """The working points of the cycle, by letter."""
        found: dict[str, Point] = {}
        for letter, (name, most) in POINTS.items():
            column = self.column(name)[self.cycle]
            row = self.cycle.start + int(np.argmax(column) if most else np.argmin(column))
            t_s, trip_s, rate, queue = (float(self.column(c)[row]) for c in ("t_s", "R", "S", "q"))
            found[letter] = Point(t_s, trip_s, rate, queue, row)
        return found

    def column(self, name: str) -> Numbers:
        """Return a column by its letter."""
        values: Numbers = getattr(self, name)
        return values

    def time_s(self, start: str, end: str) -> float:
        """Return the time from one point to the next time at another, round the cycle."""
        apart = self.points[end].t_s - self.points[start].t_s
        return apart % self.period_s

    @property
    def share_ab(self) -> float:
        """Share of the cycle between A and B, the points of best rate and round trip."""
        return self.time_s("A", "B") / self.printed_period_s

    @property
    def share_beyond(self) -> float:
        """Share of the cycle between B and the onset of drops: the window grows for nothing."""
        apart = self.t_s[self.cycle.start] - self.points["B"].t_s
        return float(apart % self.period_s) / self.period_s

    @property
    def path(self) -> slice:
        """Rows from A to B."""
        start = self.points["A"].row
        return slice(start, start + round(self.time_s("A", "B") / self._row_s) + 1)

    @property
    def _row_s(self) -> float:
        return float(np.median(np.diff(self.t_s)))

    def changes(self, name: str) -> tuple[Numbers, Numbers]:
        """Return per cent of change along the path from A to B: from row to row, and since A."""
        own = self.column(name)[self.path]
        return 100 * np.diff(own, prepend=np.nan) / own, 100 * (own / own[0] - 1)

    def room(self, packets: float) -> Numbers:
        """Return W/(q + Q*) with `packets` = Q* = D C: a larger window helps below 1."""
        return self.W / (self.q + packets)

    def summary(self, name: str, rows: slice | None = None) -> Numbers:
        """Return least, quartiles, mean and greatest of a column over the cycle, or over rows."""
        own = self.column(name)[rows or self.cycle]
        low, q1, median, q3, high = np.quantile(own, (0, 0.25, 0.5, 0.75, 1))
        return np.array([low, q1, median, own.mean(), q3, high])


def _drop_probability(own: Table, port: Table) -> Numbers:
    given = np.asarray(port["drop_probability"], float)
    if np.isfinite(given).any():
        return given
    dropped, delivered = (
        np.diff(np.asarray(column, float), prepend=0.0)
        for column in (port["drops"], own["delivered_packets"])
    )
    return np.where(dropped > 0, dropped / np.maximum(dropped + delivered, 1.0), 0.0)


class Simulations(Runs):
    """Traces of the simulations: `program` by the source's steps, `exact` by adaptive ones."""

    @cached_property
    def program(self) -> dict[str, Trace]:
        """The simulations as the source's program solves them."""
        own = self.setup.settings["program"]
        past: fluid.Past = own["past"]
        lags = {name: own[name] for name in ("p_lag_s", "first_ack_s")}
        return self._solve(fluid.Euler(own["step"], past), **lags)

    @cached_property
    def exact(self) -> dict[str, Trace]:
        """The solutions of the equations."""
        return self._solve(fluid.Adaptive(self.setup.settings["exact"]["tolerance"]))

    @cached_property
    def finer(self) -> dict[str, Trace]:
        """The same with half the tolerance."""
        return self._solve(fluid.Adaptive(self.setup.settings["exact"]["tolerance"] / 2))

    @cached_property
    def packets(self) -> dict[str, Trace]:
        """The simulations by packets; the remedy is DCTCP over a threshold of marks."""
        made = {}
        for name in SIMULATIONS:
            result = self[name, self.setup.seeds[0]]
            flow, link = (str(result.flows["traffic"][0]), str(result.ports["link"][0]))
            made[name] = Trace.of(result.series, flow, link).after(PACKETS_FROM_S)
        return made

    def _solve(self, method: fluid.Method, **more: float) -> dict[str, Trace]:
        settings = self.setup.settings
        every = None if isinstance(method, fluid.Euler) else settings["exact"]["every"]
        made = {}
        for name, params in settings["simulations"].items():
            result = fluid.solve(
                MODEL, {**params, **more}, duration=settings["duration"], method=method, every=every
            )
            made[name] = Trace.of(result.series, "flow", "link", SSTHRESH)
        return made


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make the runs by packets: each simulation with one flow over the same link."""
    return key_by_labels(
        Job(_scenario(setup, name).model_copy(update={"seed": seed}), {"run": name, "seed": seed})
        for seed in setup.seeds
        for name in SIMULATIONS
    )


def _scenario(setup: Setup, name: str) -> Scenario:
    own = setup.settings["packets"]
    return dumbbell(
        rate=own["rate"],
        rtt=own["rtt"],
        buffer=own["buffer"],
        queue=_queue(setup, name),
        access="direct",
        flows=["dctcp" if name == REMEDY else "reno"],
        transport={"segment": "1460 B", "header": "40 B", "ecn": name == REMEDY},
        measure={"series": {"interval": "100 ms"}},
        duration=own["duration"],
    )


def _queue(setup: Setup, name: str) -> dict[str, Any]:
    """Return RED with the profile of a simulation; the remedy needs marks."""
    own = setup.settings["simulations"][name]
    if name == REMEDY:
        return {"name": "threshold", "mark_packets": own["min_packets"]}
    by_mean = own["red"] == "mean"
    return {
        "name": "red",
        "min_packets": own["min_packets"],
        "max_packets": MAX_PACKETS,
        "max_p": 1.0,
        "gentle": "off",
        "weight": setup.settings["packets"]["weight"] if by_mean else 1.0,
    }
