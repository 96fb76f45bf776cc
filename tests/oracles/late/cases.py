"""Paths on which packets are late and none is lost: a scenario for each case."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: A spike or a switch of the path begins at this time; the flow has left slow start long before.
EVENT_S = 6.0
#: Delays of single packets, ms; rates of the bottleneck, Mbit/s; lengths of spikes, s.
LATE_MS = (5, 8, 12, 20, 45)
RATES_MBPS = (20, 100)
SPIKES_S = (0.3, 0.6, 2.0)
DURATION_S = 15.0
#: Windows are compared: their median in the second before the event and in the second that ends
#: here, and the largest one in this span after the path's last change.
AFTER_S = EVENT_S + max(SPIKES_S) + 2
KEPT_S = (0.1, 0.4)


@dataclass(frozen=True)
class Case:
    """A path of 40 ms with one flow of CUBIC, on which packets are late."""

    name: str
    rate_mbps: int = 20
    #: One packet in a hundred is late by this.
    late_ms: int = 0
    #: One-way delay of the path by time, (time, delay) in seconds.
    course: tuple[tuple[float, float], ...] = ()

    @property
    def ended_s(self) -> float:
        """Time of the path's last change."""
        return self.course[-1][0] if self.course else EVENT_S

    def network(self, folder: Path) -> dict[str, Any]:
        """Give the network as a scenario has it; a course is written into the folder."""
        network: dict[str, Any] = {
            "kind": "dumbbell",
            "rate": f"{self.rate_mbps} Mbit/s",
            "rtt": "40 ms",
            "buffer": "1 BDP",
            "access": "direct",
        }
        if self.late_ms:
            late = f"{self.late_ms} ms"
            network["impairments"] = [{"name": "reorder", "share": 0.01, "late": late}]
        if self.course:
            path = folder / f"{self.name}.csv"
            lines = [f"{time_s},{delay_s}" for time_s, delay_s in self.course]
            path.write_text("\n".join(["time_s,delay_s", *lines]) + "\n")
            network["course"] = str(path)
        return network


def _spike(length_s: float) -> Case:
    course = ((0.0, 0.02), (EVENT_S, 0.02 + length_s), (EVENT_S + length_s, 0.02))
    return Case(f"spike-{length_s:g}s", course=course)


CASES = [
    *(
        Case(f"late-{late}ms-{rate}mbps", rate_mbps=rate, late_ms=late)
        for rate in RATES_MBPS
        for late in LATE_MS
    ),
    *(_spike(length_s) for length_s in SPIKES_S),
    Case("shorter-path", course=((0.0, 0.08), (EVENT_S, 0.02))),
]
