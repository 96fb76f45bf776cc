"""One connection that sends bursts with pauses between them: a scenario for each case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SEGMENT_BYTES = 1448
#: Full segments of a burst, 200 kB.
BURST_SEGMENTS = 138
CCAS = ("reno", "cubic", "bbr")
RATES_MBPS = (20, 100)
PAUSES_S = (0.1, 0.5, 2.0, 10.0)


@dataclass(frozen=True)
class Case:
    """A path of 40 ms without loss, whose buffer takes a whole burst."""

    cca: str
    rate_mbps: int
    #: Time from the last ACK of a burst to the start of the next one.
    pause_s: float

    @property
    def name(self) -> str:
        """Return the name in the data."""
        return f"{self.cca}-{self.rate_mbps}mbps-{self.pause_s:g}s"

    @property
    def bursts(self) -> int:
        """Return the number of bursts; long pauses have fewer."""
        return 6 if self.pause_s < 10 else 4

    @property
    def duration_s(self) -> float:
        """Return a time in which the bursts end; each lasts less than 0.5 s."""
        return 1.0 + self.bursts * (self.pause_s + 0.5)

    def network(self) -> dict[str, Any]:
        """Return the network of the scenario."""
        return {
            "kind": "dumbbell",
            "rate": f"{self.rate_mbps} Mbit/s",
            "rtt": "40 ms",
            "buffer": "2 BDP",
            "access": "direct",
        }


CASES = [
    Case(cca, rate_mbps, pause_s)
    for cca in CCAS
    for rate_mbps in RATES_MBPS
    for pause_s in PAUSES_S
]
