"""Python classes as congestion control algorithms or queue disciplines.

The name of an argument ends with its unit. `bounds = {"target_s": (0.0, 1.0)}` on
the class declares the allowed values; others are rejected before an object is made.
"""

from __future__ import annotations

import difflib
import dis
import inspect
import traceback
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from headgate.base.errors import CcaError
from headgate.plugin import state
from headgate.plugin.code_files import shorten_path
from headgate.plugin.content import is_library_file
from headgate.plugin.interface import Interface, Params, Traits

if TYPE_CHECKING:
    from headgate import _native

#: Ends of names, and their units.
_UNITS = {"_bytes_s": "bytes/s", "_bytes": "bytes", "_packets": "packets", "_s": "s"}
#: Other attributes may well resemble a trait that is as short as this.
_SHORT = 4

#: Flags of the code of generators and coroutines.
_DELAYS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

#: Attributes that earlier releases read, and what they are called now.
_FORMER = {"keeps_window": "controls_cwnd_in_recovery"}


def unit_of(name: str) -> str:
    """Return the unit of an argument by its name; empty for a pure number or a word."""
    return next((unit for end, unit in _UNITS.items() if name.endswith(end)), "")


def file_of(cls: type) -> str:
    """Return the file a class was written in, or its module's name."""
    try:
        return str(Path(inspect.getfile(cls)).resolve())
    except (TypeError, OSError):
        return cls.__module__


def label_of(cls: type) -> str:
    """Return the name of a class in messages."""
    return f"{shorten_path(file_of(cls))}:{cls.__name__}"


def traits(interface: Interface, cls: type, made: object) -> Traits:
    """Return the traits that the class, and an object of it, declare. Raises CcaError."""
    declared = {name: getattr(cls, name, allowed[0]) for name, allowed in interface.traits.items()}
    numbers = {name: getattr(made, name, usual) for name, usual in interface.numbers.items()}
    if made is not cls:
        _require_of_class(cls, declared, made)
    for name, value in declared.items():
        if value not in interface.traits[name]:
            words = " or ".join(repr(word) for word in interface.traits[name])
            raise CcaError(label_of(cls), f"{name} = {value!r} is not allowed; it must be {words}")
    for name, value in numbers.items():
        if not _is_number(value):
            raise CcaError(label_of(cls), f"{name} = {value!r} is not allowed; it must be a number")
    return declared | numbers


def _require_of_class(cls: type, declared: Traits, made: object) -> None:
    """Raise CcaError if an object sets a trait to another value than its class."""
    for name, value in state.attributes(made).items():
        if name in declared and value != declared[name]:
            says = f"self.{name} = {value!r} is not read; set it on the class: {name} = {value!r}"
            raise CcaError(label_of(cls), says)


def callbacks(interface: Interface, cls: type) -> tuple[str, ...]:
    """Return the names of the callbacks that the class defines."""
    return tuple(name for name in interface.callbacks if getattr(cls, name, None) is not None)


def make(cls: type, params: Params) -> Any:
    """Make the object of a flow or a port. Raises CcaError."""
    _check_arguments(cls, params)
    try:
        return cls(**params)
    except Exception as error:
        listed = ", ".join(f"{key}={value!r}" for key, value in params.items())
        place = locate_error(error, file_of(cls), f"{cls.__name__}({listed})")
        raise CcaError(*place) from None


def locate_error(error: BaseException, file: str, where: str) -> tuple[str, str]:
    """Return place (file and line) and sentence of an exception in user-defined code."""
    short = shorten_path(file)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame.lineno for frame in frames if shorten_path(frame.filename) == short]
    if not own and not Path(file).is_file():  # a cell of a notebook
        own = [frame.lineno for frame in frames if not is_library_file(frame.filename)]
    notes = "\n".join(getattr(error, "__notes__", ())).splitlines()
    lines = "".join(traceback.format_exception_only(error)).strip().splitlines()
    lines = lines[: len(lines) - len(notes)]
    if isinstance(error, SyntaxError):
        return f"{short}, line {error.lineno}", lines[-1]
    return f"{short}, line {own[-1]}" if own else short, f"{' '.join(lines)} ({where})"


def register(interface: Interface, cls: type, label: str, params: Params) -> _native.OwnCode:
    """Register a class with the engine, which the interpreter runs. Raises CcaError."""
    found = traits(interface, cls, make(cls, params))
    made = partial(cls, **params)
    code = (made, state.dump, partial(state.load, made))
    try:
        return interface.make_native(label, code, found, callbacks(interface, cls))
    except ValueError as error:
        raise CcaError(label, str(error)) from None


