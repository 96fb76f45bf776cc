"""The interface of laws of congestion control: `headgate_law_v1`."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from headgate.plugin.flow_events import Flow, Window
from headgate.plugin.interface import Callback, Event, Interface, Tell, Traits, Trial

if TYPE_CHECKING:
    from headgate import _native

#: As the engine has it: the largest window that is taken for meant, segments.
MOST_CWND = 1e7


def _flags(traits: Traits) -> Mapping[str, bool]:
    return {
        "per_round": traits["per"] == "round",
        "controls_cwnd_in_recovery": traits["controls_cwnd_in_recovery"],
        "wants_rate": traits["wants_rate"],
        "echo_latched": traits["echo"] == "latched",
        "echo_accurate": traits["echo"] == "accurate",
    }


def _said_by(flags: Collection[str]) -> Traits:
    accurate = "accurate" if "echo_accurate" in flags else "none"
    return {
        "per": "round" if "per_round" in flags else "ack",
        "controls_cwnd_in_recovery": "controls_cwnd_in_recovery" in flags,
        "wants_rate": "wants_rate" in flags,
        "echo": "latched" if "echo_latched" in flags else accurate,
    }


def _slow_starts(window: Any) -> Any:
    return window.cwnd < window.ssthresh


def _slow_start(window: Any, acked: Any) -> Any:
    step = min(acked, max(window.ssthresh - window.cwnd, 0.0))
    window.cwnd += step
    return acked - step


def _in_engine(
    label: str, code: tuple[Any, Any, Any], traits: Traits, _callbacks: Collection[str]
) -> _native.OwnCode:
    from headgate import _native

    return _native.OwnCode.law(
        label,
        code,
        per_round=traits["per"] == "round",
        controls_cwnd_in_recovery=traits["controls_cwnd_in_recovery"],
        wants_rate=traits["wants_rate"],
        echo=traits["echo"],
    )


def _begin(seed: int, tell: Tell, traits: Traits, _callbacks: Collection[str]) -> Flow:
    return Flow(
        seed,
        tell,
        per_round=traits["per"] == "round",
        controls_cwnd_in_recovery=traits["controls_cwnd_in_recovery"],
    )


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


def _native_window(window: Window) -> Any:
    from headgate import _native

    return _native.Window(window.cwnd, window.ssthresh, window.pace)


def _sum_up(windows: list[tuple[float, ...]]) -> Mapping[str, float]:
    cwnds = [cwnd for (cwnd,) in windows]
    return {"smallest_cwnd": min(cwnds), "largest_cwnd": max(cwnds)}


_ACK = Callback(("ack", "path", "window"), "Ack")
_TIME = Callback(("now_s", "path", "window"), None)
_BEFORE = Callback(("cwnd_before", "path", "window"), None)

LAW = Interface(
    noun="law",
    table="headgate_law_v1",
    version=1,
    symbol="law",
    callbacks={
        "on_start": _TIME,
        "on_ack": _ACK,
        "on_recovery_ack": _ACK,
        "on_segment_lost": Callback(("sent", "path", "window"), "Rate"),
        "on_congestion": Callback(("event", "path", "window"), "Congestion"),
        "on_recovered": _TIME,
        "on_undo": _BEFORE,
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
    said_by=_said_by,
    flag_bits={
        "per_round": 1,
        "controls_cwnd_in_recovery": 2,
        "wants_rate": 4,
        "echo_latched": 8,
        "echo_accurate": 16,
    },
    around="Path",
    out="Window",
    out_fields=("cwnd", "ssthresh", "pace"),
    methods={"slow_start": _slow_start, "slow_starts": _slow_starts},
    in_engine=_in_engine,
    trial=Trial(
        of="flow",
        begin=_begin,
        fault=_fault,
        is_sound=_is_sound,
        repair=_repair,
        skips=_skips,
        native=_native_window,
        outcome_fields=("cwnd",),
        sum_up=_sum_up,
        tell="cwnd from {smallest_cwnd:.4g} to {largest_cwnd:.4g} segments".format_map,
    ),
)
