"""Drives user-defined code with random events, as the engine calls it."""

from __future__ import annotations

import copy
import ctypes
import inspect
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from math import nan
from types import FrameType
from typing import Any

import numpy as np

from headgate.base.errors import CcaError
from headgate.plugin import python_class, state
from headgate.plugin.code_files import shorten_path
from headgate.plugin.given import try_hash_content
from headgate.plugin.interface import Event, OwnCode, Params, TableHead, Traits
from headgate.plugin.numba_class import layout

Outcomes = list[tuple[float, ...]]

SHARED = "flows share this state; keep it on self"
#: Calls with slow start after which its growth should have been seen.
FEW_GROWTHS = 10
_READ_AFTER = "write left = window.slow_start(ack.acked) first, and read window.cwnd after it"


@dataclass(frozen=True)
class TrialSize:
    """The number of flows or ports, and of events for each.

    If it is not strict, wrong values are repaired and the trial continues: only a crash counts.
    """

    states: int
    events: int
    strict: bool = True
    backwards: bool = False  # the last flow or port first

    def order(self) -> Iterable[int]:
        """Return the numbers of flows or ports in the order in which they are driven."""
        return reversed(range(self.states)) if self.backwards else range(self.states)


class Driver:
    """Calls the user-defined code of one flow or port with random events."""

    def __init__(
        self, code: OwnCode, traits: Traits, callbacks: Collection[str], note: int
    ) -> None:
        self.code, self.traits, self.callbacks, self.note = code, traits, callbacks, note
        self.trial = code.interface.trial
        self.outcomes: Outcomes = []

    def run(self, seed: int, events: int) -> Outcomes:
        """Produce random events; return the outcomes of the calls. Raises CcaError."""
        self.seed = seed
        self.trial.begin(seed, self._handle, self.traits, self.callbacks).run(events)
        return self.outcomes

    def _handle(self, event: Event, out: Any) -> None:
        if event.callback not in self.callbacks or self.trial.skips(event.callback, self.traits):
            return
        before = copy.copy(out)
        if self.note >= 0:  # a file that outlives this process
            os.pwrite(self.note, self.where(event).ljust(80).encode(), 0)
        wrong, line = self.call(event, out)
        wrong = wrong or self.trial.fault(event, before, out, self.traits)
        if wrong:
            self.reject(wrong, event, line)
            self.trial.repair(out, before)
        self.outcomes.append(tuple(getattr(out, name) for name in self.trial.outcome_fields))

    def where(self, event: Event) -> str:
        """Name the call, for messages."""
        return f"{event.callback}, event {event.number} of {self.trial.of} {self.seed}"

    def call(self, event: Event, out: Any) -> tuple[str, int]:
        """Make a call; return what was wrong apart from the values that it set, and the line."""
        raise NotImplementedError

    def reject(self, wrong: str, event: Event, line: int) -> None:
        """Raise CcaError, unless the trial continues in spite of it."""
        raise NotImplementedError


def drive_interpreted(code: OwnCode, params: Params, size: TrialSize, note: int = -1) -> Outcomes:
    """Drive a Python class in this process; return the outcomes of its calls. Raises CcaError.

    The place of each event is written to the file `note`, if there is one.
    """
    assert code.cls is not None
    before = try_hash_content(code.cls)
    drivers = {seed: _InterpretedDriver(code, params, note) for seed in size.order()}
    for seed, driver in drivers.items():
        driver.run(seed, size.events)
    if try_hash_content(code.cls) != before:
        says = f"an attribute of the class or of its module changed; {SHARED}"
        raise CcaError(code.label, says)
    _require_growth(code, drivers.values())
    return _join(drivers)


def _join(drivers: Mapping[int, Driver]) -> Outcomes:
    """Return the outcomes in the order of flows or ports."""
    return [outcome for seed in sorted(drivers) for outcome in drivers[seed].outcomes]


def _require_growth(code: OwnCode, drivers: Iterable[_InterpretedDriver]) -> None:
    """Raise CcaError if no call with slow start ended above the window with which it began."""
    kept = [one for driver in drivers for one in driver.growths]
    if len(kept) >= FEW_GROWTHS and not any(kept):
        says = f"slow_start raised cwnd in {len(kept)} calls, and each ended with the former cwnd"
        raise CcaError(code.label, f"{says}; {_READ_AFTER}")


