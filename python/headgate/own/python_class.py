"""Laws that are Python classes: found in a file or given, held to the form, made ready for runs."""

from __future__ import annotations

import difflib
import inspect
import sys
import traceback
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from headgate.errors import LawError
from headgate.own.load import OwnLaw, Params
from headgate.own.paths import sha256, shown
from headgate.own.source import Source

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


def law_in(source: Source) -> OwnLaw:
    """Run the file, and take its class; raise LawError."""
    cls = _named(_module(source.file, source.text), source.symbol, source.file)
    return _law(cls, source.file, source.sha256)


def law_of(cls: type) -> OwnLaw:
    """Take a class that was given as such; raise LawError."""
    file = file_of(cls)
    try:
        text = Path(file).read_bytes()
    except OSError:  # a notebook, or a prompt
        text = _source(cls)
    return _law(cls, file, sha256(text))


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
        raise LawError(*told(error, file_of(cls), f"{cls.__name__}({_listed(params)})")) from None


def told(error: BaseException, file: str, where: str) -> tuple[str, str]:
    """Give the place and the sentence of an exception in a law: file and line, what, and where."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if shown(frame.filename) == shown(file)]
    what = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
    if isinstance(error, SyntaxError):
        return f"{shown(file)}, line {error.lineno}", what
    place = f"{shown(own[-1].filename)}, line {own[-1].lineno}" if own else shown(file)
    return place, f"{what} ({where})"


def plain(cls: type, label: str, params: Params) -> _native.OwnLaw:
    """Make a class ready that the interpreter runs; raise LawError."""
    from headgate import _native
    from headgate.own import state

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


def _law(cls: type, file: str, sha: str) -> OwnLaw:
    _check(cls)
    if not getattr(cls, "__headgate_jit__", False):
        return OwnLaw(cls.__name__, file, sha, cls)
    from headgate.own import jit

    return OwnLaw(cls.__name__, file, sha, cls, partial(jit.compiled, cls))


def _module(file: str, text: bytes) -> ModuleType:
    """Run the file as a module of its own; the same text is run once."""
    name = f"headgate_own_{Path(file).stem}_{sha256(text, file.encode())[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module  # where inspect finds the source of its classes
    try:
        exec(compile(text, file, "exec"), module.__dict__)
    except Exception as error:
        del sys.modules[name]
        raise LawError(*told(error, file, "as the file was read")) from None
    return module


def _named(module: ModuleType, name: str, file: str) -> type:
    found: Any = getattr(module, name, None)
    if isinstance(found, type):
        return found
    known = ", ".join(cls.__name__ for cls in _classes(module)) or "none"
    raise LawError(shown(file), f"has no class {name!r}; its laws: {known}")


def _classes(module: ModuleType) -> list[type]:
    """Give the classes that the file itself defines and that look like laws."""
    own = [c for c in vars(module).values() if isinstance(c, type)]
    return [c for c in own if c.__module__ == module.__name__ and hasattr(c, "on_ack")]


def _check(cls: type) -> None:
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
                place = f"{shown(file_of(cls))}, line {callback.__code__.co_firstlineno}"
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
    return f"{shown(file_of(cls))}:{cls.__name__}"


def _listed(params: Params) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in params.items())


def _source(cls: type) -> bytes:
    """Give the text of a class that has no file, or else its code."""
    try:
        return inspect.getsource(cls).encode()
    except (OSError, TypeError):
        functions = [f for f in vars(cls).values() if isinstance(f, FunctionType)]
        return repr([(f.__code__.co_code, f.__code__.co_consts) for f in functions]).encode()
