"""One flow on one link, with chosen packets lost: what the cases look at.

Packet 1 on the link is the SYN, so the data segment with number k (from 1) is packet k + 1 until
something is sent again.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate import HeadgateWarning

if TYPE_CHECKING:
    from headgate import Result

RTT_S = 0.1
LINK: dict[str, Any] = {
    "kind": "dumbbell",
    "rate": "100 Mbit/s",
    "rtt": f"{RTT_S * 1e3:g} ms",
    "buffer": "infinite",
    "access": "direct",
}
SYN = 1
"""Packets before the first data segment."""


@dataclass(frozen=True)
class Subject:
    """The law under test, as a scenario's traffic names it."""

    name: str
    keys: tuple[tuple[str, Any], ...]

    def having(self, **params: Any) -> Subject:
        """Return the same law with parameters set."""
        return Subject(self.name, (("law", {"name": self.name, **self.params, **params}),))

    @property
    def params(self) -> dict[str, Any]:
        """Parameters that were set."""
        chosen = dict(self.keys).get("law")
        return {k: v for k, v in chosen.items() if k != "name"} if isinstance(chosen, dict) else {}

    def run_flow(
        self,
        duration_s: float = 10.0,
        *,
        size: int | None = None,
        transport: dict[str, Any] | None = None,
        interval_s: float = 0.01,
        **network: Any,
    ) -> FlowRun:
        """Run one flow of `size` segments, or an endless one; the rest are keys of the link."""
        from headgate import Scenario

        flow: dict[str, Any] = {"kind": "flows", **dict(self.keys)}
        if size is not None:
            flow["size"] = f"{size} packets"
        scenario = Scenario.from_dict(
            {
                "seed": 1,
                "duration": f"{duration_s} s",
                "network": LINK | network,
                "transport": transport or {},
                "traffic": [flow],
                "measure": {"series": {"interval": f"{interval_s * 1e3:g} ms"}},
            }
        )
        with warnings.catch_warnings():  # RFCs are about what these senders do without a router
            warnings.simplefilter("ignore", HeadgateWarning)
            return FlowRun(scenario.run())


class FlowRun:
    """What one flow did."""

    def __init__(self, result: Result) -> None:
        self.result = result

    def count(self, *names: str) -> dict[str, float]:
        """Return counts of the flow, by column."""
        return {name: float(self.result.flows[name][0]) for name in names}

    @cached_property
    def _of_flow(self) -> NDArray[np.bool_]:
        return np.asarray(self.result.series["of"] == "flow")

    def series(self, column: str) -> NDArray[np.float64]:
        """Return a column of the flow's series."""
        return np.asarray(self.result.series[column][self._of_flow], np.float64)

    @property
    def t_s(self) -> NDArray[np.float64]:
        """Times of the series."""
        return self.series("t_s")

    @property
    def cwnd(self) -> NDArray[np.float64]:
        """Congestion window over time, segments."""
        return self.series("cwnd_packets")

    @property
    def ssthresh(self) -> NDArray[np.float64]:
        """Slow-start threshold over time, segments."""
        return self.series("ssthresh_packets")

    @property
    def drops(self) -> float:
        """Packets that found no room."""
        return float(self.result.ports["drops"].sum())

    def first_threshold(self) -> float:
        """Return the threshold after the first congestion; infinite if there was none."""
        finite = self.ssthresh[np.isfinite(self.ssthresh)]
        return float(finite[0]) if len(finite) else float("inf")

    def loss_at(self) -> int:
        """Return the index of the first sample after the first congestion."""
        return int(np.argmax(np.isfinite(self.ssthresh)))

    def in_flight_at_loss(self) -> float:
        """Return the most that was in flight until the first congestion."""
        return float(np.max(self.series("in_flight_packets")[: self.loss_at() + 1]))
