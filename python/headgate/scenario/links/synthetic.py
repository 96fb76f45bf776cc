"""Synthetic traces and courses of typical links, random from a seed.

Each is a chain of states that steps by random integers, so that its bits are equal on all machines.
docs/reference/links.md lists their statistics. Measured traces are read from files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

Milliseconds = NDArray[np.int64]
"""Times, shape (opportunities,), in order."""

_TRACE_MS = 60_000
_BITS = 12_000  # of an opportunity

#: Bit/s/Hz by channel quality indicator 1 to 15, x 10^4: 3GPP TS 36.213 table 7.2.3-1.
_LTE = (1523, 2344, 3770, 6016, 8770, 11758, 14766, 19141, 24063, 27305, 33223, 39023, 45234,
        51152, 55547)  # fmt: skip
#: The same with 256-QAM: 3GPP TS 38.214 table 5.2.2.1-3.
_NR = (1523, 3770, 8770, 14766, 19141, 24063, 27305, 33223, 39023, 45234, 51152, 55547, 62266,
       69141, 74063)  # fmt: skip
#: Resource elements for data in a millisecond: 10 MHz of LTE; 100 MHz of NR, two layers, three of
#: four slots down; a quarter is overhead.
_LTE_ELEMENTS, _NR_ELEMENTS = 6_300, 103_000
#: Mbit/s of IEEE 802.11n, two streams in 40 MHz, short guard interval.
_HT40 = (30, 60, 90, 120, 180, 240, 270, 300)


def make_trace(name: str, seed: int) -> Milliseconds:
    """Make the synthetic trace of that name, which lasts one minute."""
    return _TRACES[name](seed)


def make_course(name: str, seed: int) -> tuple[Milliseconds, dict[str, NDArray[np.float64]], int]:
    """Make the synthetic course of that name: times (ms), columns, and its period (ms)."""
    return _COURSES[name](seed)


def _draw(seed: int) -> Iterator[int]:
    """Yield random integers of 64 bits."""
    bits = np.random.PCG64(seed)
    while True:
        yield from bits.random_raw(4096).tolist()


def _cellular(
    seed: int, efficiency: tuple[int, ...], elements: int, *, users: int, blocked: bool
) -> Milliseconds:
    """Follow a channel that fades around its middle, in a cell shared with other users."""
    draw = _draw(seed)
    quality, sharing, blocked_until, credit = 8, 1, 0, 0
    times: list[int] = []
    for ms in range(1, _TRACE_MS + 1):
        if ms % 10 == 0:
            quality = _fade(quality, next(draw))
            sharing = 1 + next(draw) % users if next(draw) % 50 == 0 else sharing
            if blocked and next(draw) % 400 == 0:
                blocked_until = ms + 50 + next(draw) % 450
        now = 1 if ms < blocked_until else quality
        credit += efficiency[now - 1] * elements // sharing
        many, credit = divmod(credit, _BITS * 10_000)
        times += [ms] * many
    return np.array(times, dtype=np.int64)


def _fade(quality: int, drawn: int) -> int:
    """Step within 1 to 15; the stationary distribution is binomial, 14 coins."""
    step = drawn % 56
    return quality + (step < 15 - quality) - (step >= 56 - (quality - 1))


def _wifi(seed: int) -> Milliseconds:
    """Follow a station that waits for the medium, and then sends many frames."""
    draw = _draw(seed)
    now_us, rate, times = 0, 5, list[int]()
    while now_us < 1000 * _TRACE_MS:
        if next(draw) % 20 == 0:
            rate = min(max(rate - 1 + 2 * (next(draw) % 2), 0), len(_HT40) - 1)
        others = next(draw) % 4
        now_us += 34 + 9 * (next(draw) % 16) + 1500 * others  # DIFS, back-off, others' turns
        frames = 8 + next(draw) % 25
        now_us += 100 + frames * _BITS // _HT40[rate]
        times += [-(-now_us // 1000)] * frames
    return np.array([time for time in times if time <= _TRACE_MS], dtype=np.int64)


#: Period of a new satellite, and steps of its movement, ms.
_DEAL_MS, _MOVE_MS = 15_000, 1_000
_DEALS = 40


def _leo(seed: int) -> tuple[Milliseconds, dict[str, NDArray[np.float64]], int]:
    """Follow a path over satellites in low orbit: another one every 15 s, after a gap."""
    draw = _draw(seed)
    rows: list[tuple[int, int, int, float]] = []
    for begin in range(0, _DEALS * _DEAL_MS, _DEAL_MS):
        delay_us, rate_mbps = 12_000 + next(draw) % 16_000, 40 + next(draw) % 200
        drift_us = next(draw) % 401 - 200
        gap_ms = 40 + next(draw) % 120
        rows.append((begin, rate_mbps, delay_us, 0.6))
        rows.append((begin + gap_ms, rate_mbps, delay_us, 0.0005))
        for step in range(_MOVE_MS, _DEAL_MS, _MOVE_MS):
            delay_us += drift_us
            rows.append((begin + step, rate_mbps, delay_us, 0.0005))
    at, rate, delay, loss = (np.array(column) for column in zip(*rows, strict=True))
    values = {"rate_bps": rate * 1e6, "delay_s": delay / 1e6, "loss": loss}
    return at.astype(np.int64), values, _DEALS * _DEAL_MS


_TRACES: Mapping[str, Callable[[int], Milliseconds]] = {
    "4g": lambda seed: _cellular(seed, _LTE, _LTE_ELEMENTS, users=4, blocked=False),
    "5g": lambda seed: _cellular(seed, _NR, _NR_ELEMENTS, users=8, blocked=True),
    "wifi": _wifi,
}
_COURSES = {"leo": _leo}
TRACES, COURSES = tuple(_TRACES), tuple(_COURSES)
