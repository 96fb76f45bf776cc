"""Outages of a link: spans of time during which it sends nothing."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from headgate.scenario.base import Time
from headgate.scenario.periods import Period


class Outage(Period):
    """A span of time during which a link sends nothing, once or periodically."""

    start: Time = Field(description="When the link goes down, from the start of the run.")
    duration: Time = Field(gt=0, description="How long it is down.")
    every: Time | None = Field(
        None, description="Time from one outage to the next, until the run ends; absent = one."
    )
    queue: Literal["drop", "keep"] = Field(
        "drop",
        description="drop: the packets in the queue and in service are dropped, and so are all"
        " arrivals until the link is up. keep: they wait, and the packet in service continues.",
    )
    in_flight: Literal["deliver", "lose"] = Field(
        "deliver",
        description="deliver: packets that had left when the outage began arrive. lose: they are"
        " lost.",
    )

    def plan(self) -> dict[str, Any]:
        """Return the effects of the outage."""
        return {"queue": self.queue, "in_flight": self.in_flight}
