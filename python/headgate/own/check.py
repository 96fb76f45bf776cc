"""Drives a law with random events, and says what it does that no law may."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

from headgate.errors import LawError
from headgate.own import proof, python_class, state
from headgate.own.events import Event, Flow, Window
from headgate.own.load import OwnLaw, Params
from headgate.own.paths import shown

COURSE = proof.Course(flows=20, events=1_000)
#: As the engine has it: the largest window that is taken for meant, segments.
MOST_CWND = 1e7


@dataclass(frozen=True)
class Passed:
    """What a law was put through, and the windows it came to."""

    ways: tuple[str, ...]
    flows: int
    events: int
    smallest_cwnd: float
    largest_cwnd: float


def check(law: OwnLaw, params: Params, course: proof.Course = COURSE) -> Passed:
    """Drive the law; raise LawError with file and line at the first thing that is wrong."""
    ways: list[str] = []
    windows: dict[str, list[float]] = {}
    if law.cls is not None:
        ways.append("interpreted")
        windows["interpreted"] = (
            proof.child(law, params, course, compiled=False)
            if law.source
            else interpreted(law, params, course)
        )
    if law.compiled is not None:
        ways.append("compiled")
        windows["compiled"] = proof.drive(law, params, course)
    if len(ways) == 2:
        _same(law, windows["interpreted"], windows["compiled"])
    seen = windows[ways[0]]
    return Passed(tuple(ways), course.flows, course.events, min(seen), max(seen))


def sound(event: Event, before: Window, after: Window, *, keeps_window: bool) -> str:
    """Say what is wrong with what a law made of a window; nothing if it is a window."""
    if after.cwnd != before.cwnd and not 1 <= after.cwnd <= MOST_CWND:
        return f"cwnd became {after.cwnd:g}; it is a number from 1 to {MOST_CWND:g} segments"
    if after.ssthresh != before.ssthresh and not after.ssthresh >= 1:
        return f"ssthresh became {after.ssthresh:g}; it is at least 1 segment"
    if after.pace != before.pace and not after.pace > 0:
        return f"pace became {after.pace:g}; it is above 0 segments/s, or infinite"
    if event.callback == "on_congestion" and not keeps_window and not after.ssthresh <= MOST_CWND:
        return f"ssthresh is {after.ssthresh:g} after on_congestion, which must set it"
    return ""


def interpreted(law: OwnLaw, params: Params, course: proof.Course, note: int = -1) -> list[float]:
    """Drive a Python class in this process; give its windows. Raises LawError.

    The place of each event goes to the file `note`, if there is one.
    """
    assert law.cls is not None
    cwnds: list[float] = []
    for seed in range(course.flows):
        _Interpreted(law, law.cls, params, cwnds, note).run(seed, course.events)
    return cwnds


class _Interpreted:
    """One flow's object, called as the engine calls it."""

    def __init__(
        self, law: OwnLaw, cls: type, params: Params, cwnds: list[float], note: int
    ) -> None:
        self.law, self.cls, self.cwnds, self.note = law, cls, cwnds, note
        self.object = python_class.make(cls, params)
        self.traits = python_class.traits(cls)

    def run(self, seed: int, events: int) -> None:
        self.seed = seed
        Flow(
            seed,
            self.tell,
            per_round=self.traits["per"] == "round",
            keeps_window=self.traits["keeps_window"],
        ).run(events)
        self._keep()

    def _keep(self) -> None:
        """See that a run could be stopped and resumed with what the law keeps."""
        try:
            state.dump(self.object)
        except state.NotPlainError as error:
            raise LawError(self.law.label, str(error)) from None

    def tell(self, event: Event, window: Window) -> None:
        callback = getattr(self.object, event.callback, None)
        if callback is None or self._is_left_out(event):
            return
        before = Window(window.cwnd, window.ssthresh, window.pace)
        proof.write_place(self.note, self._where(event))
        line = self._call(callback, event, window)
        wrong = sound(event, before, window, keeps_window=self.traits["keeps_window"])
        if wrong:
            place = shown(self.law.file) + (f", line {line}" if line else "")
            raise LawError(place, f"{wrong} ({self._where(event)})")
        self.cwnds.append(window.cwnd)

    def _is_left_out(self, event: Event) -> bool:
        if event.callback == "on_recovery_ack":
            return bool(self.traits["per"] == "round")
        return event.callback == "on_segment_lost" and not self.traits["wants_rate"]

    def _call(self, callback: Callable[..., Any], event: Event, window: Window) -> int:
        """Call it; give the line after which the window was none any more, or 0."""
        given, path, native = _records(event, window)
        watch = _Watch(native, window, callback.__code__.co_filename)
        try:
            with watch:
                callback(given, path, native)
        except Exception as error:
            raise LawError(*python_class.told(error, self.law.file, self._where(event))) from None
        window.cwnd, window.ssthresh, window.pace = native.cwnd, native.ssthresh, native.pace
        return watch.line

    def _where(self, event: Event) -> str:
        return f"{self.law.name}.{event.callback}, event {event.number} of flow {self.seed}"


def _records(event: Event, window: Window) -> tuple[Any, Any, Any]:
    """Give the engine's own records for an event."""
    from headgate import law

    kinds = {"on_congestion": law.Congestion, "on_segment_lost": law.Rate}
    given: Any = event.given
    if isinstance(given, dict):
        fields = given | {"rate": law.Rate(**given["rate"])} if "rate" in given else given
        given = kinds.get(event.callback, law.Ack)(**fields)
    native = law.Window(window.cwnd, window.ssthresh, window.pace)
    return given, law.Path(**event.path), native


class _Watch:
    """Finds the line of a law's file after which a window is none any more."""

    def __init__(self, window: Any, before: Window, file: str) -> None:
        self.window, self.before, self.file = window, before, file
        self.line = 0
        self._last = 0

    def __enter__(self) -> None:
        self._outer = sys.gettrace()
        sys.settrace(self._trace)

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._outer)
        self._look()

    def _trace(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        if frame.f_code.co_filename != self.file:
            return None
        self._look()
        self._last = frame.f_lineno
        return self._trace

    def _look(self) -> None:
        window = self.window
        numbers = (window.cwnd, window.ssthresh, window.pace)
        is_window = 1 <= window.cwnd <= MOST_CWND and window.ssthresh >= 1 and window.pace > 0
        if not self.line and (any(map(math.isnan, numbers)) or not is_window):
            self.line = self._last


def _same(law: OwnLaw, plain: list[float], compiled: list[float]) -> None:
    """Hold the compiled law to what the interpreter makes of the same events."""
    for number, (one, other) in enumerate(zip(plain, compiled, strict=False), 1):
        if one != other:
            says = f"compiled, cwnd is {other!r} where Python has {one!r} (call {number} in all)"
            raise LawError(law.label, says)
