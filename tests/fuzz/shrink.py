"""A smaller scenario with the same finding: leave things out, then say them more plainly."""

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

from .draw import Scenario
from .scenarios import parent, places

#: A plain value of each kind, which can replace any other of that kind.
PLAIN: dict[str, Any] = {
    "cca": "reno",
    "queue": "drop_tail",
    "buffer": "infinite",
    "size": "1 packets",
    "count": 1,
    "users": 1,
    "hops": 1,
    "seed": 1,
    "rate": "1000000 bit/s",
    "rtt": "10 ms",
}


def same(finding: str) -> str:
    """Return the text of a finding without its numbers; equal findings share it."""
    return re.sub(r"[-+]?\d[\d.e+-]*", "#", finding)


def shrink(scenario: Scenario, holds: Callable[[Scenario], bool], tries: int = 300) -> Scenario:
    """Make a scenario small, as long as the finding holds, in at most `tries` tries."""
    left, before = tries, None
    while before != scenario:
        before = scenario
        for smaller in candidates(scenario):
            if left == 0:
                return scenario
            left -= 1
            if holds(smaller):
                scenario = smaller
                break
    return scenario


def candidates(scenario: Scenario) -> Iterator[Scenario]:
    """Yield scenarios that are a little smaller, without large parts first."""
    paths = sorted(places(scenario), key=len)
    for path in paths:
        yield without(scenario, path)
    for path in paths:
        old = parent(scenario, path)[path[-1]]
        for new in plainer(path[-1], old):
            yield changed(scenario, path, new)


def without(scenario: Scenario, path: tuple[Any, ...]) -> Scenario:
    smaller = copy.deepcopy(scenario)
    del parent(smaller, path)[path[-1]]
    return smaller


def changed(scenario: Scenario, path: tuple[Any, ...], new: Any) -> Scenario:
    other = copy.deepcopy(scenario)
    parent(other, path)[path[-1]] = new
    return other


def plainer(key: Any, old: Any) -> Iterator[Any]:
    """Yield values that are simpler than a value."""
    if isinstance(old, dict) and len(old) > 1:
        yield from (old[name] for name in ("name", "kind", "preset") if name in old)
    if key in PLAIN and old != PLAIN[key]:
        yield PLAIN[key]
    if isinstance(old, str) and (time := re.fullmatch(r"(\d\d)(\d+) ps", old)) and int(time[2]):
        yield f"{time[1]}{'0' * len(time[2])} ps"  # two digits
