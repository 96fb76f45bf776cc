"""Laws that numba compiles: methods over views of the state and the records, as C functions."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from headgate.errors import LawError
from headgate.plugin import python_class, rewrite
from headgate.plugin.own_law import Compiled, Params
from headgate.plugin.paths import shorten_path
from headgate.plugin.table import FLAGS, FunctionTable

#: Callback -> the record it takes before the path and the window, or None for the time.
RECORDS: Mapping[str, str | None] = {
    "on_start": None,
    "on_ack": "Ack",
    "on_recovery_ack": "Ack",
    "on_segment_lost": "Rate",
    "on_congestion": "Congestion",
    "on_recovered": None,
}
_KINDS = {"f64": "f8", "u32": "u4", "bool": "?", "Cause": "u4"}
#: Kinds of state. A single number is a float, whatever it began as: in Python it may become one.
_KEPT = {"b": "?", "i": "i8", "u": "i8", "f": "f8"}


_tables: dict[object, FunctionTable] = {}
_one_at_a_time = threading.Lock()


def compile_law(cls: type, params: Params) -> Compiled:
    """Give the table of a class with these parameters; raise LawError if numba refuses one."""
    with _one_at_a_time:
        key = cls, tuple(sorted(params.items()))
        if key not in _tables:
            _tables[key] = _compile(cls, params)
        return _tables[key].struct, _tables[key]


def _compile(cls: type, params: Params) -> FunctionTable:
    try:
        import numba
    except ImportError:
        raise LawError(_label(cls), "@jit needs numba; pip install 'headgate[jit]'") from None
    state = first_state(cls, params)
    functions = _functions(cls, state.dtype, numba)
    pointer = numba.types.CPointer(numba.from_dtype(state.dtype))
    entries = {
        name: _entry(name, functions[name], pointer, numba) for name in RECORDS if name in functions
    }
    return FunctionTable.of(entries, state.tobytes(), _flags(cls))


@cache
def layout() -> dict[str, np.dtype[Any]]:
    """Give the records as numpy sees them, from the engine's own account of them."""
    from headgate import _native

    known: dict[str, np.dtype[Any]] = {}
    for record in json.loads(_native.layout()):
        fields = record["fields"]
        known[record["name"]] = np.dtype(
            {
                "names": [field["name"] for field in fields],
                "formats": [known.get(f["kind"], _KINDS.get(f["kind"])) for f in fields],
                "offsets": [field["offset"] for field in fields],
                "itemsize": record["bytes"],
            },
            align=True,
        )
    return known


