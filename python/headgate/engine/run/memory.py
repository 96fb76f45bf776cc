"""How much memory a run takes at its start and for what it keeps, and what its packets may take.

Sizes are those of the engine's own records and of the tables made of them; flows at work
come on top, so what is refused here could not run.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headgate.base import catalog
from headgate.base.errors import ScenarioError
from headgate.scenario.group import Arrays
from headgate.scenario.traffic import kind_of

Plan = Mapping[str, Any]

#: Bytes of a row: what the engine keeps, its columns, and the columns of the table.
_ROW_OF_SERIES = 8 * (6 + 6 + 15)
_ROW_OF_FLOW = 160 + 8 * 2 * 22
_ROW_OF_LINK = 160 + 8 * 2 * 18
#: Bytes of a queue that stands ready before the first packet.
_QUEUE = 192
_LEAST = 2**23
"""What a run takes that has nothing in it."""
_PACKET = 512
"""What a packet under way takes at most: itself, what its port and its sender know of it, and as
much again while their lists grow."""


@dataclass(frozen=True)
class Part:
    """What a key of the scenario asks for."""

    place: str
    what: str
    size: int


def parts_of(plan: Plan, arrays: Arrays) -> list[Part]:
    """Tell what a run of this plan takes, key by key."""
    return [*_series(plan), *_periods(plan), *_queues(plan), *_traffic(plan, arrays)]


def bytes_of(plan: Plan, arrays: Arrays) -> int:
    """Return what a run of this plan takes at least."""
    return _LEAST + sum(part.size for part in parts_of(plan, arrays))


def refuse_what_does_not_fit(plan: Plan, arrays: Arrays, free: int | None = None) -> None:
    """Raise ScenarioError, with the key that asks for most, if memory cannot hold the run."""
    free = free_bytes() if free is None else free
    needed = bytes_of(plan, arrays)
    if free is None or needed <= free:
        return
    most = max(parts_of(plan, arrays), key=lambda part: part.size)
    raise ScenarioError(
        most.place,
        f"{most.what} take about {_amount(most.size)} of memory, the whole run {_amount(needed)}; "
        f"{_amount(free)} are free",
    )


def peak_bytes(process: int | str = "self") -> int:
    """Return the most memory that a program held; getrusage counts its parent's in, too.

    It is 0 where the system does not say.
    """
    high = [line for line in _lines(f"/proc/{process}/status") if line.startswith("VmHWM:")]
    return int(high[0].split()[1]) * 1024 if high else 0


def packets_that_fit() -> int:
    """Return how many packets may be in flight before a run ends for want of memory."""
    free = free_bytes()
    return sys.maxsize if free is None else free // _PACKET


def _series(plan: Plan) -> Iterator[Part]:
    series = plan["measure"]["series"]
    if series is None:
        return
    times = plan["duration_ps"] // series["interval_ps"] + 1
    rows = times * (len(series["flows"]) + len(series["links"]) + 1)
    yield Part("measure.series.interval", f"{rows:,} rows of series", rows * _ROW_OF_SERIES)


def _periods(plan: Plan) -> Iterator[Part]:
    rows = len(plan["measure"]["periods"]) * len(plan["links"])
    yield Part("measure.periods", f"{rows:,} rows of links and periods", rows * _ROW_OF_LINK)


def _queues(plan: Plan) -> Iterator[Part]:
    """Tell what queues take that a discipline has for each of its `flows`."""
    queues = (link["queue"] for link in plan["links"] if link.get("queue"))
    known = (queue for queue in queues if "own" not in queue)
    count = int(sum(_subqueues(queue["name"], queue["params"]) for queue in known))
    yield Part("network.queue.flows", f"{count:,} queues of flows at all links", count * _QUEUE)


def _subqueues(name: str, params: Mapping[str, Any]) -> float:
    known = {param.name: param.default for param in catalog.device("queue", name).params}
    return float(params.get("flows", known.get("flows", 0)))


def _traffic(plan: Plan, arrays: Arrays) -> Iterator[Part]:
    row = _ROW_OF_FLOW if plan["measure"]["flows"] == "all" else 0
    for index, item in enumerate(plan["traffic"]):
        need = kind_of(item).estimate(item, arrays)
        yield Part(f"traffic[{index}].{need.key}", need.what, need.size + int(need.flows * row))


def free_bytes() -> int | None:
    """Return what this process may still take: the machine's, its group's or its own limit."""
    limits = [_free_in_machine(), _free_in_group(), _free_of_own()]
    known = [limit for limit in limits if limit is not None]
    return min(known) if known else None


def _free_in_machine() -> int | None:
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _free_in_group() -> int | None:
    """Read the control group's limit, as containers have one."""
    limit, used = (_lines(f"/sys/fs/cgroup/memory.{name}") for name in ("max", "current"))
    if not limit or not used or limit[0] == "max":
        return None
    return max(0, int(limit[0]) - int(used[0]))


def _free_of_own() -> int | None:
    """Read the limit that `ulimit -v` sets."""
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _lines("/proc/self/statm")
    if soft == resource.RLIM_INFINITY or not pages:
        return None
    return max(0, soft - int(pages[0].split()[0]) * resource.getpagesize())


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="ascii").splitlines()
    except OSError:
        return []


def _amount(size: int) -> str:
    return f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size / 1e6:.3g} MB"
