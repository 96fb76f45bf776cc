"""The content of a class: everything that determines what its methods do, as a hash.

It consists of bytecode, constants, defaults, closures, class attributes, and the values of its
module that the methods read. Equal content gives an equal hash in every process. A module
counts by its name, and so does code of Python and of installed packages.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import os
import sys
import sysconfig
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

import numpy as np

_SCALARS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_METHODS = (FunctionType, classmethod, staticmethod, property)
#: Attributes of a class with two underscores that are not methods, and count.
_SPECIAL = frozenset({"__slots__", "__headgate_jit__"})
_OF_ABC = "_abc_impl"


class ContentError(ValueError):
    """A value whose content cannot be hashed; the message names it."""


def hash_class(cls: type) -> str:
    """Hash the content of a class. Raises ContentError."""
    return _Hasher().write(cls.__name__, cls)


def hash_code(code: CodeType) -> str:
    """Hash bytecode with its constants and names, without its file and lines."""
    return _Hasher().write(code.co_name, code)


def _list_code(code: CodeType) -> list[Any]:
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    texts = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return [code.co_code, counts, texts, code.co_consts]


def _list_array(array: np.ndarray[Any, Any]) -> list[Any]:
    data = array.tolist() if array.dtype.hasobject else array.tobytes()
    return [array.dtype.str, array.shape, data]


#: The parts of a value by its type.
_PARTS: dict[type, Callable[[Any], Iterable[Any]]] = {
    CodeType: _list_code,
    tuple: iter,
    list: iter,
    dict: lambda value: [each for pair in value.items() for each in pair],
    np.ndarray: _list_array,
    property: lambda value: [value.fget, value.fset, value.fdel],
    classmethod: lambda value: [value.__func__],
    staticmethod: lambda value: [value.__func__],
    cached_property: lambda value: [value.func],
}


class _Hasher:
    """Hashes values. Functions and classes may refer to each other: a second visit gives a number.

    Containers and objects that contain themselves end at their depth.
    """

    def __init__(self) -> None:
        self._met: dict[int, int] = {}
        self._open: list[int] = []
        self._kept: list[object] = []  # so that no identity is used twice

    def write(self, name: str, value: Any) -> str:
        """Return the hash of a value; `name` is its place, for messages. Raises ContentError."""
        kind = type(value)
        if kind in _SCALARS:
            return _digest(kind.__name__, hex(value) if kind is int else repr(value))
        if isinstance(value, ModuleType):
            return _digest("module", value.__name__)
        if isinstance(value, FunctionType | type):
            return self._write_definition(name, value)
        if id(value) in self._open:
            return _digest("itself", str(self._open.index(id(value))))
        self._open.append(id(value))
        try:
            return self._write_value(name, value)
        finally:
            self._open.pop()

    def _write_definition(self, name: str, value: FunctionType | type) -> str:
        if _is_library(value):
            return _digest("library", value.__module__ or "", value.__qualname__)
        if id(value) in self._met:
            return _digest("met", str(self._met[id(value)]))
        self._met[id(value)] = len(self._met)
        self._kept.append(value)
        if isinstance(value, type):
            return self._write_class(name, value)
        return self._write_function(name, value)

    def _write_class(self, name: str, cls: type) -> str:
        parts = [self.write(f"the metaclass of {name}", type(cls))]
        for base in cls.__mro__:
            if _is_library(base):
                parts.append(_digest(base.__module__, base.__qualname__))
                continue
            parts += [
                _digest(key, self.write(f"{base.__name__}.{key}", value))
                for key, value in sorted(vars(base).items())
                if _counts(key, value)
            ]
        return _digest("class", *parts)

    def _write_function(self, name: str, function: FunctionType) -> str:
        code, scope = function.__code__, function.__globals__
        cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
        parts = [
            self.write(name, code),
            self.write(f"a default of {name}", function.__defaults__),
            self.write(f"a default of {name}", function.__kwdefaults__),
        ]
        parts += [
            _digest(key, self.write(f"{key} in {name}", cell.cell_contents))
            for key, cell in cells
            if _is_full(cell)
        ]
        parts += [
            _digest(key, self.write(f"{key} in {name}", scope[key]))
            for key in _global_names(code)
            if key in scope
        ]
        parts += [
            _digest(key, self.write(f"{name}.{key}", value))
            for key, value in sorted(vars(function).items())
            if key != "__wrapped__"  # a closure contains it
        ]
        return _digest("function", *parts)

    def _write_value(self, name: str, value: Any) -> str:
        kind = type(value)
        if kind in (set, frozenset):
            members = sorted(_Hasher().write(f"a member of {name}", one) for one in value)
            return _digest(kind.__name__, *members)
        if isinstance(value, np.generic):
            value = np.asarray(value)
        if take := _PARTS.get(type(value)):
            return self._write_all(name, kind.__name__, take(value))
        for inner in ("py_func", "__wrapped__"):  # compiled by numba, or with a cache
            if isinstance(found := getattr(value, inner, None), FunctionType):
                return self._write_all(name, kind.__name__, [found])
        return self._write_object(name, value)

    def _write_all(self, name: str, kind: str, values: Iterable[Any]) -> str:
        return _digest(kind, *(self.write(name, value) for value in values))

    def _write_object(self, name: str, value: Any) -> str:
        """Hash an object by what a copy of it would be made of."""
        try:
            made_of = value.__reduce_ex__(4)
        except Exception:
            kind = type(value).__name__
            says = f"{name} is a {kind}, so that two versions of the class cannot be distinguished"
            raise ContentError(f"{says}; make it an attribute in __init__, or a number") from None
        if isinstance(made_of, str):
            return _digest("named", getattr(value, "__module__", None) or "", made_of)
        make, arguments, *rest = made_of
        state, *items = [*rest, None, None, None][:3]
        parts = [make, arguments, state, *(None if each is None else [*each] for each in items)]
        return self._write_all(name, "object", parts)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()


def _counts(key: str, value: object) -> bool:
    """Return whether an entry of a class is part of its content."""
    if isinstance(value, MemberDescriptorType | GetSetDescriptorType) or key == _OF_ABC:
        return False
    is_special = key.startswith("__") and key.endswith("__")
    return not is_special or key in _SPECIAL or isinstance(value, _METHODS)


def _is_full(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:  # a variable that is not yet set
        return False
    return True


@lru_cache(maxsize=4096)
def _global_names(code: CodeType) -> tuple[str, ...]:
    """Return the names of the module that code and the functions in it read, sorted."""
    names = {
        str(one.argval)
        for one in dis.get_instructions(code)
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            names.update(_global_names(inner))
    return tuple(sorted(names))


def _is_library(value: FunctionType | type) -> bool:
    """Return whether a function or a class is of Python or of an installed package."""
    if isinstance(value, FunctionType):
        return is_library_file(value.__code__.co_filename)
    module = sys.modules.get(value.__module__)
    if module is None or value.__module__ == "__main__":
        return False
    if file := getattr(module, "__file__", None):
        return is_library_file(file)
    return value.__module__.partition(".")[0] in sys.stdlib_module_names


@functools.cache
def _list_library_folders() -> tuple[str, ...]:
    """List the folders of code that counts by its name."""
    named = map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib"))
    return tuple(f"{folder}{os.sep}" for folder in (*named, Path(__file__).parents[1]))


@functools.cache
def is_library_file(file: str) -> bool:
    """Return whether a file belongs to Python, to Headgate, or to an installed package."""
    return file.startswith(("<frozen ", *_list_library_folders()))
