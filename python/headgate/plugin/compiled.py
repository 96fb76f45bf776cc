"""Drives a law that is compiled: its table of functions, called as the engine calls it."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from headgate.errors import LawError
from headgate.plugin.course import Course, sound, write_place
from headgate.plugin.events import Event, Flow, Window
from headgate.plugin.jit import layout
from headgate.plugin.own_law import OwnLaw, Params
from headgate.plugin.table import CALLBACKS, FLAGS, Struct


def drive_compiled(law: OwnLaw, params: Params, course: Course, note: int = -1) -> list[float]:
    """Drive a compiled law in this process; give its windows. Raises LawError.

    The place of each event goes to the file `note`, if there is one.
    """
    assert law.compiled is not None
    table = law.compiled(params)
    law.hand_over(table)  # refuses what is no table of this version
    cwnds: list[float] = []
    for seed in range(course.flows):
        flow = _Compiled(table[0], seed, cwnds, strict=course.strict, note=note)
        if wrong := flow.run(course.events):
            raise LawError(law.label, wrong)
    return cwnds


class _WrongError(Exception):
    pass


class _Compiled:
    """One flow's state, and the functions of a table, called as the engine calls them."""

    def __init__(
        self, struct: Struct, seed: int, cwnds: list[float], *, strict: bool, note: int
    ) -> None:
        self.flags, self.seed, self.cwnds = struct.flags, seed, cwnds
        self.strict, self.note = strict, note
        self.state = ctypes.create_string_buffer(max(struct.state_bytes, 8))
        if struct.initial:
            ctypes.memmove(self.state, struct.initial, struct.state_bytes)
        self.functions = {
            name: _form(name)(address) for name in CALLBACKS if (address := getattr(struct, name))
        }

    def run(self, events: int) -> str:
        flow = Flow(
            self.seed,
            self.tell,
            per_round=bool(self.flags & FLAGS["per_round"]),
            keeps_window=bool(self.flags & FLAGS["keeps_window"]),
        )
        try:
            flow.run(events)
        except _WrongError as wrong:
            return str(wrong)
        return ""

    def tell(self, event: Event, window: Window) -> None:
        function = self.functions.get(event.callback)
        if function is None or self._is_left_out(event):
            return
        before = Window(window.cwnd, window.ssthresh, window.pace)
        where = f"{event.callback}, event {event.number} of flow {self.seed}"
        write_place(self.note, where)
        status, changed = self._call(function, event, window)
        keeps = bool(self.flags & FLAGS["keeps_window"])
        wrong = (
            _describe_status(status) or changed or sound(event, before, window, keeps_window=keeps)
        )
        if wrong and self.strict:
            raise _WrongError(f"{wrong} ({where})")
        if wrong:
            ssthresh = max(before.cwnd / 2, 2.0)
            window.cwnd, window.ssthresh, window.pace = before.cwnd, ssthresh, math.inf
        self.cwnds.append(window.cwnd)

    def _is_left_out(self, event: Event) -> bool:
        if event.callback == "on_recovery_ack":
            return bool(self.flags & FLAGS["per_round"])
        return event.callback == "on_segment_lost" and not self.flags & FLAGS["wants_rate"]

    def _call(self, function: Any, event: Event, window: Window) -> tuple[int, str]:
        """Call it; give its status, and what it changed of what it may only read."""
        path = _record("Path", event.path)
        out = _record("Window", vars(window))
        given: Any = event.given
        if isinstance(given, dict):
            record = _record(_kind(event.callback), given)
            kept = record.copy()
            status = function(self.state, record.ctypes.data, path.ctypes.data, out.ctypes.data)
            changed = _describe_change(kept, record)
        else:
            status = function(self.state, given, path.ctypes.data, out.ctypes.data)
            changed = ""
        window.cwnd, window.ssthresh, window.pace = map(float, out[0].item())
        return status, changed


def _form(name: str) -> Any:
    given = ctypes.c_double if name in ("on_start", "on_recovered") else ctypes.c_void_p
    pointer = ctypes.c_void_p
    return ctypes.CFUNCTYPE(ctypes.c_int32, pointer, given, pointer, pointer)


def _kind(callback: str) -> str:
    return {"on_congestion": "Congestion", "on_segment_lost": "Rate"}.get(callback, "Ack")


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
    """Say what a law wrote into a record that it may only read."""
    for name in before.dtype.names or ():
        old, new = before[name][0].item(), after[name][0].item()
        if old != new:
            time = "; time does not go back" if name == "now_s" and new < old else ""
            return f"{name} was changed from {old} to {new}{time}: records are to be read"
    return ""


def _describe_status(status: int) -> str:
    return f"it returned {status}" if status else ""
