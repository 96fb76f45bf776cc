"""A link that differs by direction."""

from __future__ import annotations

from dataclasses import replace

from headgate.errors import ScenarioError
from headgate.scenario.links.behaviour import Behaviour
from headgate.scenario.links.keys import Reverse
from headgate.scenario.networks.layout import Link


def apply_reverse(back: Link, reverse: Reverse | None, duration_ps: int, place: str) -> Link:
    """Give the link that runs back as `reverse` says it is; what that leaves out stays.

    Raises ScenarioError.
    """
    if reverse is None:
        return back
    own = _inherit(reverse.behaviour(place, duration_ps), reverse, back.behaviour)
    rate = reverse.rate or own.rate_bps or back.rate_bps
    if reverse.delay is not None and own.first("delay_s") is not None:
        raise ScenarioError(
            f"{place}.delay", "the course tells the delay; leave one of the two out"
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


def _inherit(own: Behaviour, reverse: Reverse, other: Behaviour) -> Behaviour:
    """Fill in what `reverse` does not write: each impairment, and how the rate goes as a whole."""
    absent = {"loss", "lose", "ingress", "impairments"} - reverse.model_fields_set
    own = replace(own, **{key: getattr(other, key) for key in absent})
    says = (reverse.rate, own.trace, own.steps, own.changes or None)
    if any(one is not None for one in says):
        return own
    return replace(own, changes=other.changes, trace=other.trace, steps=other.steps)
