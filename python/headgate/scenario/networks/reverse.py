"""A link that differs by direction."""

from __future__ import annotations

from dataclasses import replace

from headgate.base.errors import ScenarioError
from headgate.scenario.links.keys import Reverse
from headgate.scenario.networks.layout import Link


def apply_reverse(back: Link, reverse: Reverse | None, duration_ps: int, place: str) -> Link:
    """Return the link in the other direction with the changes that `reverse` has.

    Raises ScenarioError.
    """
    if reverse is None:
        return back
    own = reverse.behaviour(place, duration_ps, back.behaviour)
    rate = reverse.rate or own.rate_bps or back.rate_bps
    if reverse.delay is not None and own.first("delay_s") is not None:
        raise ScenarioError(
            f"{place}.delay", "the course gives the delay; leave one of the two out"
        )
    delay = back.delay_ps if reverse.delay is None else reverse.delay
    return replace(
        back,
        rate_bps=rate,
        delay_ps=own.delay_ps(delay),
        buffer=reverse.buffer or back.buffer,
        queue=reverse.queue or back.queue,
        feedback=reverse.feedback or back.feedback,
        behaviour=own,
    )
