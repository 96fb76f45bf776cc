"""The interface of congestion control algorithms, `headgate_cca_v1`, and random flow events."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headgate.plugin.interface import (
    Callback,
    Event,
    EventHandler,
    Interface,
    Record,
    Traits,
    Trial,
)

if TYPE_CHECKING:
    from headgate import _native

#: A flow whose window is larger than this loses segments, as it would on a real path.
MOST_IN_FLIGHT = 1e5

LOSS, TIMEOUT, MARK = 0, 1, 2


@dataclass
class Window:
    """The values that the algorithm sets, between two calls."""

    cwnd: float = 10.0
    ssthresh: float = math.inf
    pace: float = math.inf


@dataclass
class Flow:
    """A flow with random events; equal seeds and equal windows give equal events.

    Samples are absent, equal, or far apart. Some ACKs arrive at the same instant, some after a long
    silence.
    """

    seed: int
    handle: EventHandler
    per_round: bool = False
    controls_cwnd_in_recovery: bool = False
    window: Window = field(default_factory=Window)
    now_s: float = 0.0
    number: int = 0
    srtt_s: float = 0.0
    min_rtt_s: float = math.inf
    delivered: float = 0.0
    lost: float = 0.0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.base_s = 10 ** self.random.uniform(-4, 0)
        self.window.cwnd = self.random.choice([1.0, 2.0, 10.0, 100.0])

    def run(self, events: int) -> None:
        """Establish the connection, and produce this number of events."""
        if self.random.random() < 0.8:  # otherwise the SYN was lost and there is no sample yet
            self._sample(self.base_s)
        self._call("on_start", self.now_s)
        while self.number < events:
            self._step()

    def _step(self) -> None:
        self._wait()
        if self.window.cwnd > MOST_IN_FLIGHT:
            return self._lose(LOSS)
        chance = self.random.random()
        if chance < 0.002:
            return self._lose(TIMEOUT)
        if chance < 0.01:
            return self._lose(LOSS)
        if chance < 0.015:
            return self._lose(MARK)
        return self._ack()

    def _wait(self) -> None:
        """Advance time by a part of a round trip, by nothing, or by a long time."""
        chance = self.random.random()
        if chance < 0.001:
            self.now_s += self.random.choice([10.0, 300.0])
        elif chance < 0.9:
            self.now_s += self.base_s * self.random.random() * 2 / max(self.in_flight, 1)

    def _ack(self) -> None:
        acked = (
            float(self.in_flight) if self.per_round else self.random.choice([1.0, 1.0, 2.0, 9.0])
        )
        rtt_s = self._rtt()
        if rtt_s:
            self._sample(rtt_s)
        self._call("on_ack", self._ack_record(acked, rtt_s))

    def _ack_record(self, acked: float, rtt_s: float, *, recovers: bool = False) -> Record:
        self.delivered += acked
        marked = acked if self.random.random() < 0.01 else 0.0
        return {
            "now_s": self.now_s,
            "acked": acked,
            "rtt_s": rtt_s,
            "in_flight": self.in_flight,
            "round_start": self.per_round or self.random.random() < 1 / max(self.in_flight, 1),
            "cwnd_limited": not marked and self.random.random() < 0.9,
            "recovers": recovers,
            "after_timeout": False,
            "marked": marked,
            "rate": self._rate(acked),
            "paced": math.isfinite(self.window.pace),
        }

    def _rate(self, newly: float) -> Record:
        rtt_s = max(self.srtt_s, 1e-6)
        return {
            "per_s": self.random.choice([0.0, self.in_flight / rtt_s]),
            "interval_s": rtt_s,
            "delivered": self.delivered,
            "newly": newly,
            "prior": max(self.delivered - self.in_flight, 0.0),
            "then_in_flight": float(self.in_flight),
            "lost": self.lost,
            "lost_since": 0.0,
            "newly_lost": 0.0,
            "in_flight": float(self.in_flight),
            "rtt_s": self._rtt(),
            "wait_s": self.random.choice([0.0, 1e-3]),
            "app_limited": self.random.random() < 0.05,
        }

    def _lose(self, cause: int) -> None:
        """Report congestion, and change the window as the transport does."""
        in_flight, before = self.in_flight, self.window.cwnd
        if cause == TIMEOUT:
            self.window.cwnd = 1.0
        if cause != MARK:
            self.lost += 1.0
            self._call("on_segment_lost", self._rate(0.0))
        event = {"cause": cause, "now_s": self.now_s, "in_flight": in_flight}
        self._call("on_congestion", event)
        if cause == LOSS:
            for _ in range(self.random.randrange(4)):
                self._wait()
                self._call("on_recovery_ack", self._ack_record(1.0, self._rtt(), recovers=True))
        if cause != TIMEOUT:
            if not self.controls_cwnd_in_recovery:
                self.window.cwnd = self.window.ssthresh
            self._call("on_recovered", self.now_s)
            if cause == LOSS and self.random.random() < 0.2:
                self._undo(before)

    def _undo(self, before: float) -> None:
        """Restore the window after a needless reduction, as the transport does, and report it."""
        if not self.controls_cwnd_in_recovery:
            self.window.cwnd = max(self.window.cwnd, before)
        self._call("on_undo", before)

    def _rtt(self) -> float:
        chance = self.random.random()
        if chance < 0.05:
            return 0.0
        return self.base_s * (1.0 if chance < 0.3 else 1.0 + 10 * self.random.random() ** 3)

    def _sample(self, rtt_s: float) -> None:
        self.min_rtt_s = min(self.min_rtt_s, rtt_s)
        self.srtt_s = 0.875 * self.srtt_s + 0.125 * rtt_s if self.srtt_s else rtt_s

    def _call(self, callback: str, argument: Record | float) -> None:
        path = {"srtt_s": self.srtt_s, "min_rtt_s": self.min_rtt_s, "segment_bytes": 1500}
        self.number += 1
        self.handle(Event(callback, argument, path, self.number), self.window)

    @property
    def in_flight(self) -> int:
        """Segments in flight: the whole segments of the window."""
        return int(self.window.cwnd)


#: The largest window that the engine accepts, segments.
MOST_CWND = 1e7


def _flags(traits: Traits) -> Mapping[str, bool]:
    return {
        "per_round": traits["per"] == "round",
        "controls_cwnd_in_recovery": traits["controls_cwnd_in_recovery"],
        "wants_rate": traits["wants_rate"],
        "echo_latched": traits["echo"] == "latched",
        "echo_accurate": traits["echo"] == "accurate",
    }


def _traits_from_flags(flags: Collection[str]) -> Traits:
    accurate = "accurate" if "echo_accurate" in flags else "none"
    return {
        "per": "round" if "per_round" in flags else "ack",
        "controls_cwnd_in_recovery": "controls_cwnd_in_recovery" in flags,
        "wants_rate": "wants_rate" in flags,
        "echo": "latched" if "echo_latched" in flags else accurate,
    }


def _slow_start(window: Any, acked: Any) -> Any:
    step = min(acked, max(window.ssthresh - window.cwnd, 0.0))
    window.cwnd += step
    return acked - step


def _make_native(
    label: str, code: tuple[Any, Any, Any], traits: Traits, _callbacks: Collection[str]
) -> _native.OwnCode:
    from headgate import _native

    return _native.OwnCode.cca(
        label,
        code,
        per_round=traits["per"] == "round",
        controls_cwnd_in_recovery=traits["controls_cwnd_in_recovery"],
        wants_rate=traits["wants_rate"],
        echo=traits["echo"],
    )


def _begin(seed: int, handle: EventHandler, traits: Traits, _callbacks: Collection[str]) -> Flow:
    return Flow(seed, handle, traits["per"] == "round", traits["controls_cwnd_in_recovery"])


def _fault(event: Event, before: Window, after: Window, traits: Traits) -> str:
    if after.cwnd != before.cwnd and not 1 <= after.cwnd <= MOST_CWND:
        return f"cwnd became {after.cwnd:g}; it must be from 1 to {MOST_CWND:g} segments"
    if after.ssthresh != before.ssthresh and not after.ssthresh >= 1:
        return f"ssthresh became {after.ssthresh:g}; it must be at least 1 segment"
    if after.pace != before.pace and not after.pace > 0:
        return f"pace became {after.pace:g}; it must be above 0 segments/s, or infinite"
    must_set = event.callback == "on_congestion" and not traits["controls_cwnd_in_recovery"]
    if must_set and not after.ssthresh <= MOST_CWND:
        return f"ssthresh is {after.ssthresh:g} after on_congestion, which must set it"
    return ""


def _is_sound(_event: Event, window: Any) -> bool:
    numbers = (window.cwnd, window.ssthresh, window.pace)
    is_window = 1 <= window.cwnd <= MOST_CWND and window.ssthresh >= 1 and window.pace > 0
    return is_window and not any(map(math.isnan, numbers))


def _repair(window: Window, before: Window) -> None:
    window.cwnd, window.ssthresh = before.cwnd, max(before.cwnd / 2, 2.0)
    window.pace = math.inf


def _skips(callback: str, traits: Traits) -> bool:
    if callback == "on_recovery_ack":
        return bool(traits["per"] == "round")
    return callback == "on_segment_lost" and not traits["wants_rate"]


def _keeps_growth(window: Any) -> bool | None:
    grown = window._grown
    return None if grown is None else bool(window.cwnd > grown[0])


def _native_window(window: Window) -> Any:
    from headgate import _native

    return _native.Window(window.cwnd, window.ssthresh, window.pace)


def _sum_up(windows: list[tuple[float, ...]]) -> Mapping[str, float]:
    cwnds = [cwnd for (cwnd,) in windows]
    return {"smallest_cwnd": min(cwnds), "largest_cwnd": max(cwnds)}


_ACK = Callback(("ack", "path", "window"), "Ack")
_TIME = Callback(("now_s", "path", "window"), None)

CCA = Interface(
    noun="algorithm",
    table="headgate_cca_v1",
    version=1,
    symbol="cca",
    callbacks={
        "on_start": _TIME,
        "on_ack": _ACK,
        "on_recovery_ack": _ACK,
        "on_segment_lost": Callback(("sent", "path", "window"), "Rate"),
        "on_congestion": Callback(("event", "path", "window"), "Congestion"),
        "on_recovered": _TIME,
        "on_undo": Callback(("cwnd_before", "path", "window"), None),
    },
    required=(("on_ack",), ("on_congestion",)),
    traits={
        "per": ("ack", "round"),
        "controls_cwnd_in_recovery": (False, True),
        "wants_rate": (False, True),
        "echo": ("none", "latched", "accurate"),
    },
    numbers={},
    flags=_flags,
    traits_from_flags=_traits_from_flags,
    flag_bits={
        "per_round": 1,
        "controls_cwnd_in_recovery": 2,
        "wants_rate": 4,
        "echo_latched": 8,
        "echo_accurate": 16,
    },
    context="Path",
    out="Window",
    sets="window.cwnd",
    out_fields=("cwnd", "ssthresh", "pace"),
    methods={
        "slow_start": _slow_start,
        "slow_starts": lambda window: window.cwnd < window.ssthresh,
    },
    make_native=_make_native,
    trial=Trial(
        of="flow",
        begin=_begin,
        fault=_fault,
        is_sound=_is_sound,
        repair=_repair,
        skips=_skips,
        keeps_growth=_keeps_growth,
        native=_native_window,
        outcome_fields=("cwnd",),
        sum_up=_sum_up,
        describe="cwnd from {smallest_cwnd:.4g} to {largest_cwnd:.4g} segments".format_map,
    ),
)
