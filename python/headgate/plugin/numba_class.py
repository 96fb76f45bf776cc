"""Own code that numba compiles: methods over views of the state and the records, as C functions."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from headgate.base.errors import LawError
from headgate.base.optional import advise
from headgate.plugin import python_class, rewrite
from headgate.plugin.interface import Interface
from headgate.plugin.own_code import Compiled, Params
from headgate.plugin.paths import shorten_path
from headgate.plugin.port_events import DRAWS
from headgate.plugin.table import FunctionTable

#: The engine's kinds of fields in numpy's words. To numba a word without a sign and one with a sign
#: make a float, and no number of a flow is so large that the sign matters.
_KINDS: Mapping[str, Any] = {
    "f64": "f8",
    "u32": "u4",
    "u64": "i8",
    "bool": "?",
    "Cause": "u4",
    "Draws": ("f8", (DRAWS,)),
}
#: Kinds of state. A single number is a float, whatever it began as: in Python it may become one.
_KEPT = {"b": "?", "i": "i8", "u": "i8", "f": "f8"}


_tables: dict[object, FunctionTable] = {}
_one_at_a_time = threading.Lock()


def compile_class(interface: Interface, cls: type, params: Params) -> Compiled:
    """Return the table of a class with these parameters. Raises LawError if numba refuses one."""
    with _one_at_a_time:
        key = cls, tuple(sorted(params.items()))
        if key not in _tables:
            _tables[key] = _compile(interface, cls, params)
        return _tables[key].struct, _tables[key]


def _compile(interface: Interface, cls: type, params: Params) -> FunctionTable:
    try:
        import numba
    except ImportError:
        raise LawError(_label(cls), f"@jit needs numba; {advise('jit')}") from None
    state = first_state(interface, cls, params)
    functions = _functions(interface, cls, state.dtype, numba)
    pointer = numba.types.CPointer(numba.from_dtype(state.dtype))
    entries = {
        name: _entry(interface, name, functions[name], pointer, numba)
        for name in interface.callbacks
        if name in functions
    }
    said = python_class.traits(interface, cls, python_class.make(cls, params))
    return FunctionTable.of(interface, entries, state.tobytes(), said)


@cache
def layout() -> dict[str, np.dtype[Any]]:
    """Return the records as numpy sees them, from the engine's own account of them."""
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


def first_state(interface: Interface, cls: type, params: Params) -> np.ndarray[Any, Any]:
    """Return the first state: the numbers on the class and on a new object of it."""
    said = {
        name: value
        for base in reversed(cls.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, bool | int | float) and name not in interface.traits
        if not name.startswith("__")
    }
    numbers = said | vars(python_class.make(cls, params))
    arrays = {name: np.asarray(value) for name, value in numbers.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in _KEPT or array.size == 0:
            says = f"self.{name} is {numbers[name]!r}"
            raise LawError(
                _label(cls), f"{says}; a compiled {interface.noun} keeps numbers and arrays of them"
            )
    fields = [(name, _kind(array), array.shape) for name, array in arrays.items()]
    state = np.zeros(1, np.dtype(fields or [("_nothing", "u1", ())], align=True))
    for name, array in arrays.items():
        state[name] = array
    return state


def object_of(interface: Interface, cls: type, params: Params, kept: bytes) -> Any:
    """Return the object that the bytes of a state stand for."""
    made = python_class.make(cls, params)
    dtype = first_state(interface, cls, params).dtype
    state = np.frombuffer(kept, dtype, count=1)[0]
    for name in dtype.names or ():
        value = state[name]
        setattr(made, name, value.copy() if value.ndim else value.item())
    return made


def _kind(array: np.ndarray[Any, Any]) -> str:
    kind = _KEPT[array.dtype.kind]
    return "f8" if array.ndim == 0 and kind == "i8" else kind


def _functions(interface: Interface, cls: type, state: np.dtype[Any], numba: Any) -> dict[str, Any]:
    """Return numba's functions, which find the class's other methods and the records' by name."""
    plain = rewrite.functions_of(interface, cls, state.names or (), _fields_of_all(interface))
    compiled = {name: numba.njit(function) for name, function in plain.items()}
    common = {rewrite.name_in_globals(name): function for name, function in compiled.items()}
    for method, function in interface.methods.items():
        common[rewrite.name_of_method(method)] = numba.njit(function)
    for function in plain.values():
        function.__globals__.update(common)
    return compiled


def _fields_of_all(interface: Interface) -> dict[str, list[rewrite.Fields | None]]:
    """Return the fields of what each callback takes; None for a number."""
    names = {name: dtype.names or () for name, dtype in layout().items()}
    rest = [names[interface.around], names[interface.out]]
    return {
        name: [None if callback.record is None else names[callback.record], *rest]
        for name, callback in interface.callbacks.items()
    }


def _entry(interface: Interface, name: str, method: Any, state: Any, numba: Any) -> Any:
    """Compile a callback to a C function that returns 0, or 1 if it raised. Raises LawError."""
    types, record = numba.types, interface.callbacks[name].record

    def pointer(record: str) -> Any:
        return types.CPointer(numba.from_dtype(layout()[record]))

    given = types.float64 if record is None else pointer(record)
    form = types.int32(state, given, pointer(interface.around), pointer(interface.out))
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
    def entry(state: Any, given: Any, around: Any, out: Any) -> Any:
        try:
            method(
                carray(state, 1)[0], carray(given, 1)[0], carray(around, 1)[0], carray(out, 1)[0]
            )
        except Exception:
            return 1
        return 0

    return entry


def _wrap_time_callback(method: Any, carray: Any) -> Any:
    def entry(state: Any, now_s: Any, around: Any, out: Any) -> Any:
        try:
            method(carray(state, 1)[0], now_s, carray(around, 1)[0], carray(out, 1)[0])
        except Exception:
            return 1
        return 0

    return entry


def _complaint(name: str, function: Any, text: str) -> tuple[str, str]:
    """Return the line that numba stumbled over, and the heart of what it says."""
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
