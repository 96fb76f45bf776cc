"""Who sends what, when. Each kind of traffic is one model; `kind` says which."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, model_validator

from headgate.columns.run import FILES
from headgate.scenario.base import FileSize, Frequency, Model, Rate, Time, at
from headgate.scenario.control import Control
from headgate.scenario.law import LawChoice
from headgate.scenario.sizes import Sizes
from headgate.scenario.transport import Transport
from headgate.units import parse_time

#: Shares that are written with six decimals add up to 1 within this.
ROUNDING = 1e-6


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
    def _has_a_law(self) -> Self:
        self._check_law()
        return self

    def _check_law(self, in_its_place: str = "'control'") -> None:
        if self.law is None and self.control is None:
            raise at("law", f"this key is required, or {in_its_place} in its place")
        if self.law is not None and self.control is not None:
            raise at("control", "a flow has one law; give either 'law' or 'control'")

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
        le=1000,
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


class FileKind(Model):
    """A kind of file that users fetch beside their ordinary ones, counted apart in the results."""

    name: str = Field(min_length=1, description="Name in the results, such as 'movie'.")
    share: float = Field(ge=0, le=1, description="Probability that a user fetches one of these.")
    size: Sizes = Field(description="File sizes.")


class LawShare(Model):
    """A part of the users, and their law."""

    law: LawChoice = Field(description="The law of congestion control.")
    share: float = Field(
        ge=0, le=1, description="Part of the users; the shares of a class add up to 1."
    )
    source: str | None = Field(
        None,
        description="Class of routers whose users are meant; absent = all of whose class no part"
        " speaks.",
    )


class Patience(Model):
    """How many users look after a while, and give up a connection that is too slow."""

    share: float = Field(1.0, ge=0, le=1, description="Probability that a user looks.")
    check: Time = Field(gt=0, description="When, after the request; a handshake is left alone.")
    floor: Rate = Field(description="Least mean rate since the request; below it they give up.")


class Surge(Model):
    """Spatiotemporal congestion: for a time, some users of a class fetch files of another kind."""

    source: str | None = Field(
        None, description="Class of routers whose users take part; absent = all users."
    )
    share: float = Field(ge=0, le=1, description="Part of those users.")
    start: Time = Field(description="Their requests from here on are for such files.")
    stop: Time = Field(description="No such requests from here on; files under way go on.")
    name: str = Field("jumbo", min_length=1, description="Name of the kind of file in the results.")
    size: Sizes = Field(description="File sizes.")

    @model_validator(mode="after")
    def _stops_after_it_starts(self) -> Surge:
        if self.stop <= self.start:
            raise at("stop", "a surge stops after it starts")
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
    size: Sizes = Field(description="Sizes of ordinary files, 'web object' in the results.")
    kinds: tuple[FileKind, ...] = Field(
        (), description="Other kinds of file, each with its probability."
    )
    laws: tuple[LawShare, ...] = Field(
        (), description="Several laws, each for a part of the users, in place of `law`."
    )
    patience: Patience | None = Field(None, description="Who gives up; absent = nobody.")
    surge: Surge | None = Field(None, description="Spatiotemporal congestion; absent = none.")
    at_once: float = Field(
        0.0, ge=0, le=1, description="Share of the users who ask at once; others think first."
    )

    def _check_law(self, in_its_place: str = "'control' or 'laws'") -> None:
        if not self.laws:
            return super()._check_law(in_its_place)
        if self.law is not None or self.control is not None:
            raise at("laws", "users have either one law ('law', 'control') or 'laws'")
        for source in dict.fromkeys(part.source for part in self.laws):
            total = sum(part.share for part in self.laws if part.source == source)
            if abs(total - 1) > ROUNDING:
                of = "" if source is None else f" of {source}"
                raise at("laws", f"the shares{of} add up to 1; these add up to {total:g}")
        return None

    @model_validator(mode="after")
    def _kinds_are_told_apart(self) -> Self:
        names = self.file_names()
        taken = [name for n, name in enumerate(names) if name in FILES or name in names[:n]]
        if taken:
            raise at("kinds", f"'{taken[0]}' is the name of another kind of file; names differ")
        total = sum(kind.share for kind in self.kinds)
        if total > 1 + ROUNDING:
            raise at("kinds", f"the shares add up to at most 1; these add up to {total:g}")
        return self

    def file_names(self) -> list[str]:
        """Name the kinds of file beside the ordinary one."""
        surge = [] if self.surge is None else [self.surge.name]
        return [*(kind.name for kind in self.kinds), *surge]

    def law_plan(self) -> dict[str, Any]:
        """Make the law of the plan: of several the first."""
        return self.laws[0].law.plan() if self.laws else super().law_plan()


class Replay(Group):
    """A list of flows from a CSV or Parquet file."""

    kind: Literal["replay"] = "replay"
    file: str = Field(
        description="Columns start_s, size_packets or size_bytes; optional source, receiver, law."
    )


Traffic = Annotated[Flows | Poisson | Web | Replay, Discriminator("kind")]
