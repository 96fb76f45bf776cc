"""What a Python class must be to be a law or a discipline, and its objects."""

from __future__ import annotations

import difflib
import inspect
import traceback
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from headgate.base.errors import LawError
from headgate.plugin.arguments import check_arguments, check_bounds
from headgate.plugin.interface import Interface, Traits
from headgate.plugin.own_code import Params
from headgate.plugin.paths import shorten_path

if TYPE_CHECKING:
    from headgate import _native

#: A trait as short as this is one that other attributes may well resemble.
_SHORT = 4

#: Attributes that earlier releases read, and what they are called now.
_FORMER = {"keeps_window": "controls_cwnd_in_recovery"}


def file_of(cls: type) -> str:
    """Return the file a class was written in, or its module's name."""
    try:
        return str(Path(inspect.getfile(cls)).resolve())
    except (TypeError, OSError):
        return cls.__module__


def traits(interface: Interface, cls: type, made: object) -> Traits:
    """Return what the class, and an object of it, say of how they are called. Raises LawError."""
    said = {name: getattr(cls, name, allowed[0]) for name, allowed in interface.traits.items()}
    for name, value in said.items():
        if value not in interface.traits[name]:
            words = " or ".join(repr(word) for word in interface.traits[name])
            raise LawError(_label(cls), f"{name} = {value!r} is not allowed; it must be {words}")
    numbers = {name: getattr(made, name, usual) for name, usual in interface.numbers.items()}
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise LawError(_label(cls), f"{name} = {value!r} is not allowed; it must be a number")
    return said | numbers


def callbacks(interface: Interface, cls: type) -> tuple[str, ...]:
    """Return the names of the callbacks that the class has."""
    return tuple(name for name in interface.callbacks if getattr(cls, name, None) is not None)


def make(cls: type, params: Params) -> Any:
    """Make the object of a flow or a port, to see that it can be made. Raises LawError."""
    check_arguments(cls, _label(cls), params)
    try:
        return cls(**params)
    except Exception as error:
        raise LawError(
            *locate_error(error, file_of(cls), f"{cls.__name__}({_format_params(params)})")
        ) from None


def locate_error(error: BaseException, file: str, where: str) -> tuple[str, str]:
    """Return the place and sentence of an exception in own code: file and line, what, and where."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if shorten_path(frame.filename) == shorten_path(file)]
    notes = "\n".join(getattr(error, "__notes__", ())).splitlines()
    lines = "".join(traceback.format_exception_only(error)).strip().splitlines()
    lines = lines[: len(lines) - len(notes)]
    if isinstance(error, SyntaxError):
        return f"{shorten_path(file)}, line {error.lineno}", lines[-1]
    what = " ".join(lines)
    place = (
        f"{shorten_path(own[-1].filename)}, line {own[-1].lineno}" if own else shorten_path(file)
    )
    return place, f"{what} ({where})"


def plain(interface: Interface, cls: type, label: str, params: Params) -> _native.OwnCode:
    """Make a class ready that the interpreter runs. Raises LawError."""
    from headgate.plugin import state

    said = traits(interface, cls, make(cls, params))
    made = partial(cls, **params)
    code = (made, state.dump, partial(state.load, made))
    try:
        return interface.in_engine(label, code, said, callbacks(interface, cls))
    except ValueError as error:
        raise LawError(label, str(error)) from None


def check_form(interface: Interface, cls: type) -> None:
    """Check that the callbacks are there and take what they are given. Raises LawError if not."""
    for group in interface.required:
        if not any(getattr(cls, name, None) for name in group):
            forms = " or ".join(interface.form(name).replace("(", "(self, ") for name in group)
            raise LawError(_label(cls), f"has no {forms}")
    for name in callbacks(interface, cls):
        _check_takes(interface, cls, name)
    traits(interface, cls, cls)
    check_bounds(cls, _label(cls))
    _check_spelling(interface, cls)


def _check_takes(interface: Interface, cls: type, name: str) -> None:
    callback = getattr(cls, name)
    try:
        inspect.signature(callback).bind(None, *interface.callbacks[name].takes)
    except (TypeError, ValueError):
        place = _label(cls)
        if isinstance(callback, FunctionType):
            place = f"{shorten_path(file_of(cls))}, line {callback.__code__.co_firstlineno}"
        raise LawError(
            place, f"{name} must take what it is called with: {interface.form(name)}"
        ) from None


def _check_spelling(interface: Interface, cls: type) -> None:
    """Refuse what would never be called or read: a misspelt callback or trait."""
    known = [*interface.traits, *interface.numbers]
    long = [name for name in known if len(name) > _SHORT]
    for name in dir(cls):
        if name.startswith("on_") and name not in interface.callbacks:
            meant = _meant(name, interface.callbacks)
            raise LawError(_label(cls), f"nothing calls {name}; {meant}")
        if name in _FORMER:
            raise LawError(_label(cls), f"nothing reads {name}; its name is now {_FORMER[name]}")
        near = difflib.get_close_matches(name, long, 1, 0.8)
        if near and name not in known:
            raise LawError(_label(cls), f"nothing reads {name}; {_meant(name, known)}")


def _meant(name: str, known: Iterable[str]) -> str:
    """Ask for the name that was meant, and list all."""
    names = list(known)
    near = difflib.get_close_matches(name, names, 1)
    listed = f"known: {', '.join(names)}"
    return f"do you mean {near[0]}? {listed}" if near else listed


def _label(cls: type) -> str:
    return f"{shorten_path(file_of(cls))}:{cls.__name__}"


def _format_params(params: Params) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in params.items())
