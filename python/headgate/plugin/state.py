"""What own code in Python keeps, as plain data, which a snapshot can hold and which cannot be run.

What the object of a flow or a port keeps may be numbers, strings, None, lists, tuples, dicts and
arrays of numbers. It is written as JSON; a value that JSON does not know stands in an object with
one key, which says what it is. Reading it back makes the object anew and gives it these
attributes: no code is looked up by a name in the file, as `pickle` would.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

#: What an attribute may be, for sentences.
PLAIN = "a number, a string, None, a list, a tuple, a dict or an array of numbers"

#: numpy's kinds of plain numbers: booleans, integers, floats, complex numbers.
_KINDS = "biufc"
_SCALARS = (bool, int, float, str, type(None))


class NotPlainError(ValueError):
    """An attribute that cannot be kept; the sentence names it."""


def dump(made: object) -> bytes:
    """Write what an object keeps. Raises NotPlainError."""
    writer = _Writer()
    state = {name: writer.write(f"self.{name}", value) for name, value in attributes(made).items()}
    return json.dumps(state, separators=(",", ":")).encode()


def load(make: Callable[[], object], kept: bytes) -> object:
    """Make an object and give it what was kept. Raises ValueError if that is not a state."""
    state = json.loads(kept)
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
    """Writes values, and knows which containers it met: each has one name in the copy."""

    def __init__(self) -> None:
        self._met: dict[int, tuple[str, object]] = {}

    def write(self, name: str, value: object) -> Any:
        if type(value) in _SCALARS:
            return value
        self._meet(name, value)
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
        raise NotPlainError(f"{name} is a {kind}; what own code keeps must be {PLAIN}")

    def _items(self, name: str, values: list[Any] | tuple[Any, ...]) -> list[Any]:
        return [self.write(f"{name}[{place}]", value) for place, value in enumerate(values)]

    def _pair(self, name: str, pair: tuple[Any, Any]) -> list[Any]:
        key, value = pair
        return [self.write(f"a key of {name}", key), self.write(f"{name}[{key!r}]", value)]

    def _meet(self, name: str, value: object) -> None:
        """Refuse what has two names: in the copy, a change by one is not seen by the other."""
        if isinstance(value, tuple | np.generic):
            return
        first, _ = self._met.setdefault(id(value), (name, value))
        if first != name:
            raise NotPlainError(
                f"{name} is the same object as {first}; what own code keeps must have one name"
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
