"""Completion times of transfers: by formula, and flow by flow at ideal servers.

Sizes are in packets, rates in packets/s, times in seconds. A wrong input raises ScenarioError.
"""

from __future__ import annotations

import heapq
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headgate.base.errors import ScenarioError

Numbers = NDArray[np.float64]


def compute_processor_sharing(
    size_packets: ArrayLike, rate_packets_s: float, load: float, rtt_s: float
) -> Numbers:
    """Return when the receiver holds the last packet, if all flows share the link equally.

    `1.5 rtt + L/(C (1 - load))`: a handshake, the mean time in an M/G/1 server with processor
    sharing, which is the same for every distribution of sizes, and the way of the last packet
    (Dukkipati, McKeown 2006). `load` is the arriving share of the rate, below 1.
    """
    _check(rate_packets_s, rtt_s)
    if not 0 <= load < 1:
        raise ScenarioError("load", f"must be a number from 0 to below 1; got {load!r}")
    return np.asarray(1.5 * rtt_s + _sizes(size_packets) / (rate_packets_s * (1 - load)))


def compute_slow_start(size_packets: ArrayLike, rate_packets_s: float, rtt_s: float) -> Numbers:
    """Return the time until the receiver holds the last packet of a flow that doubles from one.

    `(log2(L + 1) + 0.5) rtt + L/C`, with fractions of rounds, without losses and without a largest
    window (Dukkipati, McKeown 2006).
    """
    _check(rate_packets_s, rtt_s)
    size = _sizes(size_packets)
    return np.asarray((np.log2(size + 1) + 0.5) * rtt_s + size / rate_packets_s)


def compute_slow_start_ns2(
    size_packets: ArrayLike, rate_packets_s: float, rtt_s: float, *, first_packets: float = 2.0
) -> Numbers:
    """Return the time until the sender receives the last ACK, in whole rounds.

    `rtt (1 + r) + last/C` with `r = ceil(log2(L/first + 1))` rounds, of which the last sends the
    remaining packets: a handshake, then a window that doubles from `first_packets` (2 in ns-2.35),
    one ACK per packet. Derived; without losses and without a largest window.
    """
    _check(rate_packets_s, rtt_s)
    if not 0 < first_packets < math.inf:
        raise ScenarioError("first_packets", f"must be a number above 0; got {first_packets!r}")
    size = _sizes(size_packets)
    rounds = np.ceil(np.log2(size / first_packets + 1))
    last = size - first_packets * (2 ** (rounds - 1) - 1)
    return np.asarray(rtt_s * (1 + rounds) + last / rate_packets_s)


def serve_equally(start_s: ArrayLike, size_packets: ArrayLike, rate_packets_s: float) -> Numbers:
    """Return the time that each flow spends in a server that all present flows share equally.

    Exact, for flows in the order of their start. While n flows are present, each receives C/n. Let
    v be the packets that a permanent flow would have received. A flow that arrives at v leaves at v
    plus its size, so a heap of these values is the whole state (Kleinrock 1967).
    """
    starts, sizes = _flows(start_s, size_packets, rate_packets_s)
    arrivals = starts.tolist()
    left = [math.nan] * len(arrivals)
    leaving: list[tuple[float, int]] = []
    now = served = 0.0
    for flow, (arrival, size) in enumerate(
        zip([*arrivals, math.inf], [*sizes.tolist(), 0.0], strict=True)
    ):
        while leaving:
            until_s = (leaving[0][0] - served) * len(leaving) / rate_packets_s
            if now + until_s > arrival:
                served += (arrival - now) * rate_packets_s / len(leaving)
                break
            now += until_s
            served, first = heapq.heappop(leaving)
            left[first] = now
        if not leaving:
            served = 0.0  # nobody remembers it, and small numbers keep their digits
        now = arrival
        if flow < len(arrivals):
            heapq.heappush(leaving, (served + size, flow))
    return np.array(left) - starts


def serve_shortest_first(
    start_s: ArrayLike, size_packets: ArrayLike, rate_packets_s: float
) -> Numbers:
    """Return the time that each flow spends in a server of the shortest remaining flow.

    Exact, for flows in the order of their start. No order of service gives a smaller mean (Schrage
    1968).
    """
    starts, sizes = _flows(start_s, size_packets, rate_packets_s)
    arrivals = starts.tolist()
    left = [math.nan] * len(arrivals)
    waiting: list[tuple[float, int]] = []
    now = 0.0
    for flow, (arrival, size) in enumerate(
        zip([*arrivals, math.inf], [*sizes.tolist(), 0.0], strict=True)
    ):
        now = _serve(waiting, now, arrival, rate_packets_s, left)
        if flow < len(arrivals):
            heapq.heappush(waiting, (size, flow))
    return np.array(left) - starts


def _serve(
    waiting: list[tuple[float, int]],
    now: float,
    until: float,
    rate_packets_s: float,
    left: list[float],
) -> float:
    while waiting:
        remaining, first = waiting[0]
        ends = now + remaining / rate_packets_s
        if ends > until:
            heapq.heapreplace(waiting, (remaining - (until - now) * rate_packets_s, first))
            break
        heapq.heappop(waiting)
        left[first] = now = ends
    return until


def _check(rate_packets_s: float, rtt_s: float = 0.0) -> None:
    if not 0 < rate_packets_s < math.inf:
        raise ScenarioError("rate_packets_s", f"must be a rate above 0; got {rate_packets_s!r}")
    if not 0 <= rtt_s < math.inf:
        raise ScenarioError("rtt_s", f"must be a time of 0 or more; got {rtt_s!r}")


def _numbers(place: str, values: ArrayLike) -> Numbers:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ScenarioError(
            place, f"must be a number or a list of numbers; got {values!r}"
        ) from None


def _sizes(size_packets: ArrayLike) -> Numbers:
    sizes = _numbers("size_packets", size_packets)
    wrong = sizes[~((sizes > 0) & np.isfinite(sizes))]
    if wrong.size:
        raise ScenarioError("size_packets", f"must be sizes above 0; got {wrong.flat[0]:g}")
    return sizes


def _flows(
    start_s: ArrayLike, size_packets: ArrayLike, rate_packets_s: float
) -> tuple[Numbers, Numbers]:
    _check(rate_packets_s)
    starts, sizes = _numbers("start_s", start_s), _sizes(size_packets)
    if starts.ndim != 1 or starts.shape != sizes.shape:
        says = f"must be a list of {sizes.size} times, one per size; got {starts.size}"
        raise ScenarioError("start_s", says)
    if not np.isfinite(starts).all() or (np.diff(starts) < 0).any():
        raise ScenarioError("start_s", "must be in ascending order")
    return starts, sizes