def first_state(cls: type, params: Params) -> np.ndarray[Any, Any]:
    """Give a flow's first state: the numbers on the class and on a new object of it."""
    said = {
        name: value
        for base in reversed(cls.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, bool | int | float) and name not in python_class.TRAITS
        if not name.startswith("__")
    }
    numbers = said | vars(python_class.make(cls, params))
    arrays = {name: np.asarray(value) for name, value in numbers.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in _KEPT or array.size == 0:
            says = f"self.{name} is {numbers[name]!r}"
            raise LawError(_label(cls), f"{says}; a compiled law keeps numbers and arrays of them")
    fields = [(name, _kind(array), array.shape) for name, array in arrays.items()]
    state = np.zeros(1, np.dtype(fields or [("_nothing", "u1", ())], align=True))
    for name, array in arrays.items():
        state[name] = array
    return state


def object_of(cls: type, params: Params, kept: bytes) -> Any:
    """Give the object that a flow's bytes stand for."""
    made = python_class.make(cls, params)
    dtype = first_state(cls, params).dtype
    state = np.frombuffer(kept, dtype, count=1)[0]
    for name in dtype.names or ():
        value = state[name]
        setattr(made, name, value.copy() if value.ndim else value.item())
    return made


def _kind(array: np.ndarray[Any, Any]) -> str:
    kind = _KEPT[array.dtype.kind]
    return "f8" if array.ndim == 0 and kind == "i8" else kind


def _flags(cls: type) -> int:
    said = python_class.traits(cls)
    words = {
        "per_round": said["per"] == "round",
        "keeps_window": said["keeps_window"],
        "wants_rate": said["wants_rate"],
        "echo_latched": said["echo"] == "latched",
        "echo_accurate": said["echo"] == "accurate",
    }
    return sum(FLAGS[name] for name, holds in words.items() if holds)


def _functions(cls: type, state: np.dtype[Any], numba: Any) -> dict[str, Any]:
    """Give numba's functions, which find the class's other methods and the window's by name."""
    names = {name: dtype.names or () for name, dtype in layout().items()}
    takes = {
        name: [None if record is None else names[record], names["Path"], names["Window"]]
        for name, record in RECORDS.items()
    }
    plain = rewrite.functions_of(cls, state.names or (), takes)
    compiled = {name: numba.njit(function) for name, function in plain.items()}
    common = {rewrite.name_in_globals(name): function for name, function in compiled.items()}
    for method, name in rewrite.WINDOW_METHODS.items():
        common[name] = numba.njit(_WINDOW[method])
    for function in plain.values():
        function.__globals__.update(common)
    return compiled


def _slow_starts(window: Any) -> Any:
    return window.cwnd < window.ssthresh


def _slow_start(window: Any, acked: Any) -> Any:
    step = min(acked, max(window.ssthresh - window.cwnd, 0.0))
    window.cwnd += step
    return acked - step


_WINDOW = {"slow_start": _slow_start, "slow_starts": _slow_starts}


def _entry(name: str, method: Any, state: Any, numba: Any) -> Any:
    """Compile a callback to a C function that returns 0, or 1 if it raised; raise LawError."""
    types, record = numba.types, RECORDS[name]

    def pointer(record: str) -> Any:
        return types.CPointer(numba.from_dtype(layout()[record]))

    given = types.float64 if record is None else pointer(record)
    form = types.int32(state, given, pointer("Path"), pointer("Window"))
    body = (
        _wrap_time_callback(method, numba.carray)
        if record is None
        else _wrap_record_callback(method, numba.carray)
    )
    try:
        return numba.cfunc(form)(body)
    except numba.core.errors.NumbaError as error:
        raise LawError(*_complaint(name, method.py_func, str(error))) from None


def _wrap_record_callback(method: Any, carray: Any) -> Any:
    def entry(state: Any, given: Any, path: Any, window: Any) -> Any:
        try:
            method(
                carray(state, 1)[0], carray(given, 1)[0], carray(path, 1)[0], carray(window, 1)[0]
            )
        except Exception:
            return 1
        return 0

    return entry


def _wrap_time_callback(method: Any, carray: Any) -> Any:
    def entry(state: Any, now_s: Any, path: Any, window: Any) -> Any:
        try:
            method(carray(state, 1)[0], now_s, carray(path, 1)[0], carray(window, 1)[0])
        except Exception:
            return 1
        return 0

    return entry


def _complaint(name: str, function: Any, text: str) -> tuple[str, str]:
    """Give the line that numba stumbled over, and the heart of what it says."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    ours = [
        line for line in lines if line.startswith("During: ") and f"{_file(function)} (" in line
    ]
    places = [line.rpartition("(")[2].rstrip(")") for line in ours]
    at = next((place for place in places if place.isdigit()), function.__code__.co_firstlineno)
    noise = ("Failed in", "- ", "During", "File", "None", "There are", "Of which", ">>>")
    said = next((line for line in lines if not line.startswith(noise)), lines[0])
    asked = next((line[4:] for line in lines if line.startswith(">>> ")), "")
    return (
        f"{shorten_path(_file(function))}, line {at}",
        f"numba cannot compile {name}: {said} {asked}".rstrip(),
    )


def _file(function: Any) -> str:
    return str(function.__code__.co_filename)


def _label(cls: type) -> str:
    return f"{shorten_path(python_class.file_of(cls))}:{cls.__name__}"
