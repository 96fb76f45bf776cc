"""The same flows at an ideal server: processor sharing, and the shortest remaining flow first."""

from __future__ import annotations

import heapq
import math

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.float64]


def processor_sharing(start_s: Times, packets: NDArray[np.uint64], packets_per_s: float) -> Times:
    """Time that each flow spends in a server that all flows there share equally; in order of start.

    While n flows are there, each gets C/n. With v the packets that a flow there all the time would
    have got, one that comes at v leaves at v and its size: a heap of these is the whole state.
    """
    arrivals, sizes = start_s.tolist(), packets.astype(float).tolist()
    left = [math.nan] * len(arrivals)
    leaving: list[tuple[float, int]] = []
    now = served = 0.0
    for flow, (arrival, size) in enumerate(zip([*arrivals, math.inf], [*sizes, 0.0], strict=True)):
        while leaving:
            until_s = (leaving[0][0] - served) * len(leaving) / packets_per_s
            if now + until_s > arrival:
                served += (arrival - now) * packets_per_s / len(leaving)
                break
            now += until_s
            served, first = heapq.heappop(leaving)
            left[first] = now
        if not leaving:
            served = 0.0  # nobody remembers it, and small numbers keep their digits
        now = arrival
        if flow < len(arrivals):
            heapq.heappush(leaving, (served + size, flow))
    return np.array(left) - start_s


def shortest_first(start_s: Times, packets: NDArray[np.uint64], packets_per_s: float) -> Times:
    """Time that each flow spends in a server of the shortest remaining flow; in order of start."""
    arrivals, sizes = start_s.tolist(), packets.astype(float).tolist()
    left = [math.nan] * len(arrivals)
    waiting: list[tuple[float, int]] = []
    now = 0.0
    for flow, (arrival, size) in enumerate(zip([*arrivals, math.inf], [*sizes, 0.0], strict=True)):
        now = _serve(waiting, now, arrival, packets_per_s, left)
        if flow < len(arrivals):
            heapq.heappush(waiting, (size, flow))
    return np.array(left) - start_s


def _serve(
    waiting: list[tuple[float, int]],
    now: float,
    until: float,
    packets_per_s: float,
    left: list[float],
) -> float:
    """Serve the shortest of them up to the next arrival."""
    while waiting:
        remaining, first = waiting[0]
        ends = now + remaining / packets_per_s
        if ends > until:
            heapq.heapreplace(waiting, (remaining - (until - now) * packets_per_s, first))
            break
        heapq.heappop(waiting)
        left[first] = now = ends
    return until
