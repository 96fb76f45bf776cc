"""Amounts of data at a link: of packets, bytes, time or bandwidth-delay products."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from headgate.base.errors import ScenarioError
from headgate.base.units import PS_PER_S, Amount

#: Packets or bytes: more than any memory.
LARGEST_BUFFER = 1e12


class Carrier(Protocol):
    """A link, or a kind of host link."""

    @property
    def name(self) -> str:
        """Its name, for messages."""

    @property
    def rate_bps(self) -> int:
        """Its rate."""


@dataclass(frozen=True)
class Yardstick:
    """Converts amounts; `place` is the key of the user."""

    rtt_ps: int
    packet_bytes: int
    place: str

    def resolve(self, amount: Amount, link: Carrier, flows: float) -> dict[str, int] | str:
        """Return whole packets, bytes, or "infinite". Raises ScenarioError."""
        if amount.unit == "infinite":
            return "infinite"
        if amount.unit in ("B", "ps"):
            scale = Fraction(link.rate_bps, 8 * PS_PER_S) if amount.unit == "ps" else 1
            size = amount.value * scale
            if size < self.packet_bytes:
                says = f"holds no packet of {self.packet_bytes} B; it must hold at least one"
                raise ScenarioError(self.place, f"'{amount}' {says}")
            self._check_size(amount, float(size), "bytes", link)
            return {"bytes": int(size)}
        packets = float(amount.value)
        if amount.unit != "packets":
            packets *= link.rate_bps * self.rtt_ps / (8e12 * self.packet_bytes)
        if amount.unit == "BDP/sqrt(n)":
            packets /= math.sqrt(max(1.0, flows))
        if packets < 0.5 or (amount.unit == "packets" and packets < 1):
            says = f"is {packets:.2g} packets at {link.name}; it must be at least one packet"
            raise ScenarioError(self.place, f"'{amount}' {says}")
        self._check_size(amount, packets, "packets", link)
        return {"packets": math.floor(packets + 0.5)}

    def _check_size(self, amount: Amount, size: float, unit: str, link: Carrier) -> None:
        if size > LARGEST_BUFFER:
            says = f"is {size:.2g} {unit} at {link.name}; write 'infinite' for no limit"
            raise ScenarioError(self.place, f"'{amount}' {says}")