def check_form(interface: Interface, cls: type) -> None:
    """Check callbacks and their arguments, traits, bounds and spelling. Raises CcaError."""
    for group in interface.required:
        if not any(getattr(cls, name, None) for name in group):
            forms = " or ".join(interface.signature(n).replace("(", "(self, ") for n in group)
            raise CcaError(label_of(cls), f"has no {forms}")
    for name in callbacks(interface, cls):
        _check_takes(interface, cls, name)
        _check_calls(interface, cls, name)
    traits(interface, cls, cls)
    _check_bounds(cls)
    _check_spelling(interface, cls)


def _check_takes(interface: Interface, cls: type, name: str) -> None:
    callback = getattr(cls, name)
    try:
        inspect.signature(callback).bind(None, *interface.callbacks[name].takes)
    except (TypeError, ValueError):
        place = label_of(cls)
        if isinstance(callback, FunctionType):
            place = f"{shorten_path(file_of(cls))}, line {callback.__code__.co_firstlineno}"
        says = f"{name} must take what it is called with: {interface.signature(name)}"
        raise CcaError(place, says) from None


def _check_calls(interface: Interface, cls: type, name: str) -> None:
    """Reject `yield` and `async`, which delay a callback, and reads of a rate that is missing."""
    callback = inspect.unwrap(getattr(cls, name))
    code = getattr(callback, "__code__", None)
    if code is None:
        return
    place = f"{shorten_path(code.co_filename)}, line {code.co_firstlineno}"
    if code.co_flags & _DELAYS:
        raise CcaError(place, f"{name} contains yield or async, so that its text would never run")
    is_ack = interface.callbacks[name].record == "Ack"
    if is_ack and not getattr(cls, "wants_rate", False) and "rate" in _read_fields(code):
        says = f"{name} reads the rate of an ACK, which is measured only with wants_rate = True"
        raise CcaError(place, f"{says}; set wants_rate = True on the class")


def _read_fields(code: CodeType) -> set[str]:
    """Return the attributes of its first argument after `self` that a method reads directly."""
    record = code.co_varnames[1] if code.co_argcount > 1 else None
    steps = [*dis.get_instructions(code)]
    return {
        str(step.argval)
        for before, step in pairwise(steps)
        if step.opname == "LOAD_ATTR" and before.opname.startswith("LOAD_FAST")
        if record == (before.argval[-1] if isinstance(before.argval, tuple) else before.argval)
    }


def _check_spelling(interface: Interface, cls: type) -> None:
    """Reject a misspelt callback or trait, which would never be called or read."""
    known = [*interface.traits, *interface.numbers]
    long = [name for name in known if len(name) > _SHORT]
    for name in dir(cls):
        if name.startswith("on_") and name not in interface.callbacks:
            says = f"nothing calls {name}; {_suggest(name, interface.callbacks)}"
            raise CcaError(label_of(cls), says)
        if name in _FORMER:
            says = f"nothing reads {name}; its name is now {_FORMER[name]}"
            raise CcaError(label_of(cls), says)
        if name not in known and difflib.get_close_matches(name, long, 1, 0.8):
            raise CcaError(label_of(cls), f"nothing reads {name}; {_suggest(name, known)}")


def _suggest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, [*known], 1)
    listed = f"known: {', '.join(known)}"
    return f"do you mean {near[0]}? {listed}" if near else listed


def _check_bounds(cls: type) -> None:
    """Check the form of the bounds themselves. Raises CcaError."""
    bounds = getattr(cls, "bounds", {})
    if not isinstance(bounds, Mapping) or not all(map(_is_range, bounds.values())):
        says = f'bounds = {bounds!r} is not allowed; write bounds = {{"argument": (least, most)}}'
        raise CcaError(label_of(cls), says)
    known = _defaults(cls)
    for name in bounds:
        if name not in known:
            says = f"bounds name {name!r}, which is not an argument"
            raise CcaError(label_of(cls), f"{says}; arguments: {', '.join(known) or 'none'}")


def _check_arguments(cls: type, params: Params) -> None:
    """Raise CcaError for an argument, given or by default, that is outside its bounds."""
    given = _defaults(cls) | dict(params)
    for name, (low, high) in getattr(cls, "bounds", {}).items():
        value = given[name]
        if value is inspect.Parameter.empty:
            continue  # the constructor reports that it is missing
        if not _is_number(value) or not low <= value <= high:
            allowed = f"{low:g} to {high:g} {unit_of(name)}".rstrip()
            says = f"{name} = {value!r} is not allowed; it must be from {allowed}"
            raise CcaError(label_of(cls), says)


def _defaults(cls: type) -> dict[str, Any]:
    return {one.name: one.default for one in inspect.signature(cls).parameters.values()}


def _is_range(pair: object) -> bool:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        return False
    low, high = pair
    return _is_number(low) and _is_number(high) and bool(low <= high)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
