"""Drives own code that is compiled: its table of functions, called as the engine calls it."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np

from headgate.base.errors import LawError
from headgate.plugin.course import Course
from headgate.plugin.driver import Driver, Outcomes
from headgate.plugin.interface import Event
from headgate.plugin.numba_class import layout
from headgate.plugin.own_code import OwnCode, Params
from headgate.plugin.table import Head


def drive_compiled(code: OwnCode, params: Params, course: Course, note: int = -1) -> Outcomes:
    """Drive compiled code in this process; give what its calls came to. Raises LawError.

    The place of each event goes to the file `note`, if there is one.
    """
    assert code.compiled is not None
    table = code.compiled(params)
    code.hand_over(table)  # refuses what is not a table of this version
    outcomes: Outcomes = []
    for seed in range(course.states):
        outcomes += _Compiled(code, table[0], note, strict=course.strict).run(seed, course.events)
    return outcomes


class _Compiled(Driver):
    """A state, and the functions of a table, called as the engine calls them."""

    def __init__(self, code: OwnCode, struct: Head, note: int, *, strict: bool) -> None:
        self.strict, self.interface = strict, code.interface
        self.state = ctypes.create_string_buffer(max(struct.state_bytes, 8))
        if struct.initial:
            ctypes.memmove(self.state, struct.initial, struct.state_bytes)
        self.functions = {
            name: _form(callback.record)(address)
            for name, callback in self.interface.callbacks.items()
            if (address := getattr(struct, name))
        }
        super().__init__(code, self.interface.traits_of(struct), self.functions, note)

    def refuse(self, wrong: str, event: Event, _line: int) -> None:
        if self.strict:
            raise LawError(self.code.label, f"{wrong} ({self.where(event)})")

    def call(self, event: Event, out: Any) -> tuple[str, int]:
        function, kind = self.functions[event.callback], self.interface.callbacks[event.callback]
        around = _record(self.interface.around, event.around)
        changed_to = _record(self.interface.out, vars(out))
        given, changed = event.given, ""
        if isinstance(given, dict):
            record = _record(kind.record or "", given)
            kept = record.copy()
            status = self._run(function, record.ctypes.data, around, changed_to)
            changed = _describe_change(kept, record)
        else:
            status = self._run(function, given, around, changed_to)
        for name in self.interface.out_fields:
            setattr(out, name, changed_to[name][0].item())
        return _describe_status(status) or changed, 0

    def _run(self, function: Any, given: Any, around: Any, out: Any) -> int:
        return int(function(self.state, given, around.ctypes.data, out.ctypes.data))


def _form(record: str | None) -> Any:
    given = ctypes.c_double if record is None else ctypes.c_void_p
    pointer = ctypes.c_void_p
    return ctypes.CFUNCTYPE(ctypes.c_int32, pointer, given, pointer, pointer)


def _record(kind: str, fields: Mapping[str, Any]) -> np.ndarray[Any, Any]:
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
    """Say what was written into a record that may only be read."""
    for name in before.dtype.names or ():
        old, new = before[name][0].item(), after[name][0].item()
        if old != new:
            time = "; time does not go back" if name == "now_s" and new < old else ""
            return f"{name} was changed from {old} to {new}{time}: records are to be read"
    return ""


def _describe_status(status: int) -> str:
    return f"it returned {status}" if status else ""
