"""What a Python class must be to be a law, and its objects."""

from __future__ import annotations

import difflib
import inspect
import traceback
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from headgate.errors import LawError
from headgate.plugin.own_law import Params
from headgate.plugin.paths import shorten_path

if TYPE_CHECKING:
    from headgate import _native

#: Callbacks and what they take beside `self`. The first two every law has.
CALLBACKS: Mapping[str, tuple[str, ...]] = {
    "on_ack": ("ack", "path", "window"),
    "on_congestion": ("event", "path", "window"),
    "on_start": ("now_s", "path", "window"),
    "on_recovery_ack": ("ack", "path", "window"),
    "on_segment_lost": ("sent", "path", "window"),
    "on_recovered": ("now_s", "path", "window"),
}
REQUIRED = ("on_ack", "on_congestion")

#: What a class may say of itself, what it is if it says nothing, and what is allowed.
TRAITS: Mapping[str, tuple[Any, ...]] = {
    "per": ("ack", "round"),
    "keeps_window": (False, True),
    "wants_rate": (False, True),
    "echo": ("none", "latched", "accurate"),
}


#: Those that no other attribute is likely to resemble.
_LONG_TRAITS = tuple(name for name in TRAITS if len(name) > 4)


def file_of(cls: type) -> str:
    """Give the file a class was written in, or its module's name."""
    try:
        return str(Path(inspect.getfile(cls)).resolve())
    except (TypeError, OSError):
        return cls.__module__


def traits(cls: type) -> dict[str, Any]:
    """Give what the class says of how it is called; raise LawError."""
    said = {name: getattr(cls, name, allowed[0]) for name, allowed in TRAITS.items()}
    for name, value in said.items():
        if value not in TRAITS[name]:
            words = " or ".join(repr(word) for word in TRAITS[name])
            raise LawError(_label(cls), f"{name} = {value!r} is not right; it is {words}")
    return said


def make(cls: type, params: Params) -> Any:
    """Make the object of a flow, to see that it can be made; raise LawError."""
    try:
        return cls(**params)
    except Exception as error:
        raise LawError(
            *locate_error(error, file_of(cls), f"{cls.__name__}({_format_params(params)})")
        ) from None


def locate_error(error: BaseException, file: str, where: str) -> tuple[str, str]:
    """Give the place and the sentence of an exception in a law: file and line, what, and where."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if shorten_path(frame.filename) == shorten_path(file)]
    what = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
    if isinstance(error, SyntaxError):
        return f"{shorten_path(file)}, line {error.lineno}", what
    place = (
        f"{shorten_path(own[-1].filename)}, line {own[-1].lineno}" if own else shorten_path(file)
    )
    return place, f"{what} ({where})"


def plain(cls: type, label: str, params: Params) -> _native.OwnLaw:
    """Make a class ready that the interpreter runs; raise LawError."""
    from headgate import _native
    from headgate.plugin import state

    make(cls, params)
    said = traits(cls)
    made = partial(cls, **params)
    return _native.OwnLaw.plain(
        label,
        (made, state.dump, partial(state.load, made)),
        per_round=said["per"] == "round",
        keeps_window=said["keeps_window"],
        wants_rate=said["wants_rate"],
        echo=said["echo"],
    )


def check_form(cls: type) -> None:
    """Hold the class to the form: its callbacks are there, and take what they are given."""
    for name, takes in CALLBACKS.items():
        callback = getattr(cls, name, None)
        if callback is None:
            if name in REQUIRED:
                raise LawError(_label(cls), f"has no {name}(self, {', '.join(takes)})")
            continue
        try:
            inspect.signature(callback).bind(None, *takes)
        except (TypeError, ValueError):
            place = _label(cls)
            if isinstance(callback, FunctionType):
                place = f"{shorten_path(file_of(cls))}, line {callback.__code__.co_firstlineno}"
            raise LawError(place, f"{name} is called as {name}({', '.join(takes)})") from None
    traits(cls)
    _check_spelling(cls)


def _check_spelling(cls: type) -> None:
    """Refuse what nobody would call or read: a callback or a trait with another name."""
    for name in dir(cls):
        if name.startswith("on_") and name not in CALLBACKS:
            raise LawError(_label(cls), f"nothing calls {name}; {_meant(name, CALLBACKS)}")
        near = difflib.get_close_matches(name, _LONG_TRAITS, 1, 0.8)
        if near and name not in TRAITS:
            raise LawError(_label(cls), f"nothing reads {name}; {_meant(name, TRAITS)}")


def _meant(name: str, known: Iterable[str]) -> str:
    """Ask for the name that was meant, and list all."""
    names = list(known)
    near = difflib.get_close_matches(name, names, 1)
    listed = f"there are {', '.join(names)}"
    return f"do you mean {near[0]}? {listed}" if near else listed


def _label(cls: type) -> str:
    return f"{shorten_path(file_of(cls))}:{cls.__name__}"


def _format_params(params: Params) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in params.items())
