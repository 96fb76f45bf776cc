"""Which of our laws is which of the kernel's, and how its module differs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Match:
    """A law of Linux: its name there, ours, and the parameters that make ours that module."""

    linux: str
    ours: str
    params: dict[str, Any] = field(default_factory=dict)
    jiffies: dict[str, float] = field(default_factory=dict)
    """Parameters that are this many ticks of the kernel's clock, in seconds."""


#: Laws that Linux has and we do too.
MATCHES = (
    Match("reno", "reno"),
    Match("cubic", "cubic"),
    Match("bbr", "bbr"),
    Match("bic", "bic"),
    Match("dctcp", "dctcp", {"variant": "linux"}),
    Match("highspeed", "hstcp", {"variant": "linux"}),
    Match("htcp", "htcp", jiffies={"tick_s": 1.0}),
    Match("illinois", "illinois"),
    Match("scalable", "scalable", {"variant": "linux-5.6"}),
    Match("vegas", "vegas"),
    Match("westwood", "westwood", {"variant": "linux"}, jiffies={"tick_s": 1.0}),
    Match("yeah", "yeah"),
)
#: Laws that Linux has and we have not.
NOT_OURS = ("cdg", "hybla", "lp", "nv", "veno")


def find(linux: str) -> Match:
    """Return the law of that name in Linux."""
    return next(match for match in MATCHES if match.linux == linux)


def choose(names: Iterable[str] | None) -> list[Match]:
    """Return the laws named, by our name or by Linux's; all without names."""
    if names is None:
        return list(MATCHES)
    wanted = {*names}
    return [match for match in MATCHES if {match.linux, match.ours} & wanted]


def without_counterpart(names: Iterable[str] | None) -> list[str]:
    """Return laws of the catalogue, or of those named, that Linux does not have."""
    from headgate import catalog

    every = [law.name for law in catalog.laws() if law.family != "none"]
    known = {name for match in MATCHES for name in (match.linux, match.ours)}
    return [name for name in (every if names is None else names) if name not in known]


def law_keys(linux: str, tick_s: float) -> dict[str, Any]:
    """Return the keys of a scenario's law for a kernel whose clock ticks so often."""
    match = find(linux)
    ticks = {name: count * tick_s for name, count in match.jiffies.items()}
    return {"name": match.ours, **match.params, **ticks}
