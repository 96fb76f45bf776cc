"""Web users that think and fetch files in turn, and features of some of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from headgate.base.units import parse_time_ps
from headgate.data.columns.run import FILES
from headgate.scenario.base import Model, Rate, Time, at
from headgate.scenario.distributions import Sizes
from headgate.scenario.group import (
    HOST_BYTES,
    SIZE_KEYS,
    Arrays,
    Group,
    Item,
    Need,
    Planner,
    count_hosts,
    mean_packets,
    pools,
)
from headgate.scenario.mixes import ROUNDING

#: Bytes of the record and timer of a user.
USER_BYTES = 72


class FileKind(Model):
    """A kind of file that users fetch in addition to ordinary ones, counted apart in results."""

    name: str = Field(min_length=1, description="Name in the results, such as 'movie'.")
    share: float = Field(ge=0, le=1, description="Probability that a user fetches one of these.")
    size: Sizes = Field(description="File sizes.")


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
    stop: Time = Field(
        description="No such requests from here on; transfers that have begun are completed."
    )
    name: str = Field("jumbo", min_length=1, description="Name of the kind of file in the results.")
    size: Sizes = Field(description="File sizes.")

    @model_validator(mode="after")
    def _stops_after_it_starts(self) -> Surge:
        if self.stop <= self.start:
            raise at("stop", "stop must be after start")
        return self


class Web(Group):
    """Users who think, fetch a file from a random receiver, and think again."""

    hosts_key: ClassVar[str] = "users"
    plan_keys: ClassVar[Mapping[str, str]] = SIZE_KEYS

    kind: Literal["web"] = "web"
    users: int = Field(ge=1, le=100_000_000, description="Number of users (each a source).")
    receivers: int | None = Field(
        None,
        ge=1,
        le=100_000_000,
        description="Number of receiving hosts; absent = as many as users.",
    )
    think: Time = Field(parse_time_ps("3.5 s"), gt=0, description="Mean think time (exponential).")
    size: Sizes = Field(description="Sizes of ordinary files, 'web object' in the results.")
    kinds: tuple[FileKind, ...] = Field(
        (), description="Other kinds of file, each with its probability."
    )
    patience: Patience | None = Field(None, description="When users give up; absent = never.")
    surge: Surge | None = Field(None, description="Spatiotemporal congestion; absent = none.")
    at_once: float = Field(
        0.0, ge=0, le=1, description="Share of the users who ask at once; others think first."
    )

    @model_validator(mode="after")
    def _kinds_have_different_names(self) -> Self:
        names = self.file_names()
        taken = [name for n, name in enumerate(names) if name in FILES or name in names[:n]]
        if taken:
            says = f"'{taken[0]}' is the name of another kind of file; names must differ"
            raise at("kinds", says)
        total = sum(kind.share for kind in self.kinds)
        if total > 1 + ROUNDING:
            raise at("kinds", f"the shares must add up to at most 1; these add up to {total:g}")
        return self

    def file_names(self) -> list[str]:
        """Return the names of the kinds of file except the ordinary one."""
        surge = [] if self.surge is None else [self.surge.name]
        return [*(kind.name for kind in self.kinds), *surge]

    def default_name(self, cca: str) -> str:
        """Return the name of traffic without a name in the scenario; 'users' for a mix."""
        return "users" if self.mix else cca

    @property
    def most_flows(self) -> int:
        """One per user."""
        return self.users

    def lay_out(self, planner: Planner, item: Item) -> dict[str, Any]:
        """Return the users of the plan, without absent features."""
        segment_bytes = planner.profile(self.transport).segment_bytes
        return {
            "sources": pools(item.sources, self.users),
            "receivers": pools(item.receivers, self.receivers or self.users),
            "think_s": self.think / 1e12,
            "size": self.size.plan(segment_bytes),
            "at_once": self.at_once,
            **self._lay_out_kinds(planner, segment_bytes),
            **self.mix_plan(planner, item.place),
            **self._lay_out_patience(segment_bytes),
            **self._lay_out_surge(planner, segment_bytes, item.place),
        }

    def _lay_out_kinds(self, planner: Planner, segment_bytes: int) -> dict[str, Any]:
        kinds = [
            {
                "file": planner.add_file(kind.name),
                "share": kind.share,
                "size": kind.size.plan(segment_bytes),
            }
            for kind in self.kinds
        ]
        return {"kinds": kinds} if kinds else {}

    def _lay_out_patience(self, segment_bytes: int) -> dict[str, Any]:
        if (patience := self.patience) is None:
            return {}
        floor_per_s = patience.floor / (8 * segment_bytes)
        made = {"share": patience.share, "check_ps": patience.check, "floor_per_s": floor_per_s}
        return {"patience": made}

    def _lay_out_surge(self, planner: Planner, segment_bytes: int, place: str) -> dict[str, Any]:
        if (surge := self.surge) is None:
            return {}
        made = {
            "class": planner.check_class(surge.source, f"{place}.surge.source"),
            "share": surge.share,
            "from_ps": surge.start,
            "until_ps": surge.stop,
            "file": planner.add_file(surge.name),
            "size": surge.size.plan(segment_bytes),
        }
        return {"surge": made}

    @classmethod
    def estimate(cls, item: Mapping[str, Any], _arrays: Arrays) -> Need:
        """Count users and hosts; the number of files is unknown."""
        sources, receivers = count_hosts(item["sources"]), count_hosts(item["receivers"])
        size = sources * (USER_BYTES + HOST_BYTES) + receivers * HOST_BYTES
        return Need("users", f"{sources:,} sources and {receivers:,} receivers", size, 0)

    @classmethod
    def offered_packets(cls, item: Mapping[str, Any], duration_s: float) -> float:
        """Return the expected packets if transfers took no time, so that users only think."""
        files = count_hosts(item["sources"]) * (1 + duration_s / item["think_s"])
        kinds = item.get("kinds", ())
        ordinary = max(0.0, 1 - sum(kind["share"] for kind in kinds))
        mean = ordinary * mean_packets(item["size"])
        mean += sum(kind["share"] * mean_packets(kind["size"]) for kind in kinds)
        if (surge := item.get("surge")) is not None:
            lasts = (
                min(surge["until_ps"] / 1e12, duration_s) - surge["from_ps"] / 1e12
            ) / duration_s
            mean += surge["share"] * max(0.0, lasts) * mean_packets(surge["size"])
        return float(files * mean)
