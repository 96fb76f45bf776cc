"""Who sends what, when. Each kind of traffic is one model; `kind` says which."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, model_validator

from headgate.scenario.base import FileSize, Frequency, Model, Time, at
from headgate.scenario.control import Control
from headgate.scenario.law import LawChoice
from headgate.scenario.transport import Transport
from headgate.units import parse_time


class Sizes(Model):
    """File sizes: fixed, exponential, or Pareto with the given mean."""

    kind: Literal["fixed", "exponential", "pareto"] = Field(description="Kind of distribution.")
    mean: FileSize = Field(description="Mean file size, in packets or bytes.")
    shape: float | None = Field(None, gt=1, description="Pareto's shape; the tail is heavy near 1.")

    @model_validator(mode="before")
    @classmethod
    def _from_one_size(cls, given: Any) -> Any:
        """Read `size = "100 packets"` as files that are all of that size."""
        return {"kind": "fixed", "mean": given} if isinstance(given, str | int | float) else given

    @model_validator(mode="after")
    def _shape_is_for_pareto(self) -> Sizes:
        if (self.kind == "pareto") != (self.shape is not None):
            raise at("shape", "a 'pareto' size has a shape, such as 1.5; other sizes have none")
        return self


class Group(Model):
    """What every kind of traffic has."""

    name: str = Field("", description="Name in the results; made from the law if absent.")
    law: LawChoice | None = Field(
        None, description="The law of congestion control; or `control` in its place."
    )
    control: Control | None = Field(
        None, description="A law of your own: a file and a name, such as './mylaw.py:MyLaw'."
    )
    transport: Transport | None = Field(
        None, description="TCP profile of this traffic; absent = the scenario's."
    )
    source: str | None = Field(
        None, description="Router (or class of routers) whose hosts send; absent = the network's."
    )
    receiver: str | None = Field(
        None,
        description="Router (or class of routers) whose hosts receive; absent = the network's.",
    )
    reverse: bool = Field(False, description="Send against the network's main direction.")
    rtt: Time | None = Field(
        None, description="Propagation round trip; sets the delay of this traffic's host links."
    )

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        if self.law is None and self.control is None:
            raise at("law", "this key is required, or 'control' in its place")
        if self.law is not None and self.control is not None:
            raise at("control", "a flow has one law; give either 'law' or 'control'")
        return self

    def law_plan(self) -> dict[str, Any]:
        """Make the law of the plan; raise LawError if the user's own cannot be taken."""
        chosen = self.control or self.law
        assert chosen is not None
        return chosen.plan()


class Flows(Group):
    """Single flows, endless or of a given size."""

    kind: Literal["flows"] = "flows"
    count: int = Field(1, ge=1, le=1_000_000, description="Number of flows.")
    size: FileSize | None = Field(None, description="Size of each flow; absent = endless.")
    start: Time = Field(0, description="When the first one starts.")
    stagger: Time = Field(0, description="Time from one start to the next.")
    stop: Time | None = Field(
        None, description="No flow sends anything new from here on; absent = the end."
    )

    @model_validator(mode="after")
    def _stops_after_it_starts(self) -> Self:
        if self.stop is not None and self.stop <= self.start + (self.count - 1) * self.stagger:
            raise at("stop", "a flow stops after it starts, the last one of several too")
        return self


class Poisson(Group):
    """Flows that arrive as a Poisson process, between random hosts."""

    kind: Literal["poisson"] = "poisson"
    arrivals: Frequency | None = Field(None, description="Mean arrival rate.")
    load: float | None = Field(
        None,
        gt=0,
        description="Offered load as a share of the network's rate, in place of arrivals.",
    )
    size: Sizes = Field(description="File sizes.")
    hosts: int = Field(100, ge=1, le=10_000_000, description="Number of sources, and of receivers.")
    start: Time = Field(0, description="First possible arrival.")
    stop: Time | None = Field(None, description="No arrivals from here on; absent = the end.")

    @model_validator(mode="after")
    def _one_rate(self) -> Poisson:
        if (self.arrivals is None) == (self.load is None):
            raise at("arrivals", 'give either arrivals = "500 flows/s" or load = 0.9')
        if self.stop is not None and self.stop <= self.start:
            raise at("stop", "arrivals stop after they start")
        return self


class Web(Group):
    """Users who think, fetch a file from a random receiver, and think again."""

    kind: Literal["web"] = "web"
    users: int = Field(ge=1, le=100_000_000, description="Number of users (each a source).")
    receivers: int | None = Field(
        None,
        ge=1,
        le=100_000_000,
        description="Number of receiving hosts; absent = as many as users.",
    )
    think: Time = Field(parse_time("3.5 s"), gt=0, description="Mean think time (exponential).")
    size: Sizes = Field(description="File sizes.")
    at_once: float = Field(
        0.0, ge=0, le=1, description="Share of the users who ask at once; others think first."
    )


class Replay(Group):
    """A list of flows from a CSV or Parquet file."""

    kind: Literal["replay"] = "replay"
    file: str = Field(
        description="Columns start_s, size_packets or size_bytes; optional source, receiver, law."
    )


Traffic = Annotated[Flows | Poisson | Web | Replay, Discriminator("kind")]
