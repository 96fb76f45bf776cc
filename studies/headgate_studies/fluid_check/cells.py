"""The grid: one bottleneck and N flows, and how long each is watched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from headgate import parse_rate
from headgate.lab import Setup
from headgate_studies.paths import PACKET_BITS, bdp_packets


@dataclass(frozen=True)
class Cell:
    """A place of the grid; the buffer is in BDP."""

    rate: str
    rtt_ms: int
    flows: int
    buffer: float

    @property
    def key(self) -> tuple[str, int, int, float]:
        """Its labels."""
        return self.rate, self.rtt_ms, self.flows, self.buffer

    @property
    def rate_packets_s(self) -> float:
        """Packets that the bottleneck sends a second."""
        return parse_rate(self.rate) / PACKET_BITS

    @property
    def rtt_s(self) -> float:
        """Round trip without a queue."""
        return self.rtt_ms / 1e3

    @property
    def bdp_packets(self) -> float:
        """What fills the path."""
        return bdp_packets(parse_rate(self.rate), self.rtt_s)

    @property
    def buffer_packets(self) -> float:
        """What may wait: a packet at least."""
        return max(1.0, float(round(self.buffer * self.bdp_packets)))

    @property
    def window(self) -> float:
        """A flow's part of what fills the path."""
        return self.bdp_packets / self.flows

    @property
    def cycle_s(self) -> float:
        """Time in which Reno's window grows from half of path and buffer to the whole."""
        full = 1 + self.buffer
        return self.window * full / 2 * self.rtt_s * full

    def times_s(self, settings: dict[str, Any]) -> tuple[float, float]:
        """Return duration and warm-up."""
        round_s = self.rtt_s * (1 + self.buffer)
        warm, measured = (
            settings["rounds"][part] * round_s + settings["cycles"][part] * self.cycle_s
            for part in (0, 1)
        )
        return warm + measured, warm

    def __str__(self) -> str:
        """Write it in words."""
        many = "1 flow" if self.flows == 1 else f"{self.flows} flows"
        return f"{many}, {self.rate}, {self.rtt_ms} ms, {self.buffer:g} BDP"


def cells(setup: Setup) -> tuple[Cell, ...]:
    """Return the cells of a scale, each once, but for those whose run would be too long."""
    settings = dict(setup.settings)
    known = dict.fromkeys(cell for plane in settings["planes"] for cell in _plane(plane))
    return tuple(cell for cell in known if _packets(cell, settings) <= settings["most_packets"])


def _plane(plane: dict[str, Any]) -> Iterator[Cell]:
    columns = (plane[name] for name in ("rates", "rtts_ms", "flows", "buffers"))
    return (Cell(*values) for values in product(*columns))


def _packets(cell: Cell, settings: dict[str, Any]) -> float:
    return cell.times_s(settings)[0] * cell.rate_packets_s
