"""Packets and fluid side by side: the model solved for each cell, and the errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from headgate import Result, fluid
from headgate.lab import NotRunError, Runs, Setup
from headgate_studies.fluid_check.faces import (
    GRID,
    ROWS,
    START,
    Cell,
    Face,
    Params,
    cells,
    faces,
    starts,
)
from headgate_studies.paths import course, seconds

#: A queue below a packet or this part of the BDP is measured by that.
LEAST_QUEUE = 0.01
#: Share of the rate that is the full one.
FULL = 0.95
#: By then a flow-level model of an algorithm of losses is at rest: its slowest times are a window's
#: round trips at a second each, and those in which Scalable TCP grows.
REST, REST_WARM = 40.0, 0.75
#: Rows in a round trip of a model whose queue swings: RED's losses are spikes of half of one.
LOOKS = 8
#: Round trips in which Scalable TCP's window grows by itself.
SCALABLE_ROUNDS = 100
#: Errors from which a model is wrong: throughput, queue, and a factor of losses.
WORSE_THROUGHPUT, WORSE_QUEUE, WORSE_LOSS = 0.05, 0.2, 2.0
#: A model without losses is wrong from this share of lost packets on. A queue is wrong if it makes
#: the round trip wrong by this part, and by more than this number of packets.
SOME_LOSS, SOME_QUEUE, SOME_PACKETS = 0.01, 0.02, 2.0


@dataclass(frozen=True)
class Measured:
    """The measures of a cell by packets or by fluid; NaN for a value that a model lacks."""

    throughput: float
    queue: float
    loss: float
    window: float
    rtt_s: float

    @classmethod
    def by_packets(cls, result: Result) -> Measured:
        """Read a packet run; the packet in service is part of the queue."""
        made = cls._of(result)
        return replace(made, queue=made.queue + made.throughput)

    @classmethod
    def by_fluid(cls, result: Result, face: Face) -> Measured:
        """Read a fluid run; a model says nothing of what it does not have."""
        made = cls._of(result)
        queue = made.queue if face.queues else np.nan
        return replace(made, queue=queue, loss=made.loss if face.lossy else np.nan)

    @classmethod
    def _of(cls, result: Result) -> Measured:
        port, said = result.ports, result.responses
        return cls(
            *(float(port[name][0]) for name in ("utilisation", "mean_queue_packets", "loss_rate")),
            *(float(said[name][0]) for name in ("y11", "y15")),
        )


@dataclass(frozen=True)
class Pair:
    """A cell by packets and by fluid, and what the tool said of its solution."""

    face: Face
    cell: Cell
    packets: Measured
    fluid: Measured
    #: The fluid's loss with the round trip of the packets.
    cca_loss: float
    warnings: tuple[str, ...]

    @property
    def throughput_error(self) -> float:
        """Fluid over packets less one."""
        return self.fluid.throughput / self.packets.throughput - 1

    @property
    def queue_error(self) -> float:
        """Fluid over packets less one; a queue next to nothing counts as a little."""
        least = max(self.packets.queue, 1.0, LEAST_QUEUE * self.cell.bdp_packets)
        return (self.fluid.queue - self.packets.queue) / least

    @property
    def loss_error(self) -> float:
        """Fluid over packets less one; infinite if packets lose nothing."""
        return _over(self.fluid.loss, self.packets.loss)

    @property
    def cca_loss_error(self) -> float:
        """The same with the fluid's round trip set to that of the packets."""
        return _over(self.cca_loss, self.packets.loss)

    @property
    def loss_factor(self) -> float:
        """The factor between the losses, in either direction; 1 if the model lacks losses."""
        if not self.face.lossy:
            return 1.0
        if 0.0 in (self.fluid.loss, self.packets.loss):
            return float("inf")
        return max(1 + self.loss_error, 1 / (1 + self.loss_error))

    @property
    def wrong(self) -> tuple[str, ...]:
        """Name what is worse than a fluid is for."""
        named = {
            "throughput": abs(self.throughput_error) > WORSE_THROUGHPUT,
            "queue": abs(self.queue_error) > WORSE_QUEUE and self.queue_matters,
            "loss": self.loss_factor > WORSE_LOSS or self._misses_losses,
        }
        return tuple(name for name, is_so in named.items() if is_so)

    @property
    def queue_matters(self) -> bool:
        """Say whether its queue is wrong by more than next to nothing."""
        apart = abs(self.fluid.queue - self.packets.queue)
        return self.face.queues and apart > max(SOME_PACKETS, SOME_QUEUE * self.cell.bdp_packets)

    @property
    def _misses_losses(self) -> bool:
        return not self.face.lossy and self.packets.loss > SOME_LOSS

    def __str__(self) -> str:
        """Write it in words."""
        return f"{self.face.name}, {self.cell}"


