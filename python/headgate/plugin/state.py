"""The state of user-defined Python objects as plain data, which a snapshot can store.

Attributes of the object of a flow or a port may be numbers, strings, None, lists, tuples, dicts and
arrays of numbers. They are written as JSON; a value that JSON lacks becomes an object with one key,
its type. Reading creates a new object and sets these attributes. Unlike `pickle`, it looks up no
code by a name in the file.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

#: The allowed types of attributes, for messages.
PLAIN = "a number, a string, None, a list, a tuple, a dict or an array of numbers"

#: numpy's kinds of plain numbers: booleans, integers, floats, complex numbers.
_KINDS = "biufc"
_SCALARS = (bool, int, float, str, type(None))


class NotPlainError(ValueError):
    """An attribute that cannot be stored; the message names it."""


def dump(made: object) -> bytes:
    """Write the state of an object. Raises NotPlainError."""
    writer = _Writer()
    state = {name: writer.write(f"self.{name}", value) for name, value in attributes(made).items()}
    return json.dumps(state, separators=(",", ":")).encode()


def load(make: Callable[[], object], stored: bytes) -> object:
    """Make an object and restore its state. Raises ValueError if that is not a state."""
    state = json.loads(stored)
    if not isinstance(state, dict):
        raise ValueError("it is not a state")
    made = make()
    for name in attributes(made).keys() - state.keys():
        delattr(made, name)
    for name, value in state.items():
        setattr(made, name, _read(value))
    return made


def attributes(made: object) -> dict[str, Any]:
    """Return the attributes of the object itself, in `__dict__` and in `__slots__`."""
    slots = {
        name: getattr(made, name)
        for cls in type(made).__mro__
        for name in _slots(cls)
        if hasattr(made, name)
    }
    return slots | dict(getattr(made, "__dict__", {}))


def _slots(cls: type) -> tuple[str, ...]:
    names = vars(cls).get("__slots__", ())
    names = (names,) if isinstance(names, str) else tuple(names)
    return tuple(name for name in names if name not in {"__dict__", "__weakref__"})


class _Writer:
    """Writes values, and records containers: each may occur once, since a copy keeps no aliases."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[str, object]] = {}

    def write(self, name: str, value: object) -> Any:
        if type(value) in _SCALARS:
            return value
        self._require_one_name(name, value)
        match value:
            case list() if type(value) is list:
                return self._items(name, value)
            case tuple() if type(value) is tuple:
                return {"tuple": self._items(name, value)}
            case dict() if type(value) is dict:
                return {"dict": [self._pair(name, pair) for pair in value.items()]}
            case np.ndarray() if type(value) is np.ndarray and value.dtype.kind in _KINDS:
                return {"array": _array(value)}
            case np.generic() if value.dtype.kind in _KINDS:
                return {"scalar": _array(np.asarray(value))}
        kind = type(value).__name__
        article = "an" if kind[0] in "AEIOUaeiou" else "a"
        raise NotPlainError(f"{name} is {article} {kind}; an attribute must be {PLAIN}")

    def _items(self, name: str, values: list[Any] | tuple[Any, ...]) -> list[Any]:
        return [self.write(f"{name}[{place}]", value) for place, value in enumerate(values)]

    def _pair(self, name: str, pair: tuple[Any, Any]) -> list[Any]:
        key, value = pair
        return [self.write(f"a key of {name}", key), self.write(f"{name}[{key!r}]", value)]

    def _require_one_name(self, name: str, value: object) -> None:
        """Reject an object with two names, which would be two objects in the copy."""
        if isinstance(value, tuple | np.generic):
            return
        first, _ = self._names.setdefault(id(value), (name, value))
        if first != name:
            raise NotPlainError(
                f"{name} is the same object as {first}; an object must have one name"
            )


def _array(value: np.ndarray[Any, Any]) -> list[Any]:
    data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
    return [value.dtype.str, list(value.shape), data]


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    ((kind, inner),) = value.items()
    return _READ[kind](inner)


def _numbers(given: list[Any]) -> np.ndarray[Any, Any]:
    kind, shape, data = given
    dtype = np.dtype(kind)
    if dtype.kind not in _KINDS:
        raise ValueError(f"a state cannot have an array of {dtype}")
    return np.frombuffer(base64.b64decode(data), dtype).reshape(shape).copy()


_READ: Mapping[str, Callable[[Any], Any]] = {
    "tuple": lambda inner: tuple(map(_read, inner)),
    "dict": lambda inner: {_read(key): _read(item) for key, item in inner},
    "array": _numbers,
    "scalar": lambda inner: _numbers(inner)[()],
}
