"""Laws in a process of their own: what crashes, ends or hangs there is one sentence here."""

from __future__ import annotations

import ctypes
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from headgate.errors import LawError
from headgate.own.events import Event, Flow, Window
from headgate.own.load import OwnLaw, Params, load
from headgate.own.paths import sha256
from headgate.own.table import CALLBACKS, FLAGS, Struct

#: Longer than any law needs for the few events of a proof, with what numba takes to compile it.
PATIENCE_S = 120.0
#: Begins the line in which the process tells what it found: a law may print what it likes.
_TOLD = "headgate.own.proof: "


@dataclass(frozen=True)
class Course:
    """What a law is put through: flows, and events of each.

    Unless it is strict it puts right what is wrong and goes on: only a crash counts.
    """

    flows: int
    events: int
    strict: bool = True


_PROOF = Course(flows=3, events=1_000, strict=False)


def prove(law: OwnLaw, params: Params) -> None:
    """See once that a compiled law does not crash, before it is called here. Raises LawError."""
    from headgate import __version__, _native
    from headgate.own.library import cache_folder

    if law.source is None:
        return
    made_of = (__version__, _native.layout(), law.sha256, law.name, _words(params))
    key = sha256(*(part.encode() for part in made_of))
    proved = cache_folder() / f"{law.name}-{key[:16]}.proved"
    if proved.is_file():
        return
    child(law, params, _PROOF, compiled=True)
    proved.parent.mkdir(parents=True, exist_ok=True)
    proved.touch()


def drive(law: OwnLaw, params: Params, course: Course) -> list[float]:
    """Drive a compiled law, in a child if one can find it; give its windows. Raises LawError."""
    if law.source:
        return child(law, params, course, compiled=True)
    return driven(law, params, course)


def _words(params: Params) -> str:
    return json.dumps(dict(params), sort_keys=True)


def child(law: OwnLaw, params: Params, course: Course, *, compiled: bool) -> list[float]:
    """Have another process drive the law; give its windows. Raises LawError.

    What is compiled, or what the interpreter runs: a law may have both forms.
    """
    assert law.source is not None
    with tempfile.NamedTemporaryFile("r") as note:
        command = [sys.executable, "-m", "headgate.own.proof", law.source]
        how = "compiled" if compiled else "interpreted"
        words = (_words(params), json.dumps(asdict(course)), note.name, how)
        try:
            done = subprocess.run(
                [*command, *words],
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            says = f"did not come back within {PATIENCE_S:g} s from {_last(note.name)}"
            raise LawError(law.label, says) from None
        told = _told(done.stdout)
        if done.returncode or told is None:
            raise LawError(law.label, f"{_end(done.returncode)} in {_last(note.name)}")
    if "error" in told:
        raise LawError(*told["error"])
    return [float(cwnd) for cwnd in told["cwnds"]]


def _told(output: str) -> dict[str, Any] | None:
    """Read the last line, if the process came as far as to write it."""
    last = (output.splitlines() or [""])[-1]
    if not last.startswith(_TOLD):
        return None
    told: dict[str, Any] = json.loads(last.removeprefix(_TOLD))
    return told


def _end(code: int) -> str:
    """Say how a process ended."""
    if code < 0:
        return f"crashed ({signal.Signals(-code).name})"
    return f"ended the process with {code}"


def _last(note: str) -> str:
    return Path(note).read_text().strip("\0 \n") or "the loading of its file"


def driven(law: OwnLaw, params: Params, course: Course, note: int = -1) -> list[float]:
    """Drive a compiled law in this process; give its windows. Raises LawError.

    The place of each event goes to the file `note`, if there is one.
    """
    assert law.compiled is not None
    table = law.compiled(params)
    law.taken(table)  # refuses what is no table of this version
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
        from headgate.own.check import sound

        function = self.functions.get(event.callback)
        if function is None or self._is_left_out(event):
            return
        before = Window(window.cwnd, window.ssthresh, window.pace)
        where = f"{event.callback}, event {event.number} of flow {self.seed}"
        write_place(self.note, where)
        status, changed = self._call(function, event, window)
        keeps = bool(self.flags & FLAGS["keeps_window"])
        wrong = _returned(status) or changed or sound(event, before, window, keeps_window=keeps)
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
            changed = _changed(kept, record)
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
    from headgate.own.jit import layout

    record = np.zeros(1, layout()[kind])
    _fill(record, fields)
    return record


def _fill(record: np.ndarray[Any, Any], fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        if isinstance(value, Mapping):
            _fill(record[name], value)
        else:
            record[name] = value


def _changed(before: np.ndarray[Any, Any], after: np.ndarray[Any, Any]) -> str:
    """Say what a law wrote into a record that it may only read."""
    for name in before.dtype.names or ():
        old, new = before[name][0].item(), after[name][0].item()
        if old != new:
            time = "; time does not go back" if name == "now_s" and new < old else ""
            return f"{name} was changed from {old} to {new}{time}: records are to be read"
    return ""


def _returned(status: int) -> str:
    return f"it returned {status}" if status else ""


def write_place(note: int, where: str) -> None:
    """Write where a law is into a file that outlives the process, if there is one."""
    if note >= 0:
        os.pwrite(note, where.ljust(80).encode(), 0)


def _main(source: str, params: str, course: str, note: str, how: str) -> None:
    from headgate.own.check import interpreted

    drive = driven if how == "compiled" else interpreted
    said: dict[str, Any]
    try:
        law = load(source)
        with Path(note).open("r+b") as file:
            cwnds = drive(law, json.loads(params), Course(**json.loads(course)), file.fileno())
        said = {"cwnds": cwnds}
    except LawError as error:
        said = {"error": [error.place, error.sentence]}
    sys.stdout.write(f"\n{_TOLD}{json.dumps(said)}\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