def _over(fluid: float, packets: float) -> float:
    return fluid / packets - 1 if packets > 0 else float("nan" if np.isnan(fluid) else "inf")


class Comparison(Runs):
    """The finished runs, and the fluid beside them, solved when it is asked for."""

    @classmethod
    def of(cls, runs: Runs) -> Comparison:
        """Take the runs of the study."""
        return cls(runs.setup, runs.results)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every cell of every algorithm."""
        return tuple(self._pair(face, cell) for face in faces() for cell in cells(self.setup))

    def choose(self, holds: Callable[[Pair], bool], name: str) -> list[Pair]:
        """Return the pairs for which something holds; there is one at least, or NotRunError."""
        found = [pair for pair in self.pairs if holds(pair)]
        if not found:
            raise NotRunError(f"no cell of this scale has {name}")
        return found

    def _pair(self, face: Face, cell: Cell) -> Pair:
        result = self[(GRID, face.name, *cell.key)]
        packets = Measured.by_packets(result)
        solved = solve_cell(self.setup, face, cell)
        cca_loss = np.nan
        if face.lossy:
            slow = solve_cell(self.setup, face, cell, packets.rtt_s) if not face.queues else solved
            cca_loss = Measured.by_fluid(slow, face).loss
        said = tuple(solved.meta.get("warnings", ()))
        return Pair(face, cell, packets, Measured.by_fluid(solved, face), cca_loss, said)

    @cached_property
    def starts(self) -> Mapping[tuple[str, int], tuple[float, float]]:
        """Times to the full rate by packets and by fluid, by algorithm and flows."""
        return {
            (face.name, cell.flows): (
                full_rate_s(self[(START, face.name, *cell.key)], "bottleneck"),
                full_rate_s(_start(self.setup, face, cell), "bottleneck"),
            )
            for face in faces()
            for cell in starts(self.setup)
        }


def solve_cell(setup: Setup, face: Face, cell: Cell, rtt_s: float | None = None) -> Result:
    """Solve the model of an algorithm over a cell, with another round trip if one is given."""
    duration_s, warmup_s = _times_s(setup, face, cell)
    return fluid.solve(
        face.model,
        face.params(setup, cell),
        network=network(cell, rtt_s),
        duration=seconds(duration_s),
        warmup=seconds(warmup_s),
        every=seconds(cell.rtt_s / LOOKS) if face.queues else None,
    )


def network(cell: Cell, rtt_s: float | None = None) -> dict[str, Any]:
    """Return a cell as fluid models take it."""
    link = {"rate": cell.rate, "buffer": f"{cell.buffer_packets:.0f} packets"}
    flows = {"flows": cell.flows, "rtt": seconds(rtt_s or cell.rtt_s), "path": ["bottleneck"]}
    return {"links": {"bottleneck": link}, "classes": {"flows": flows}}


def _times_s(setup: Setup, face: Face, cell: Cell) -> tuple[float, float]:
    """Return duration and warm-up of the fluid: those of the packets, if it is at rest by then."""
    if face.queues:
        return cell.times_s(dict(setup.settings))
    rest_s = REST * (1 + (cell.window + SCALABLE_ROUNDS) * cell.rtt_s)
    return rest_s, REST_WARM * rest_s


def _start(setup: Setup, face: Face, cell: Cell) -> Result:
    """Solve a start: from the window that packets begin with, for as long as a climb may take."""
    own: Params = {
        name: value for name, value in face.params(setup, cell).items() if name != "initial_window"
    }
    if "initial_window" in {param.name for param in face.card.params}:
        own = {**own, "initial_window": INITIAL_WINDOW}
    duration_s = cell.rtt_s * (setup.settings["start"]["rounds"] + 3 * cell.window)
    return fluid.solve(
        face.model,
        own,
        network=network(cell),
        duration=seconds(duration_s),
        every=seconds(cell.rtt_s / ROWS),
    )


#: Packets: RFC 6928, as the packet runs have it.
INITIAL_WINDOW = 10.0


def full_rate_s(result: Result, link: str) -> float:
    """Return when a link first sends at its full rate over a round trip; infinite if never."""
    t_s, bps = course(result, link, "throughput_bps")
    rate = float(result.ports["rate_bps"][0])
    sent = np.convolve(np.nan_to_num(bps), np.full(ROWS, 1 / ROWS))[: len(bps)]
    full = sent >= FULL * rate
    return float(t_s[int(np.argmax(full))]) if full.any() else float("inf")


def largest_apart(pairs: Iterable[Pair], error: str) -> tuple[float, Pair]:
    """Return the largest error in either direction, and its pair."""
    worst = max(pairs, key=lambda pair: abs(getattr(pair, error)))
    return abs(getattr(worst, error)), worst
