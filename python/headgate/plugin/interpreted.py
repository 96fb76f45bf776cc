"""Drives a law that the interpreter runs, event by event, as the engine calls it."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from headgate.errors import LawError
from headgate.plugin import python_class, state
from headgate.plugin.course import MOST_CWND, Course, sound, write_place
from headgate.plugin.events import Event, Flow, Window
from headgate.plugin.own_law import OwnLaw, Params
from headgate.plugin.paths import shorten_path


def drive_interpreted(law: OwnLaw, params: Params, course: Course, note: int = -1) -> list[float]:
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
        write_place(self.note, self._where(event))
        line = self._call(callback, event, window)
        wrong = sound(event, before, window, keeps_window=self.traits["keeps_window"])
        if wrong:
            place = shorten_path(self.law.file) + (f", line {line}" if line else "")
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
            raise LawError(
                *python_class.locate_error(error, self.law.file, self._where(event))
            ) from None
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
