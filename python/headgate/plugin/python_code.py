"""Laws and disciplines that are Python classes, found in a file or given as such."""

from __future__ import annotations

import inspect
import sys
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from headgate.base.errors import LawError
from headgate.base.suggest import also
from headgate.plugin.interface import Interface
from headgate.plugin.own_code import OwnCode
from headgate.plugin.paths import sha256, shorten_path
from headgate.plugin.python_class import check_form, file_of, locate_error
from headgate.plugin.source import Source

#: Modules that own code imported from in former versions, and what to write now.
FORMER_MODULES = {
    "headgate.discipline": "import these names from headgate.plugin",
    "headgate.law": "import these names from headgate.plugin, where MARK is called ECN_MARK",
}


def code_in(source: Source) -> OwnCode:
    """Run the file, and take its class. Raises LawError."""
    module = run_file(source.file, source.text)
    cls = _find_class(source.interface, module, source.symbol, source.file)
    return _take(source.interface, cls, source.file, source.sha256)


def code_of(interface: Interface, cls: type) -> OwnCode:
    """Take a class that was given as such. Raises LawError."""
    file = file_of(cls)
    try:
        text = Path(file).read_bytes()
    except OSError:  # a notebook, or a prompt
        text = _source(cls)
    return _take(interface, cls, file, sha256(text))


def _take(interface: Interface, cls: type, file: str, sha: str) -> OwnCode:
    check_form(interface, cls)
    if not getattr(cls, "__headgate_jit__", False):
        return OwnCode(interface, cls.__name__, file, sha, cls)
    from headgate.plugin import numba_class as jit

    compiled = partial(jit.compile_class, interface, cls)
    return OwnCode(interface, cls.__name__, file, sha, cls, compiled)


def run_file(file: str, text: bytes) -> ModuleType:
    """Run the text of a file as a separate module; the same text is run once. Raises LawError.

    The text is what was hashed: Python's own import would run a cached `__pycache__` in its place.
    """
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
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        says = FORMER_MODULES.get(missing or "", "as the file was read")
        raise LawError(*locate_error(error, file, says)) from None
    return module


def _find_class(interface: Interface, module: ModuleType, name: str, file: str) -> type:
    found: Any = getattr(module, name, None)
    if isinstance(found, type):
        return found
    names = [cls.__name__ for cls in _classes(interface, module)]
    known = ", ".join(names) or "none"
    says = f"has no class {name!r}; its {interface.noun}s: {known}{also(name, names)}"
    raise LawError(shorten_path(file), says)


def _classes(interface: Interface, module: ModuleType) -> list[type]:
    """Return the classes that the file itself defines and that look like what is wanted."""
    own = [c for c in vars(module).values() if isinstance(c, type)]
    here = [c for c in own if c.__module__ == module.__name__]
    return [c for c in here if any(hasattr(c, name) for name in interface.tells_it)]


def _source(cls: type) -> bytes:
    """Return the text of a class that has no file, or else its code."""
    try:
        return inspect.getsource(cls).encode()
    except (OSError, TypeError):
        functions = [f for f in vars(cls).values() if isinstance(f, FunctionType)]
        return repr([(f.__code__.co_code, f.__code__.co_consts) for f in functions]).encode()
