"""How far a set of runs has come."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from headgate.base.progress import clock


@dataclass
class CampaignProgress:
    """How far a set of runs has come.

    Work is counted in simulated time: `due_s` of all runs that are to be made, of which `made_s`
    have been, parts of unfinished runs among them.
    """

    total: int
    skipped: int = 0
    finished: int = 0
    failed: int = 0
    due_s: float = 0.0
    made_s: float = 0.0
    packet_hops: int = 0
    started_s: float = field(default_factory=time.monotonic)

    @property
    def done(self) -> int:
        """Runs that need no more work, those found in the store among them."""
        return self.skipped + self.finished

    @property
    def elapsed_s(self) -> float:
        """Wall-clock time since the start."""
        return time.monotonic() - self.started_s

    @property
    def hops_per_s(self) -> float:
        """Packet-hops per second of wall clock, all workers together."""
        return self.packet_hops / max(self.elapsed_s, 1e-9)

    @property
    def eta_s(self) -> float | None:
        """Seconds left if the rest is like what was done; None at the start."""
        if self.made_s <= 0:
            return None
        return self.elapsed_s * (self.due_s - self.made_s) / self.made_s

    @property
    def share(self) -> float:
        """Share of the work that is done; a run found in the store is one of `total` parts."""
        found = self.skipped / max(self.total, 1)
        return found + (1 - found) * (self.made_s / self.due_s if self.due_s else 1)

    @property
    def _runs(self) -> str:
        failed = f" ({self.failed} failed)" if self.failed else ""
        return f"{self.done}/{self.total} runs{failed}"

    def __str__(self) -> str:
        said = self._runs
        if self.eta_s is None:
            return said
        return (
            f"{said}, {self.hops_per_s / 1e6:.1f} million packet-hops/s,"
            f" {clock(self.elapsed_s)} elapsed, about {clock(self.eta_s)} left"
        )

    @property
    def short(self) -> str:
        """The same in 40 columns or so, beside a bar on a terminal of 80."""
        said = self._runs
        if self.eta_s is None:
            return said
        return f"{said}, {self.hops_per_s / 1e6:.1f} M hops/s, {clock(self.eta_s)} left"
