"""Drives own code that the interpreter runs, event by event, as the engine calls it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from headgate.base.errors import LawError
from headgate.plugin import python_class, state
from headgate.plugin.course import Course
from headgate.plugin.driver import Driver, Outcomes
from headgate.plugin.interface import Event
from headgate.plugin.own_code import OwnCode, Params
from headgate.plugin.paths import shorten_path


def drive_interpreted(code: OwnCode, params: Params, course: Course, note: int = -1) -> Outcomes:
    """Drive a Python class in this process; give what its calls came to. Raises LawError.

    The place of each event goes to the file `note`, if there is one.
    """
    assert code.cls is not None
    outcomes: Outcomes = []
    for seed in range(course.states):
        outcomes += _Interpreted(code, code.cls, params, note).run(seed, course.events)
    return outcomes


class _Interpreted(Driver):
    """One object, called as the engine calls it."""

    def __init__(self, code: OwnCode, cls: type, params: Params, note: int) -> None:
        self.object = python_class.make(cls, params)
        traits = python_class.traits(code.interface, cls, self.object)
        super().__init__(code, traits, python_class.callbacks(code.interface, cls), note)

    def run(self, seed: int, events: int) -> Outcomes:
        outcomes = super().run(seed, events)
        try:  # could a run be stopped and resumed with what the code keeps?
            state.dump(self.object)
        except state.NotPlainError as error:
            raise LawError(self.code.label, str(error)) from None
        return outcomes

    def refuse(self, wrong: str, event: Event, line: int) -> None:
        place = shorten_path(self.code.file) + (f", line {line}" if line else "")
        raise LawError(place, f"{wrong} ({self.where(event)})")

    def call(self, event: Event, out: Any) -> tuple[str, int]:
        callback = getattr(self.object, event.callback)
        given, around, native = _records(self.code, event, out)
        watch = _Watch(lambda: self.trial.is_sound(event, native), callback.__code__.co_filename)
        try:
            with watch:
                callback(given, around, native)
        except Exception as error:
            raise LawError(
                *python_class.locate_error(error, self.code.file, self.where(event))
            ) from None
        for name in self.code.interface.out_fields:
            setattr(out, name, getattr(native, name))
        return "", watch.line

    def where(self, event: Event) -> str:
        return f"{self.code.name}.{super().where(event)}"


def _records(code: OwnCode, event: Event, out: Any) -> tuple[Any, Any, Any]:
    """Return the engine's own records for an event."""
    from headgate import _native

    interface = code.interface
    given: Any = event.given
    if isinstance(given, dict):
        fields = given | {"rate": _native.Rate(**given["rate"])} if "rate" in given else given
        given = getattr(_native, interface.callbacks[event.callback].record or "")(**fields)
    around = getattr(_native, interface.around)(**event.around)
    return given, around, interface.trial.native(out)


class _Watch:
    """Finds the line of a file after which what a call set is not right any more."""

    def __init__(self, is_sound: Callable[[], bool], file: str) -> None:
        self.is_sound, self.file = is_sound, file
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
        if not self.line and not self.is_sound():
            self.line = self._last
