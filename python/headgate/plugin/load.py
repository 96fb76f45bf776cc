"""Loads user-defined code: `./my_cca.py:MyCca`, or a class that Python code passes."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from headgate.base.errors import CcaError
from headgate.base.messages import also
from headgate.plugin import code_files, given, library, python_class
from headgate.plugin.ccas import CCA
from headgate.plugin.code_files import is_code, read, sha256, shorten_path, split
from headgate.plugin.disciplines import DISCIPLINE
from headgate.plugin.interface import Interface, OwnCode
from headgate.plugin.source import Source, find, has_callback

#: Modules that user-defined code imported in former versions, and what to write now.
_FORMER_MODULES = {
    "headgate.discipline": "import these names from headgate.plugin",
}
#: Runs in several threads may need the same code: it is found and compiled once.
one_at_a_time = threading.RLock()


def is_source(words: str) -> bool:
    """Return whether words name user-defined code: a file, or a class that Python code passed."""
    return given.is_given(words) or "/" in words or is_code(words)


def load(source: str, interface: Interface = CCA) -> OwnCode:
    """Load `FILE` or `FILE:NAME`. Raises CcaError.

    This runs a Python file, so code that may not run is rejected (`headgate.plugin.code_files`).
    """
    with one_at_a_time:
        if given.is_given(source):
            return _use_class(interface, given.class_of(source))
        found = find(source, interface)
        code_files.require_trust(interface.noun, found.label, found.file, found.sha256)
        make = _load_class if found.file.endswith(".py") else library.code_in
        return replace(make(found), source=f"{found.file}:{found.symbol}")


def load_cca(source: str) -> str:
    """Load a congestion control algorithm that the caller names, and return its name.

    Its code runs. Raises CcaError if it cannot be one.
    """
    code_files.name_by_hand(source)
    return load(source).name


def identify(source: str, interface: Interface) -> tuple[str, str]:
    """Return name and source hash of user-defined code without running it. Raises CcaError."""
    if given.is_given(source):
        code = _use_class(interface, given.class_of(source))
        return code.name, code.sha256
    found = find(source, interface)
    return found.name, found.sha256


def allow(source: str, interface: Interface) -> None:
    """Remember for this user that the present version of code may run. Raises CcaError."""
    if not given.is_given(source):
        found = find(source, interface)
        code_files.allow(found.file, found.sha256)


def is_trusted(source: str, interface: Interface) -> bool:
    """Return whether user-defined code may run. Raises CcaError if it does not exist."""
    if given.is_given(source):
        return True
    found = find(source, interface)
    return code_files.is_trusted(found.file, found.sha256)


def kind_of(source: str) -> Interface:
    """Return the interface of `FILE` or `FILE:NAME`: CCA unless it is a discipline.

    This runs no Python file, but loads a library. Raises CcaError.
    """
    file, name = split(source)
    if Path(file).suffix == ".py":
        text = read(file)
        is_cca, is_discipline = (has_callback(text, file, name, of) for of in (CCA, DISCIPLINE))
        return DISCIPLINE if is_discipline and not is_cca else CCA
    try:
        version = library.version_in(find(source, DISCIPLINE))
    except CcaError:
        return CCA
    return DISCIPLINE if version >> 16 == DISCIPLINE.version >> 16 else CCA


def _load_class(source: Source) -> OwnCode:
    """Run the file, and return its class. Raises CcaError."""
    module = run_file(source.file, source.text)
    cls = _find_class(source.interface, module, source.symbol, source.file)
    return _check_class(source.interface, cls, source.file, source.sha256)


def _use_class(interface: Interface, cls: type) -> OwnCode:
    """Return the code of a class that Python code passed. Raises CcaError."""
    return _check_class(interface, cls, python_class.file_of(cls), given.hash_given(cls))


def _check_class(interface: Interface, cls: type, file: str, sha: str) -> OwnCode:
    python_class.check_form(interface, cls)
    if not getattr(cls, "__headgate_jit__", False):
        return OwnCode(interface, cls.__name__, file, sha, cls)
    from headgate.plugin.numba_class import compile_class

    return OwnCode(interface, cls.__name__, file, sha, cls, partial(compile_class, interface, cls))


def run_file(file: str, text: bytes) -> ModuleType:
    """Run the text of a file as a separate module; the same text is run once. Raises CcaError.

    The text is what was hashed: Python's own import could run a cached `__pycache__` instead.
    """
    name = f"headgate_own_{Path(file).stem}_{sha256(text, file.encode())[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module  # `inspect` finds the source of its classes there
    try:
        exec(compile(text, file, "exec"), module.__dict__)
    except Exception as error:
        del sys.modules[name]
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        says = _FORMER_MODULES.get(missing or "", "as the file was read")
        raise CcaError(*python_class.locate_error(error, file, says)) from None
    return module


def _find_class(interface: Interface, module: ModuleType, name: str, file: str) -> type:
    found: Any = getattr(module, name, None)
    if isinstance(found, type):
        return found
    names = [
        c.__name__
        for c in vars(module).values()
        if isinstance(c, type) and c.__module__ == module.__name__
        if any(hasattr(c, callback) for callback in interface.identifying_callbacks)
    ]
    known = ", ".join(names) or "none"
    says = f"has no class {name!r}; its {interface.noun}s: {known}{also(name, names)}"
    raise CcaError(shorten_path(file), says)
