"""Memory that a run needs: for its start, its records, and its packets.

Sizes are those of the engine's records and of the tables made from them. Active flows need more, so
a run that is refused here could not succeed.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from headgate.base import catalog
from headgate.base.errors import ScenarioError
from headgate.scenario.group import Arrays
from headgate.scenario.traffic import kind_of

Plan = Mapping[str, Any]

#: Bytes per row: the engine's record, its columns, and the columns of the table.
_ROW_OF_SERIES = 8 * (6 + 6 + 15)
_ROW_OF_FLOW = 160 + 8 * 2 * 22
_ROW_OF_LINK = 160 + 8 * 2 * 18
#: Bytes of an empty queue.
_QUEUE = 192
_LEAST = 2**23
"""Memory of an empty run."""
_PACKET = 512
"""Greatest memory of a packet in flight: the packet, the records of its port and sender, and the
same again while their lists grow."""


@dataclass(frozen=True)
class KeyMemory:
    """Memory that one key of the scenario requires."""

    place: str
    what: str
    size: int


def list_memory(plan: Plan, arrays: Arrays) -> list[KeyMemory]:
    """Return the memory of a run by key."""
    return [*_series(plan), *_periods(plan), *_queues(plan), *_traffic(plan, arrays)]


def estimate_bytes(plan: Plan, arrays: Arrays) -> int:
    """Return the least memory of a run."""
    return _LEAST + sum(part.size for part in list_memory(plan, arrays))


def check_memory(plan: Plan, arrays: Arrays, free: int | None = None) -> int | None:
    """Return the free memory, if known.

    Raises ScenarioError with the most expensive key if it cannot hold the run.
    """
    free = free_bytes() if free is None else free
    needed = estimate_bytes(plan, arrays)
    if free is None or needed <= free:
        return free
    most = max(list_memory(plan, arrays), key=lambda part: part.size)
    raise ScenarioError(
        most.place,
        f"{most.what} take about {_amount(most.size)} of memory, the whole run {_amount(needed)}; "
        f"{_amount(free)} are free",
    )


def peak_bytes(process: int | str = "self") -> int:
    """Return a process's memory peak, 0 if unknown; getrusage would include its parent's."""
    high = [line for line in _lines(f"/proc/{process}/status") if line.startswith("VmHWM:")]
    return int(high[0].split()[1]) * 1024 if high else 0


def packets_that_fit(free: int | None) -> int:
    """Return the number of packets in flight at which free memory is exhausted."""
    return sys.maxsize if free is None else max(0, free) // _PACKET


def _series(plan: Plan) -> Iterator[KeyMemory]:
    series = plan["measure"]["series"]
    if series is None:
        return
    times = plan["duration_ps"] // series["interval_ps"] + 1
    rows = times * (len(series["flows"]) + len(series["links"]) + 1)
    yield KeyMemory("measure.series.interval", f"{rows:,} rows of series", rows * _ROW_OF_SERIES)


def _periods(plan: Plan) -> Iterator[KeyMemory]:
    rows = len(plan["measure"]["periods"]) * len(plan["links"])
    yield KeyMemory("measure.periods", f"{rows:,} rows of links and periods", rows * _ROW_OF_LINK)


def _queues(plan: Plan) -> Iterator[KeyMemory]:
    """Return the memory of queues that a discipline keeps for each of its `flows`."""
    queues = (link["queue"] for link in plan["links"] if link.get("queue"))
    known = (queue for queue in queues if "own" not in queue)
    count = int(sum(_subqueues(queue["name"], queue["params"]) for queue in known))
    yield KeyMemory(
        "network.queue.flows", f"{count:,} queues of flows at all links", count * _QUEUE
    )


def _subqueues(name: str, params: Mapping[str, Any]) -> float:
    known = {param.name: param.default for param in catalog.device("queue", name).params}
    return float(params.get("flows", known.get("flows", 0)))


def _traffic(plan: Plan, arrays: Arrays) -> Iterator[KeyMemory]:
    row = _ROW_OF_FLOW if plan["measure"]["flows"] == "all" else 0
    for index, item in enumerate(plan["traffic"]):
        estimate = kind_of(item).estimate(item, arrays)
        yield KeyMemory(
            f"traffic[{index}]" if "receivers_of" in item else f"traffic[{index}].{estimate.key}",
            estimate.what,
            estimate.size + int(estimate.flows * row),
        )


def free_bytes() -> int | None:
    """Return the memory that this process may use: the machine's, its group's or its own limit."""
    limits = [_free_in_machine(), _free_in_group(), _free_of_own()]
    known = [limit for limit in limits if limit is not None]
    return min(known) if known else None


def _free_in_machine() -> int | None:
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _free_in_group() -> int | None:
    limit, used = (_lines(f"/sys/fs/cgroup/memory.{name}") for name in ("max", "current"))
    if not limit or not used or limit[0] == "max":
        return None
    return max(0, int(limit[0]) - int(used[0]))


def _free_of_own() -> int | None:
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _lines("/proc/self/statm")
    if soft == resource.RLIM_INFINITY or not pages:
        return None
    return max(0, soft - int(pages[0].split()[0]) * resource.getpagesize())


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().splitlines()
    except OSError:
        return []


def _amount(size: int) -> str:
    return f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size / 1e6:.3g} MB"
