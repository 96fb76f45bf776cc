"""Kinds of traffic: one file for each, and its name here; `kind` says which."""

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Discriminator

from headgate.scenario.group import Group
from headgate.scenario.traffic.bursts import Bursts
from headgate.scenario.traffic.flows import Flows
from headgate.scenario.traffic.live import Live
from headgate.scenario.traffic.matrix import Matrix
from headgate.scenario.traffic.media import Media
from headgate.scenario.traffic.on_off import OnOff
from headgate.scenario.traffic.poisson import Poisson
from headgate.scenario.traffic.replay import Replay
from headgate.scenario.traffic.web import Web

KINDS: tuple[type[Group], ...] = (
    Bursts, Flows, Live, Matrix, Media, OnOff, Poisson, Replay, Web,
)  # fmt: skip

if TYPE_CHECKING:
    Traffic = Group
else:
    Traffic = Annotated[reduce(or_, KINDS), Discriminator("kind")]

__all__ = ["KINDS", "Traffic", "kind_of"]


def kind_of(item: Mapping[str, Any]) -> type[Group]:
    """Return the kind of an item of a plan."""
    return next(kind for kind in KINDS if kind.model_fields["kind"].default == item["kind"])