class _InterpretedDriver(Driver):
    def __init__(self, code: OwnCode, params: Params, note: int) -> None:
        assert code.cls is not None
        self.object = python_class.make(code.cls, params)
        self.growths: list[bool] = []
        traits = python_class.traits(code.interface, code.cls, self.object)
        super().__init__(code, traits, python_class.callbacks(code.interface, code.cls), note)

    def run(self, seed: int, events: int) -> Outcomes:
        outcomes = super().run(seed, events)
        try:  # a snapshot of a run must be able to store the state
            state.dump(self.object)
        except state.NotPlainError as error:
            raise CcaError(self.code.label, str(error)) from None
        return outcomes

    def reject(self, wrong: str, event: Event, line: int) -> None:
        place = shorten_path(self.code.file) + (f", line {line}" if line else "")
        raise CcaError(place, f"{wrong} ({self.where(event)})")

    def call(self, event: Event, out: Any) -> tuple[str, int]:
        callback = getattr(self.object, event.callback)
        argument, context, native = self._make_records(event, out)
        watch = _LineWatch(lambda: self.trial.is_sound(event, native), self.file_of(callback))
        try:
            with watch:
                returned = callback(argument, context, native)
        except Exception as error:
            place = python_class.locate_error(error, self.code.file, self.where(event))
            raise CcaError(*place) from None
        for name in self.code.interface.out_fields:
            setattr(out, name, getattr(native, name))
        if (kept := self.trial.keeps_growth(native)) is not None:
            self.growths.append(kept)
        if returned is not None:
            says = f"{event.callback} returned {shorten(returned)}; set {self.code.interface.sets}"
            return f"{says} instead", 0
        return "", watch.line

    def _make_rate(self, fields: Mapping[str, Any]) -> Any:
        """Return the record of a delivery rate, which raises an exception without `wants_rate`."""
        from headgate import _native

        return _native.Rate(**fields) if self.traits["wants_rate"] else _native.Rate(interval_s=nan)

    def file_of(self, callback: Any) -> str:
        """Return the file whose lines are watched: a callback need not be a function."""
        code = getattr(inspect.unwrap(callback), "__code__", None)
        return self.code.file if code is None else str(code.co_filename)

    def where(self, event: Event) -> str:
        return f"{self.code.name}.{super().where(event)}"

    def _make_records(self, event: Event, out: Any) -> tuple[Any, Any, Any]:
        """Return the engine's own records for an event."""
        from headgate import _native

        interface, argument = self.code.interface, event.argument
        if isinstance(argument, dict):
            rate = {"rate": self._make_rate(argument["rate"])} if "rate" in argument else {}
            kind = interface.callbacks[event.callback].record or ""
            argument = getattr(_native, kind)(**(argument | rate))
        context = getattr(_native, interface.context)(**event.context)
        return argument, context, interface.trial.native(out)


class _LineWatch:
    """Finds the line of a file after which the values that a call set are wrong."""

    def __init__(self, is_sound: Callable[[], bool], file: str) -> None:
        self.is_sound, self.file = is_sound, file
        self.line = self._last = 0

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


def shorten(value: object) -> str:
    """Return a value as text of at most 60 characters."""
    return repr(value)[:60]


def drive_compiled(code: OwnCode, params: Params, size: TrialSize, note: int = -1) -> Outcomes:
    """Drive compiled code in this process; return the outcomes of its calls. Raises CcaError.

    The place of each event is written to the file `note`, if there is one.
    """
    assert code.compiled is not None
    table = code.compiled(params)
    code.hand_over(table)  # rejects a table of another version
    drivers = {
        seed: _CompiledDriver(code, table[0], note, strict=size.strict) for seed in size.order()
    }
    for seed, driver in drivers.items():
        driver.run(seed, size.events)
    return _join(drivers)


class _CompiledDriver(Driver):
    """A state, and the functions of a table, called as the engine calls them."""

    def __init__(self, code: OwnCode, struct: TableHead, note: int, *, strict: bool) -> None:
        self.strict, self.interface = strict, code.interface
        self.state = ctypes.create_string_buffer(max(struct.state_bytes, 8))
        if struct.initial:
            ctypes.memmove(self.state, struct.initial, struct.state_bytes)
        self.functions = {
            name: _function_type(callback.record)(address)
            for name, callback in self.interface.callbacks.items()
            if (address := getattr(struct, name))
        }
        super().__init__(code, self.interface.traits_of(struct), self.functions, note)

    def reject(self, wrong: str, event: Event, _line: int) -> None:
        if self.strict:
            raise CcaError(self.code.label, f"{wrong} ({self.where(event)})")

    def call(self, event: Event, out: Any) -> tuple[str, int]:
        function = self.functions[event.callback]
        context = _make_record(self.interface.context, event.context)
        native = _make_record(self.interface.out, vars(out))
        argument, kept = event.argument, None
        if isinstance(argument, dict):
            record = _make_record(self.interface.callbacks[event.callback].record or "", argument)
            kept, argument = record.copy(), record.ctypes.data
        status = int(function(self.state, argument, context.ctypes.data, native.ctypes.data))
        changed = "" if kept is None else _describe_change(kept, record)
        for name in self.interface.out_fields:
            setattr(out, name, native[name][0].item())
        return f"it returned {status}" if status else changed, 0


def _function_type(record: str | None) -> Any:
    pointer = ctypes.c_void_p
    argument = ctypes.c_double if record is None else pointer
    return ctypes.CFUNCTYPE(ctypes.c_int32, pointer, argument, pointer, pointer)


def _make_record(kind: str, fields: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    record = np.zeros(1, layout()[kind])
    _fill(record, fields)
    return record


def _fill(record: np.ndarray[Any, Any], fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        if isinstance(value, Mapping):
            _fill(record[name], value)
        else:
            record[name] = value


def _describe_change(before: np.ndarray[Any, Any], after: np.ndarray[Any, Any]) -> str:
    """Describe a change of a record that is read-only."""
    for name in before.dtype.names or ():
        old, new = before[name][0].item(), after[name][0].item()
        if old != new:
            time = "; time does not go back" if name == "now_s" and new < old else ""
            return f"{name} was changed from {old} to {new}{time}: records are to be read"
    return ""
